"""The SSL policies of listeners: resources of Google Cloud, and named ones of AWS."""

import re
from typing import Any, Final

from gpuinfra.clouds.observing.values import text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

POLICY: Final = "gcp:compute/sSLPolicy:SSLPolicy"
_MODERN: Final = frozenset({"TLS_1_2", "TLS_1_3"})
"""The least version that an SSL policy takes; without one, and without a version, it is TLS 1.0:
https://docs.cloud.google.com/load-balancing/docs/ssl-policies-concepts"""

_MODERN_NAME: Final = re.compile(r"ELBSecurityPolicy-(?:TLS13-1-[23](?!\d)|TLS-1-2|FS-1-2)")
"""How the names of policies of AWS begin that refuse TLS below 1.2; the default of the API,
ELBSecurityPolicy-2016-08, does not:
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html"""


def refuses_old(policy: Resource) -> Known:
    """Return whether a policy of Google Cloud, for proxies and Ingresses, refuses old TLS."""
    least = text(policy.inputs.get("minTlsVersion"))
    return UNKNOWN if isinstance(least, Unknown) else least in _MODERN


def name_refuses_old(name: Any) -> Known:
    """Return whether a policy of AWS refuses TLS below 1.2, by its name; None is the default."""
    return UNKNOWN if isinstance(name, Unknown) else _MODERN_NAME.match(str(name)) is not None

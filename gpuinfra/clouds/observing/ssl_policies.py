"""The SSL policies of Google Cloud: what proxies and the Ingresses of GKE refuse."""

from typing import Final

from gpuinfra.clouds.observing.values import text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

POLICY: Final = "gcp:compute/sSLPolicy:SSLPolicy"
_MODERN: Final = frozenset({"TLS_1_2", "TLS_1_3"})
"""The least version that an SSL policy takes; without one, and without a version, it is TLS 1.0:
https://docs.cloud.google.com/load-balancing/docs/ssl-policies-concepts"""


def refuses_old(policy: Resource) -> Known:
    """Return whether a policy refuses TLS below 1.2."""
    least = text(policy.inputs.get("minTlsVersion"))
    return UNKNOWN if isinstance(least, Unknown) else least in _MODERN

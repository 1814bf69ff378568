"""The load balancers that Elastic Beanstalk makes for environments, and whether they speak TLS."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe.listeners import MODERN
from gpuinfra.clouds.observing.rows import listener_row
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, equals, opposite, text
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown

_ENVIRONMENT: Final = "aws:elasticbeanstalk:environment"
_VPC: Final = "aws:ec2:vpc"
_LISTENER: Final = re.compile(r"aws:elb(?:v2)?:listener(?::(?:default|\d+))?")
_DEFAULT: Final = frozenset({"", "default", "80"})
_PROTOCOLS: Final = ("Protocol", "ListenerProtocol")
_TLS: Final = frozenset({"HTTPS", "SSL", "TLS"})
_Options = Mapping[tuple[str, str], Any]


def environment(resource: Resource) -> Rows:
    """Return the balancer's endpoint: by default it listens for HTTP on port 80, for everyone.

    That listener can be disabled. Beside one with TLS the app may redirect, which no input tells.
    https://docs.aws.amazon.com/elasticbeanstalk/latest/dg/environments-cfg-clb.html (read
    2026-11-27); https://docs.aws.amazon.com/elasticbeanstalk/latest/dg/command-options-general.html
    (*unverified*: names and defaults of the options)
    """
    options = dict(_options(resource.inputs.get("settings")))
    if resource.inputs.get("tier") == "Worker" or not _has_own_balancer(options):
        return Rows()
    hidden = UNKNOWN in options.values() or ("", "") in options
    hides = hidden or resource.inputs.get("templateName") is not None
    plain, secure = _serves_plain(options), [*_secure(options)]
    if plain is False and not secure:
        return Rows()
    encrypted: Known = plain is False or (UNKNOWN if secure or hides else False)
    row = listener_row(
        "aws",
        resource,
        public=UNKNOWN if hides else options.get((_VPC, "ELBScheme")) != "internal",
        encrypted=encrypted,
        modern=None
        if encrypted is False
        else all_of(_is_modern(options, each) for each in secure),
    )
    return Rows(listeners=(row,))


def _options(settings: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield the options by namespace and name; one without them for what is not known."""
    for setting in as_list(settings):
        namespace, name = text(at(setting, "namespace")), text(at(setting, "name"))
        if isinstance(namespace, str) and isinstance(name, str):
            yield (namespace, name), text(at(setting, "value"))
        else:
            yield ("", ""), UNKNOWN


def _has_own_balancer(options: _Options) -> bool:
    """Return whether it has a balancer that is not shared, whose listeners are other resources."""
    single = options.get((_ENVIRONMENT, "EnvironmentType")) == "SingleInstance"
    return not single and options.get((_ENVIRONMENT, "LoadBalancerIsShared")) != "true"


def _serves_plain(options: _Options) -> Known:
    """Return whether the default listener is on, and speaks no TLS."""
    own = [namespace for namespace in _listeners(options) if _place(namespace) in _DEFAULT]
    disabled = any_of(equals(options.get((each, "ListenerEnabled")), "false") for each in own)
    return all_of(map(opposite, (disabled, any_of(_speaks_tls(options, each) for each in own))))


def _secure(options: _Options) -> Iterator[str]:
    return (each for each in _listeners(options) if _speaks_tls(options, each) is not False)


def _listeners(options: _Options) -> list[str]:
    return sorted({namespace for namespace, _ in options if _LISTENER.fullmatch(namespace)})


def _place(namespace: str) -> str:
    return namespace.partition("listener")[2].removeprefix(":")


def _speaks_tls(options: _Options, namespace: str) -> Known:
    stated = [options.get((namespace, key)) for key in _PROTOCOLS]
    return any_of(
        UNKNOWN if isinstance(each, Unknown) else each in _TLS for each in stated if each
    )


def _is_modern(options: _Options, namespace: str) -> Known:
    """Return whether a listener refuses old TLS; that of a classic balancer has other options."""
    policy = options.get((namespace, "SSLPolicy"))
    if isinstance(policy, Unknown) or "elbv2" not in namespace:
        return UNKNOWN
    return policy is not None and MODERN.match(policy) is not None

"""The load balancers that Elastic Beanstalk makes for environments, and what they listen for.

https://docs.aws.amazon.com/elasticbeanstalk/latest/dg/command-options-general.html (names and
defaults of the options: command-options-general.md of the guide's source, 2026-11-27)
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.control_ports import SOURCES, open_port_text
from gpuinfra.clouds.observing.open_port_rows import ExposedPort, exposed_port_rows
from gpuinfra.clouds.observing.rows import listener_row
from gpuinfra.clouds.observing.ssl_policies import name_refuses_old
from gpuinfra.clouds.observing.values import (
    all_of,
    as_list,
    at,
    equals,
    opposite,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown

_ENVIRONMENT: Final = "aws:elasticbeanstalk:environment"
_PROCESS: Final = f"{_ENVIRONMENT}:process:"
_RULE: Final = "aws:elbv2:listenerrule:"
_VPC: Final = "aws:ec2:vpc"
_MACHINES: Final = "aws:autoscaling:launchconfiguration"
_BALANCERS: Final = ("aws:elb:loadbalancer", "aws:elbv2:loadbalancer")
_LISTENER: Final = re.compile(r"aws:elb(?P<later>v2)?:listener(?::(?P<place>default|\d+))?")
_DEFAULT: Final = "aws:elbv2:listener:default"
_USUAL: Final = 80
_PROTOCOLS: Final = ("Protocol", "ListenerProtocol")
_ENABLED: Final = "ListenerEnabled"
_PASSED_ON: Final = "TCP"
_TLS: Final = frozenset({"HTTPS", "SSL", "TLS"})
_HIDDEN: Final = ("", "")
"""The key of a setting that is not known yet, which may be any."""

_SHAPES: Final = frozenset(
    {
        _HIDDEN,
        (_VPC, "ELBScheme"),
        *((_ENVIRONMENT, each) for each in ("EnvironmentType", "LoadBalancerType")),
        (_ENVIRONMENT, "LoadBalancerIsShared"),
    }
)
_OF_LISTENER: Final = frozenset({_ENABLED, *_PROTOCOLS})
_Options = Mapping[tuple[str, str], Any]


def environment(resource: Resource) -> Rows:
    """Return what the internet reaches of an environment: by default HTTP on port 80.

    That listener can be disabled. Beside one with TLS the app may redirect, which no input tells.
    https://docs.aws.amazon.com/elasticbeanstalk/latest/dg/environments-cfg-clb.html (read
    2026-11-27)
    """
    options = dict(_options(resource.inputs.get("settings")))
    hides = _hides_balancer(options) or resource.inputs.get("templateName") is not None
    port_facts = [*_logins(resource.name, options)]
    if resource.inputs.get("tier") == "Worker" or not _has_own_balancer(options):
        return Rows(open_ports=tuple(exposed_port_rows("aws", resource, port_facts)))
    internal = equals(options.get((_VPC, "ELBScheme")), "internal")
    public: Known = UNKNOWN if hides else opposite(internal)
    port_facts += _forwarded_ports(resource.name, options, public)
    return Rows(
        listeners=tuple(_rows(resource, options, public, hides=hides)),
        open_ports=tuple(exposed_port_rows("aws", resource, port_facts)),
    )


def _rows(resource: Resource, options: _Options, public: Known, *, hides: bool) -> Iterator[Any]:
    """Yield the frontend of an environment, whose listeners are judged together."""
    enabled = [item for item in _listeners(options) if _is_enabled(options, item) is not False]
    secure = [item for item in enabled if _speaks_tls(options, item) is not False]
    tls = [_speaks_tls(options, item) for item in enabled]
    if not enabled:
        return
    is_hidden = bool(secure) or hides
    encrypted = all_of(UNKNOWN if item is False and is_hidden else item for item in tls)
    modern = (
        None if encrypted is False else all_of(_refuses_old_tls(options, item) for item in secure)
    )
    yield listener_row("aws", resource, public=public, encrypted=encrypted, modern=modern)


def _logins(name: str, options: _Options) -> Iterator[ExposedPort]:
    """Yield the ports that the group of an environment's machines opens to everyone."""
    restriction = options.get((_MACHINES, "SSHSourceRestriction"))
    if isinstance(restriction, str):
        _, first, last, source = (
            *(login_port.strip() for login_port in restriction.split(",")),
            "",
            "",
            "",
            "",
        )[:4]
        low, high = whole_number(first), whole_number(last)
        if isinstance(low, int) and isinstance(high, int) and "/" in source:
            world = reaches_world((source,))
            for port in SOURCES:
                if low <= port <= high:
                    yield world, open_port_text(port, name, " on its machines")


def _forwarded_ports(name: str, options: _Options, public: Known) -> Iterator[ExposedPort]:
    """Yield the control ports of machines that listeners forward to.

    Who is let in is not known where a group of one's own stands before the balancer.
    """
    is_guarded = any(
        options.get((balancer_type, key)) is not None
        for balancer_type in _BALANCERS
        for key in ("ManagedSecurityGroup", "SecurityGroups")
    )
    for namespace in _listeners(options):
        is_reached = all_of(
            (public, _is_enabled(options, namespace), UNKNOWN if is_guarded else True)
        )
        for port in _machine_ports(options, namespace):
            if port in SOURCES:
                yield is_reached, open_port_text(port, name, " through its load balancer")


def _machine_ports(options: _Options, namespace: str) -> Iterator[int]:
    """Yield the ports of machines that a listener forwards to, by processes on later balancers."""
    match = _LISTENER.fullmatch(namespace)
    if match and not match["later"]:
        port = whole_number(options.get((namespace, "InstancePort")))
        machine_port = int(match["place"]) if (match["place"] or "").isdigit() else _USUAL
        yield port if isinstance(port, int) else machine_port
        return
    rules = text(options.get((namespace, "Rules"))) or ""
    rule_texts = rules.split(",") if isinstance(rules, str) else ()
    rule_names = [rule for rule_name in rule_texts if (rule := rule_name.strip())]
    names = [options.get((f"{_RULE}{rule_name}", "Process")) for rule_name in rule_names]
    for name in (options.get((namespace, "DefaultProcess")), *names):
        port = whole_number(options.get((f"{_PROCESS}{name or 'default'}", "Port")))
        yield port if isinstance(port, int) else _USUAL


def _options(settings: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield the options by namespace and name; one without them for what is not known."""
    for setting in as_list(settings):
        namespace, name = text(at(setting, "namespace")), text(at(setting, "name"))
        if isinstance(namespace, str) and isinstance(name, str):
            yield (namespace, name), text(at(setting, "value"))
        else:
            yield _HIDDEN, UNKNOWN


def _hides_balancer(options: _Options) -> bool:
    """Return whether an option is not known yet that says which balancer there is."""
    unknown_keys = (key for key, value in options.items() if isinstance(value, Unknown))
    return any(
        key in _SHAPES or (_LISTENER.fullmatch(key[0]) and key[1] in _OF_LISTENER)
        for key in unknown_keys
    )


def _has_own_balancer(options: _Options) -> bool:
    """Return whether it has a balancer that is not shared, whose listeners are other resources."""
    is_single_instance = options.get((_ENVIRONMENT, "EnvironmentType")) == "SingleInstance"
    return not is_single_instance and options.get((_ENVIRONMENT, "LoadBalancerIsShared")) != "true"


def _listeners(options: _Options) -> list[str]:
    """Return the namespaces of listeners, with one for that on port 80, which is always there."""
    namespaces = {namespace for namespace, _ in options if _LISTENER.fullmatch(namespace)}
    has_usual_listener = any(
        _place(listener) in {None, "default", str(_USUAL)} for listener in namespaces
    )
    return sorted(namespaces if has_usual_listener else {*namespaces, _DEFAULT})


def _place(namespace: str) -> str | None:
    match = _LISTENER.fullmatch(namespace)
    return match["place"] if match else None


def _is_enabled(options: _Options, namespace: str) -> Known:
    return opposite(equals(options.get((namespace, _ENABLED)), "false"))


def _speaks_tls(options: _Options, namespace: str) -> Known:
    """Return whether a listener speaks TLS; UNKNOWN where it passes connections on."""
    protocols = [options.get((namespace, key)) for key in _PROTOCOLS]
    listener_protocol = next((protocol for protocol in protocols if protocol is not None), None)
    if listener_protocol is None and options.get((_ENVIRONMENT, "LoadBalancerType")) == "network":
        listener_protocol = _PASSED_ON
    return (
        UNKNOWN
        if isinstance(listener_protocol, Unknown) or listener_protocol == _PASSED_ON
        else listener_protocol in _TLS
    )


def _refuses_old_tls(options: _Options, namespace: str) -> Known:
    """Return whether a listener refuses old TLS; that of a classic balancer has other options."""
    if _speaks_tls(options, namespace) is UNKNOWN or "elbv2" not in namespace:
        return UNKNOWN
    return name_refuses_old(options.get((namespace, "SSLPolicy")))

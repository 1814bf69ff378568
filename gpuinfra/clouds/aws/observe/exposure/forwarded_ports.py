"""The login, control and data ports that a load balancer forwards from the internet.

Its targets let in the balancer alone, so that their own firewalls tell nothing of who comes.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.network import target_groups, traffic
from gpuinfra.clouds.observing.address_ranges import are_world, read_range
from gpuinfra.clouds.observing.control_ports import SOURCES, control_ports_in, forwarded_port_text
from gpuinfra.clouds.observing.open_port_rows import ExposedPort, exposed_port_rows
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    flag,
    opposite,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, OpenPorts, Resource, Unknown

_LOGIN_ACTION_PREFIXES: Final = ("authenticate-", "jwt-")
"""Prefixes of actions that authenticate the client first:
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-action-types.html"""
_OWN_ADDRESS: Final = frozenset({"TCP", "TLS"})
"""Protocols by which targets that are addresses see the balancer's address, by default:
https://docs.aws.amazon.com/elasticloadbalancing/latest/network/edit-target-group-attributes.html"""
_BINDINGS: Final = (
    "kubernetes:elbv2.k8s.aws/v1beta1:TargetGroupBinding",
    "kubernetes:eks.amazonaws.com/v1:TargetGroupBinding",
)
_NAMES: Final = ("targetGroupARN", "targetGroupName")
_ForwardingPath = tuple[Known, Resource, int]


def exposed_ports(index: Index) -> Iterator[OpenPorts]:
    """Yield the listeners and classic balancers that let the internet log in."""
    for kind, find in (
        (resource_types.LISTENER, _listener_ports),
        (resource_types.CLASSIC_BALANCER, _classic_balancer_ports),
    ):
        for frontend in index.of_kind(kind):
            yield from exposed_port_rows("aws", frontend, find(frontend, index))


def served_port_text(port: int, target: Resource, frontend: Resource) -> str:
    """Return the words for a control port that is served through a frontend."""
    return forwarded_port_text(port, target.name, frontend.name)


def _classic_balancer_ports(balancer: Resource, index: Index) -> Iterator[ExposedPort]:
    """Yield the forwarded ports of a classic balancer, from its inline listeners.

    https://docs.aws.amazon.com/elasticloadbalancing/latest/classic/elb-listener-config.html
    (*unverified*)
    """
    public = opposite(flag(balancer.inputs.get("internal")))
    for entry in as_list(balancer.inputs.get("listeners")):
        port = whole_number(at(entry, "instancePort"))
        if isinstance(port, int) and port in SOURCES:
            is_reached = lets_in(balancer, whole_number(at(entry, "lbPort")), index)
            yield all_of((public, is_reached)), served_port_text(port, balancer, balancer)


def _listener_ports(listener: Resource, index: Index) -> Iterator[ExposedPort]:
    for passes_on, group, port in _own_ports(listener, index):
        yield (
            all_of((passes_on, _reaches_group(listener, group, index))),
            served_port_text(port, group, listener),
        )
    for balancer, inner_listener in _inner_balancers(listener, index):
        is_reached = _reaches_inner(listener, (balancer, inner_listener), index)
        for passes_on, group, port in (
            _own_ports(inner_listener, index) if is_reached is not False else ()
        ):
            yield all_of((passes_on, is_reached)), served_port_text(port, group, listener)


def control_ports(listener: Resource, index: Index) -> Iterator[tuple[Known, Resource, int]]:
    """Yield the control ports behind a listener, with their target groups.

    The fact is whether it hands on what anyone sends, without a login or a condition.
    """
    yield from _own_ports(listener, index)
    for _, inner_listener in _inner_balancers(listener, index):
        yield from _own_ports(inner_listener, index)


def _inner_balancers(listener: Resource, index: Index) -> Iterator[tuple[Resource, Resource]]:
    """Yield the application load balancers behind a network balancer, with their listeners."""
    for group in target_groups.forwarded_groups(listener, index):
        yield from target_groups.load_balancer_targets(group, index)


def _own_ports(listener: Resource, index: Index) -> Iterator[_ForwardingPath]:
    if at(listener.inputs.get("mutualAuthentication"), "mode") == "verify":
        return
    rules = index.referrers(listener, resource_types.LISTENER_RULE, "listenerArn").certain
    forwards = ((listener, "defaultActions"), *((rule, "actions") for rule in rules))
    for holder, key in forwards:
        passes_on = _forwards_anyone(holder, key, index)
        for is_target, group in (
            target_groups.possible_groups(holder, key, index) if passes_on is not False else ()
        ):
            for port in _ports(group, index):
                yield all_of((passes_on, is_target)), group, port


def _forwards_anyone(holder: Resource, key: str, index: Index) -> Known:
    """Return whether a listener or rule forwards anyone's requests, without login or filter."""
    actions = as_list(holder.inputs.get(key))
    logins = [
        action for action in actions if str(at(action, "type")).startswith(_LOGIN_ACTION_PREFIXES)
    ]
    return all_of((_meets_conditions(holder), *_lets_on(holder, key, logins, index)))


def _lets_on(holder: Resource, key: str, logins: Sequence[Any], index: Index) -> Iterator[Known]:
    if logins:
        from gpuinfra.clouds.aws.observe.exposure import login_actions  # noqa: PLC0415  (few have any)

        for login in logins:
            yield login_actions.lets_anyone_on(holder, key, login, index)


def _meets_conditions(holder: Resource) -> Known:
    """Return whether anyone's requests meet the conditions of a rule."""
    conditions = as_list(holder.inputs.get("conditions"))
    sources = [at(condition, "sourceIp", "values") for condition in conditions]
    source_ranges = [value for values in sources for value in as_list(values)]
    ranges = [read_range(value) for value in source_ranges]
    if source_ranges and not are_world(
        [port_range for port_range in ranges if port_range is not None]
    ):
        return UNKNOWN if None in ranges else False
    has_header_condition = any(at(condition, "httpHeader") is not None for condition in conditions)
    return UNKNOWN if has_header_condition else True


def _ports(group: Resource, index: Index) -> Iterator[int]:
    """Yield the control ports of a group's targets, each of which may have its own port."""
    if group.inputs.get("targetType") == "alb":
        return
    group_port = whole_number(group.inputs.get("port"))
    attached = target_groups.attachments(group, index)
    attached_ports = [whole_number(listener.inputs.get("port")) for listener in attached]
    attached_ports += [*_task_ports(group, index), *_pod_ports(group, index)]
    attached_ports = attached_ports or [group_port]
    ports = [group_port if port is None else port for port in attached_ports]
    yield from control_ports_in(ports)


def named_group_ports(
    holder: Resource, index: Index, reference: Any
) -> Iterator[tuple[Known, str, int]]:
    """Yield the control ports of a target group that an object of a cluster names."""
    for group in index.targets(holder, "metadata", target_groups.TARGET_GROUP, reference).certain:
        for port in _ports(group, index):
            yield UNKNOWN if isinstance(reference, Unknown) else True, group.name, port


def _task_ports(group: Resource, index: Index) -> Iterator[int | Unknown | None]:
    """Yield the ports by which services of ECS register their tasks in a target group.

    https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_LoadBalancer.html
    """
    for service in index.of_kind(resource_types.ECS_SERVICE):
        for entry in as_list(service.inputs.get("loadBalancers")):
            arn = at(entry, "targetGroupArn")
            target_groups_of_service = (
                index.targets(service, "loadBalancers", target_groups.TARGET_GROUP, arn)
                if arn is not None
                else None
            )
            if target_groups_of_service is not None and group in target_groups_of_service.certain:
                yield whole_number(at(entry, "containerPort"))


def _pod_ports(group: Resource, index: Index) -> Iterator[int | Unknown]:
    """Yield the ports of the pods that a binding registers in a target group.

    https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/targetgroupbinding/targetgroupbinding/
    """
    for binding in (pod_group for kind in _BINDINGS for pod_group in index.of_kind(kind)):
        spec = binding.inputs.get("spec")
        group_reference = next(
            (at(spec, key) for key in _NAMES if at(spec, key) is not None), None
        )
        kind = resource_types.canonical(group.type)
        if (
            group_reference is not None
            and group in index.targets(binding, "spec", kind, group_reference).certain
        ):
            from gpuinfra.clouds.observing import routed_ports  # noqa: PLC0415  (few have any)

            service = at(spec, "serviceRef")
            backend = {"name": at(service, "name"), "port": at(service, "port")}
            yield from routed_ports.pod_ports(backend, index)


def _reaches_group(listener: Resource, group: Resource, index: Index) -> Known:
    port = whole_number(listener.inputs.get("port"))

    def is_reached(balancer: Resource) -> Known:
        public = opposite(flag(balancer.inputs.get("internal")))
        has_no_security_groups = not as_list(balancer.inputs.get("securityGroups"))
        if has_no_security_groups and balancer.inputs.get("loadBalancerType") == "network":
            return all_of((public, _sees_balancer(group)))
        return all_of((public, lets_in(balancer, port, index)))

    return index.targets(listener, "loadBalancerArn", resource_types.BALANCER).any_target(
        is_reached
    )


def _reaches_inner(listener: Resource, pair: tuple[Resource, Resource], index: Index) -> Known:
    """Return whether the internet reaches a balancer's listener through a network balancer's.

    The inner one sees the address of the client, or lets in the security groups of the outer one:
    https://docs.aws.amazon.com/elasticloadbalancing/latest/network/load-balancer-security-groups.html
    """
    balancer, inner_listener = pair
    port = whole_number(inner_listener.inputs.get("port"))
    world = lets_in(balancer, port, index)

    def is_reached(outer: Resource) -> Known:
        public = opposite(flag(outer.inputs.get("internal")))
        if not as_list(outer.inputs.get("securityGroups")):
            return all_of((public, world))
        entered = lets_in(outer, whole_number(listener.inputs.get("port")), index)
        handed = _lets_groups_in(balancer, port, index) and UNKNOWN
        return all_of((public, entered, any_of((world, handed))))

    return index.targets(listener, "loadBalancerArn", resource_types.BALANCER).any_target(
        is_reached
    )


def _lets_groups_in(balancer: Resource, port: int | Unknown | None, index: Index) -> Known:
    groups = index.targets(balancer, "securityGroups", resource_types.SECURITY_GROUP)
    if not isinstance(port, int):
        return UNKNOWN
    return groups.any_target(lambda group: traffic.lets_groups_in(group, port, index))


def lets_in(balancer: Resource, port: int | Unknown | None, index: Index) -> Known:
    """Return whether a balancer lets anyone in; UNKNOWN with a firewall or its network's group."""
    group_ids = as_list(balancer.inputs.get("securityGroups"))
    filtered = index.referrers(
        balancer, resource_types.FIREWALL_ASSOCIATION, "resourceArn"
    ).certain
    if filtered or not group_ids or not isinstance(port, int):
        return UNKNOWN
    groups = index.targets(balancer, "securityGroups", resource_types.SECURITY_GROUP)
    return groups.any_target(lambda group: traffic.lets_anyone_in(group, port, index))


def _sees_balancer(group: Resource) -> Known:
    """Return whether targets see a network balancer's address in place of the client's."""
    preserved = flag(group.inputs.get("preserveClientIp"))
    if preserved is not None:
        return opposite(preserved)
    protocol = text(group.inputs.get("protocol"))
    return group.inputs.get("targetType") == "ip" and protocol in _OWN_ADDRESS

"""The path of a request to machines: listener, load balancer, target group, security groups."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.network import target_groups, traffic
from gpuinfra.clouds.observing.fault_texts import Remark, blocked
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.values import at, whole_number
from gpuinfra.model import UNKNOWN, Known, Resource

_APPLICATION_BALANCERS: Final = (None, "application")


def machine_request_paths(
    resource: Resource, security_groups: Sequence[Targets], index: Index
) -> Iterator[Remark]:
    """Yield how requests reach machines, and what blocks them.

    It yields nothing for resources outside of the stack.
    """
    targets = index.targets(resource, "targetGroupArns", target_groups.TARGET_GROUP)
    if not targets.exact:
        return
    for target in targets.certain:
        listeners = list(_listeners(target, index))
        if not listeners and not index.of_kind(resource_types.LISTENER_RULE):
            yield blocked(
                f"no listener forwards to the target group {target.name}",
                f"add a listener that forwards to the target group {target.name}",
            )
        for listener in listeners:
            yield from _listener_paths(listener, target, security_groups, index)


def _listeners(target: Resource, index: Index) -> Iterator[Resource]:
    for resource in index.of_kind(resource_types.LISTENER):
        forwarded = target_groups.forwarded_groups(resource, index)
        if target.urn in {listener.urn for listener in forwarded}:
            yield resource


def _listener_paths(
    listener: Resource, target: Resource, security_groups: Sequence[Targets], index: Index
) -> Iterator[Remark]:
    port = whole_number(listener.inputs.get("port"))
    serves = whole_number(target.inputs.get("port"))
    protocol = listener.inputs.get("protocol")
    balancers = index.targets(listener, "loadBalancerArn", resource_types.BALANCER)
    if listener.inputs.get("loadBalancerArn") is None:
        yield blocked(
            f"the listener {listener.name} belongs to no load balancer",
            f"set loadBalancerArn of the listener {listener.name}",
        )
    for balancer in balancers.certain:
        groups = index.targets(balancer, "securityGroups", resource_types.SECURITY_GROUP)
        if (
            balancer.inputs.get("subnets") is None
            and balancer.inputs.get("subnetMappings") is None
        ):
            yield blocked(
                f"the load balancer {balancer.name} is in no subnet",
                f"set subnets of the load balancer {balancer.name}",
            )
        if balancer.inputs.get("loadBalancerType") not in _APPLICATION_BALANCERS:
            continue
        if isinstance(port, int) and isinstance(serves, int):
            yield from _let_through(groups, (port, serves), security_groups, index)
    check = target.inputs.get("healthCheck")
    path = at(check, "path")
    yield (
        True,
        f"requests by {protocol} {port} to {target.inputs.get('protocol')} {serves}"
        + (f", healthy where {path} answers {at(check, 'matcher') or 200}" if path else ""),
    )


def _let_through(
    groups: Targets, ports: tuple[int, int], security_groups: Sequence[Targets], index: Index
) -> Iterator[Remark]:
    """Yield what security groups block: traffic to the balancer, and from it to the machines."""
    listens, serves = ports
    if groups.exact and groups.certain:
        if _any_opens(groups, listens, index, traffic.lets_in) is False:
            yield blocked(
                f"the load balancer's security group allows no inbound TCP {listens}",
                f"allow inbound TCP {listens} in the load balancer's security group",
            )
        if _any_opens(groups, serves, index, traffic.lets_out) is False:
            yield blocked(
                f"the load balancer's security group allows no outbound TCP {serves}",
                f"allow outbound TCP {serves} in the load balancer's security group",
            )
    if security_groups and all(
        security_group.exact and security_group.certain for security_group in security_groups
    ):
        facts = [
            _any_opens(security_group, serves, index, traffic.lets_in)
            for security_group in security_groups
        ]
        if all(fact is False for fact in facts):
            yield blocked(
                f"the machines' security groups allow no inbound TCP {serves}",
                f"allow inbound TCP {serves} in the machines' security groups",
            )


def _any_opens(groups: Targets, port: int, index: Index, opens: Any) -> Known:
    facts = [opens(group, port, index) for group in groups.certain]
    if True in facts:
        return True
    return UNKNOWN if UNKNOWN in facts else False

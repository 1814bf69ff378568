"""The target groups of listeners and rules, and the application load balancers among targets.

https://docs.aws.amazon.com/elasticloadbalancing/latest/network/application-load-balancer-target.html
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.possible_targets import possible_targets
from gpuinfra.clouds.observing.values import as_list, at, whole_number
from gpuinfra.model import Known, Resource

TARGET_GROUP: Final = "aws:lb/targetGroup:TargetGroup"
_ATTACHMENT: Final = "aws:lb/targetGroupAttachment:TargetGroupAttachment"
_ALB: Final = "alb"


def forwarded_groups(listener: Resource, index: Index) -> Iterator[Resource]:
    """Yield the target groups that the default actions of a listener surely forward to."""
    groups = possible_groups(listener, "defaultActions", index)
    yield from (group for fact, group in groups if fact is True)


def possible_groups(holder: Resource, key: str, index: Index) -> Iterable[tuple[Known, Resource]]:
    """Return the target groups that actions may forward to, each with whether they surely do."""
    arns: list[Any] = []
    for action in as_list(holder.inputs.get(key)):
        arns.append(at(action, "targetGroupArn"))
        arns += [at(each, "arn") for each in as_list(at(action, "forward", "targetGroups"))]
    facts: dict[str, tuple[Known, Resource]] = {}
    for arn in arns:
        for fact, group in (
            possible_targets(index, holder, key, TARGET_GROUP, arn) if arn is not None else ()
        ):
            if fact is True or group.urn not in facts:
                facts[group.urn] = fact, group
    return facts.values()


def attachments(group: Resource, index: Index) -> Sequence[Resource]:
    """Return the attachments of targets to a target group."""
    return index.referrers(group, _ATTACHMENT, "targetGroupArn").certain


def listeners_before(listener: Resource, index: Index) -> list[Resource]:
    """Return the listeners of network load balancers that pass connections on to a listener."""

    def find() -> dict[str, list[Resource]]:
        passing: dict[str, list[Resource]] = {}
        for outer in (
            index.of_kind(resource_types.LISTENER) if _has_balancer_target_group(index) else ()
        ):
            for group in forwarded_groups(outer, index):
                for _, inner_listener in load_balancer_targets(group, index):
                    passing.setdefault(inner_listener.urn, []).append(outer)
        return passing

    return index.memo("listeners before others", find).get(listener.urn, [])


def _has_balancer_target_group(index: Index) -> bool:
    return any(group.inputs.get("targetType") == _ALB for group in index.of_kind(TARGET_GROUP))


def load_balancer_targets(group: Resource, index: Index) -> Iterator[tuple[Resource, Resource]]:
    """Yield the application load balancers in a target group, each with the listener reached.

    It is the listener on the port of the target.
    """
    if group.inputs.get("targetType") != _ALB:
        return
    group_port = whole_number(group.inputs.get("port"))
    for attachment in attachments(group, index):
        attachment_port = whole_number(attachment.inputs.get("port"))
        port = group_port if attachment_port is None else attachment_port
        for balancer in index.targets(attachment, "targetId", resource_types.BALANCER).certain:
            for listener in index.referrers(
                balancer, resource_types.LISTENER, "loadBalancerArn"
            ).certain:
                if isinstance(port, int) and whole_number(listener.inputs.get("port")) == port:
                    yield balancer, listener

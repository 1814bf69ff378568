"""The schedules that start stopped machines, of this stack or of another one.

https://docs.cloud.google.com/compute/docs/instances/schedule-instance-start-stop
"""

from collections.abc import Iterable, Iterator
from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.deadlines import has_no_day, is_far, is_over
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import Resource

_MACHINES: Final = (resource_types.INSTANCE, resource_types.FROM_TEMPLATE)
_STARTS: Final = "its schedule starts a machine that is not declared here"
_MAY_START: Final = "its policy, which is not declared here, may start a machine of elsewhere"


def starts_again(resource: Resource, launches: Iterable[LaunchSources], index: Index) -> bool:
    """Return whether a schedule of the stack starts a machine again after it was stopped."""
    return any(map(_starts, _policies_of(resource, launches, index)))


def _policies_of(
    resource: Resource, launches: Iterable[LaunchSources], index: Index
) -> Iterator[Resource]:
    for launch in launches:
        named = launch.targets(index, "resourcePolicies", resource_types.POLICY)
        yield from () if named is None else named.certain
    attached = index.referrers(resource, resource_types.POLICY_ATTACHMENT, "instance")
    for attachment in attached.certain:
        yield from index.targets(attachment, "name", resource_types.POLICY).certain


def _starts(policy: Resource) -> bool:
    """Return whether a policy has a schedule that starts machines, as far as it is known."""
    plan = policy.inputs.get("instanceSchedulePolicy")
    if is_far(at(plan, "startTime")) or is_over(at(plan, "expirationTime")):
        return False
    schedule = at(plan, "vmStartSchedule")
    return bool(schedule) and not has_no_day(at(schedule, "schedule"))


def foreign_start(attachment: Resource, index: Index) -> str:
    """Return why an attached policy may start a machine of elsewhere; empty if it can't."""
    machines = (index.targets(attachment, "instance", kind) for kind in _MACHINES)
    if any(own.certain or own.possible or own.namesakes for own in machines):
        return ""
    named = index.targets(attachment, "name", resource_types.POLICY)
    policies = (*named.certain, *named.possible, *named.namesakes)
    if not policies:
        return _MAY_START
    return _STARTS if any(map(_starts, policies)) else ""

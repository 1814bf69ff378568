"""The match of the resources in an IAM statement with machines that an API call stops.

Of machines that are not made yet the id is not known: no ARN that a program writes out has it.
"""

from typing import Any, Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.observing.name_patterns import PROBE_NAME, matches_pattern
from gpuinfra.clouds.observing.values import any_of, as_list, at, opposite
from gpuinfra.model import NOWHERE, UNKNOWN, Known, Resource

_FORMS: Final = {
    "ec2:terminateInstances": "instance/{id}",
    "ec2:stopInstances": "instance/{id}",
    "ec2:deleteFleets": "fleet/{id}",
    "ec2:cancelSpotFleetRequests": "spot-fleet-request/{id}",
    "autoscaling:deleteAutoScalingGroup": "autoScalingGroup:{id}:autoScalingGroupName/{name}",
    "autoscaling:updateAutoScalingGroup": "autoScalingGroup:{id}:autoScalingGroupName/{name}",
    "autoscaling:setDesiredCapacity": "autoScalingGroup:{id}:autoScalingGroupName/{name}",
    "eks:deleteNodegroup": "nodegroup/{clusterName}/{nodeGroupName}/{id}",
}
"""The form of the last ARN part of a resource that an action ends:
https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html
https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2autoscaling.html
https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelastickubernetesservice.html"""
_ARN_FORMS_WITH_ID: Final = frozenset({"instance/{id}", "fleet/{id}", "spot-fleet-request/{id}"})
_FIELDS: Final = 6
_VARIABLE: Final = "${"


def is_about(statement: Any, action: str, machines: Resource, index: Index) -> Known:
    """Return whether a statement's resources include the machines that an action stops."""
    excluded = as_list(at(statement, "NotResource"))
    if excluded:
        is_excluded = any_of(
            _matches_machines(pattern, action, machines, index) for pattern in excluded
        )
        return opposite(is_excluded)
    patterns = as_list(at(statement, "Resource"))
    return any_of(_matches_machines(pattern, action, machines, index) for pattern in patterns)


def _matches_machines(pattern: Any, action: str, machines: Resource, index: Index) -> Known:
    if not isinstance(pattern, str):
        return UNKNOWN
    if not pattern.strip("*"):
        return True
    parts = pattern.split(":", _FIELDS - 1)
    if len(parts) < _FIELDS or _VARIABLE in pattern or action not in _FORMS:
        return UNKNOWN
    _, _, service, region, _, tail = parts
    machines_region = locations.region_of(machines, index)
    is_elsewhere = (
        machines_region != NOWHERE
        and not matches_pattern(region, machines_region)
        and not machines_region.startswith(f"{region}-")
    )
    if is_elsewhere or not matches_pattern(service, action.partition(":")[0]):
        return False
    return _takes_tail(tail, _FORMS[action], machines)


def _takes_tail(pattern: str, form: str, machines: Resource) -> Known:
    """Return whether the last part of a pattern matches that of the machines' ARN."""
    machine_id = machines.outputs.get("id")
    is_id_known = form in _ARN_FORMS_WITH_ID and isinstance(machine_id, str)
    if matches_pattern(
        pattern, form.format_map(_Parts(machines, machine_id if is_id_known else None))
    ):
        return True
    start = pattern.split("*", maxsplit=1)[0].split("?", maxsplit=1)[0]
    kind = form.split("{", maxsplit=1)[0]
    if is_id_known or start == pattern or not (start.startswith(kind) or kind.startswith(start)):
        return False
    return UNKNOWN


class _Parts(dict[str, str]):
    """The parts of an ARN as far as they are known, else a placeholder that matches nothing."""

    def __init__(self, machines: Resource, own_value: str | None) -> None:
        values = {key: value for key, value in machines.inputs.items() if isinstance(value, str)}
        super().__init__({**values, "id": own_value or PROBE_NAME})

    def __missing__(self, key: str) -> str:
        return PROBE_NAME

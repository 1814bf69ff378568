"""Resize requests: machines that Google adds to a managed group once it has all of them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch.launch_options import GroupRequest
from gpuinfra.clouds.gcp.observe.launch.purchase_options import SPOT, lasts_wrongly
from gpuinfra.clouds.observing.fault_texts import (
    Check,
    faults_of_checks,
    joined_faults,
    rule_faults,
)
from gpuinfra.clouds.observing.values import as_list, at, equals, text, whole_number
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_SPREADS: Final = (
    "resize requests of a regional group without distribution_policy_target_shape ANY_SINGLE_ZONE"
)
_MOVES: Final = (
    "resize requests of a regional group that redistributes: set instance_redistribution_type to"
    " NONE"
)


def with_resize_request(
    request: Resource, group: Resource, group_request: GroupRequest, index: Index
) -> GroupRequest:
    """Return a resize request's machines, with the settings that Google refuses.

    https://docs.cloud.google.com/compute/docs/instance-groups/about-resize-requests-mig
    """
    faults = faults_of_checks(_checks(request, group, group_request, index))
    market = replace(
        group_request.market,
        ways=("flex-start",),
        faults=joined_faults(group_request.market.faults, rule_faults("flex-start", faults)),
    )
    return replace(group_request, market=market)


def has_run_duration(request: Resource) -> Known:
    """Return whether a request's machines are returned after a time."""
    seconds = at(request.inputs.get("requestedRunDuration"), "seconds")
    return UNKNOWN if isinstance(seconds, Unknown) else seconds is not None


def _checks(
    request: Resource, group: Resource, group_request: GroupRequest, index: Index
) -> Iterator[Check]:
    scaled = index.referrers(group, resource_types.AUTOSCALER, "target")
    beside: Known = True if scaled.certain else False if scaled.complete else UNKNOWN
    yield beside, "an autoscaler together with resize requests"
    waits = equals(group.inputs.get("waitForInstances"), True)
    yield waits, "resize requests of a group that waits for its machines"
    yield group_request.market.model == SPOT, "resize requests for spot machines"
    for option in group_request.options:
        kind = text(at(option.launch.get("reservationAffinity"), "type"))
        reserved: Known = equals(kind, "SPECIFIC_RESERVATION")
        yield reserved, "resize requests from a reservation"
    seconds = whole_number(at(request.inputs.get("requestedRunDuration"), "seconds"))
    if seconds is not None:
        yield lasts_wrongly(seconds), "a requested_run_duration other than 600 to 604800 s"
    yield from _regional_group_checks(group)


def _regional_group_checks(group: Resource) -> Iterator[Check]:
    """Yield the checks of a regional group, whose request's machines stay in one zone."""
    if group.type != resource_types.REGION_GROUP:
        return
    shape = text(group.inputs.get("distributionPolicyTargetShape"))
    yield UNKNOWN if isinstance(shape, Unknown) else shape != "ANY_SINGLE_ZONE", _SPREADS
    policy = group.inputs.get("updatePolicy")
    types = [text(at(entry, "instanceRedistributionType")) for entry in as_list(policy)] or [None]
    for kind in types:
        yield UNKNOWN if isinstance(kind, Unknown) else kind != "NONE", _MOVES

"""What ends machines of Google Cloud after a time."""

from collections.abc import Iterable

from gpuinfra.clouds.gcp.observe import kinds, market
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.values import all_of, any_of, at
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown


def ends_of(launches: Iterable[Layers], bought: market.Market, index: Index) -> Known:
    """Say whether the machines end by themselves: all of them, however they start.

    After a run duration, at a time, or by a schedule that stops them. A reservation ends those
    that are bound to it; whether the reservation ends is not visible here.
    https://docs.cloud.google.com/compute/docs/instances/limit-vm-runtime
    https://docs.cloud.google.com/compute/docs/instances/schedule-instance-start-stop
    """
    bound: Known = UNKNOWN if bought.model == market.BOUND else False
    return all_of(
        any_of((market.ends(one.get("scheduling")), _scheduled(one, index), bound))
        for one in launches
    )


def _scheduled(launch: Layers, index: Index) -> Known:
    policies = launch.targets(index, "resourcePolicies", kinds.POLICY)
    return False if policies is None else policies.some(_stops)


def _stops(policy: Resource) -> Known:
    said = at(policy.inputs.get("instanceSchedulePolicy"), "vmStopSchedule")
    return UNKNOWN if isinstance(said, Unknown) else bool(said)

"""Builds what looks at the workloads that stand: alarms, idle stop, dashboard, report."""

from collections.abc import Mapping

from gpuinfra.clouds.order import Given, Guarded, Order, Served, Trained
from gpuinfra.model import Plan
from gpuinfra.stackfile.schema import Stack


def build_watch(
    order: Order,
    stack: Stack,
    plan: Plan,
    made: Mapping[str, Trained | Served],
    guarded: Guarded,
    given: Given,
) -> None:
    """Register what the stack file asks for under `monitoring` and `idle_stop`."""

"""Builds what keeps a stack to its budget and its time, before its workloads."""

from gpuinfra.clouds.aws.build.budget import build_budget
from gpuinfra.clouds.order import Given, Guarded, Order
from gpuinfra.model import Plan
from gpuinfra.stackfile.schema import Stack


def build_guards(order: Order, stack: Stack, plan: Plan, given: Given) -> Guarded:  # noqa: ARG001
    """Register the guards that the stack file asks for."""
    build_budget(order, plan.caps, given)
    return Guarded()

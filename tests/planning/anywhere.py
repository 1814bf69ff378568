"""Stacks that may stand on any cloud: written, planned, refused."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.catalog import CATALOG
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Group, Plan
from gpuinfra.planning import from_stack
from gpuinfra.specs.schema import Stack

REGIONS = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}
CHECKPOINTS = {"checkpoints": {"bucket": "data"}}
POOL = {"image": "vllm/vllm-openai:v0.11.0", "port": 8000, "scale_on": {"gpu_utilization": "70%"}}


def stack(*, where: Any = None, **sections: Any) -> Stack:
    """A stack whose workloads may stand in one region of each cloud."""
    return Stack.model_validate(
        {
            "version": 1,
            "name": "anywhere",
            "owner": "tests",
            "where": where or {"cloud": "any", "regions": list(REGIONS.values())},
            **sections,
        }
    )


def trained(*, where: Any = None, buckets: Any = None, **work: Any) -> Plan:
    """The plan of one training workload."""
    return from_stack(stack(where=where, training={"trainer": work}, buckets=buckets or {}))


def group(**work: Any) -> Group:
    return trained(**work).groups[0]


def refused(made: Stack, **more: Any) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        from_stack(made, **more)
    return caught.value.problems


def refusal(made: Stack) -> Problem:
    (problem,) = refused(made)
    return problem


def path(problem: Problem) -> str:
    return ".".join(map(str, problem.path))


def any_of(*regions: str) -> dict[str, Any]:
    return {"cloud": "any", "regions": list(regions)}


def recent_spot(cloud: str, machine: str, region: str, zones: tuple[str, ...] = ()) -> Any:
    """The spot price or, where none is known or it is 400 days older, the list price."""
    today, listed = (
        CATALOG.spot(cloud, machine, region, zones),
        CATALOG.on_demand(cloud, machine, region),
    )
    if today is None or listed is None:
        return today.per_unit if today else listed and listed.per_unit
    read, then = (date.fromisoformat(f"{price.as_of}-01-01"[:10]) for price in (today, listed))
    if (then - read).days > 400:
        return listed.per_unit
    return max(today.per_unit, today.maximum or Decimal(0))

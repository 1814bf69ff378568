"""Stack files that are planned, and what is wrong with those that can't be."""

import copy
from typing import Any

import pytest

from gpuinfra.errors import InputError, Problem
from gpuinfra.planning import from_stack
from gpuinfra.specs.schema import Stack

EXAMPLE: dict[str, Any] = {
    "version": 1,
    "name": "llama-sft",
    "owner": "ml-platform",
    "budget": {"per_hour": 260, "per_run": 16500, "per_month": 40000, "notify": ["a@example.com"]},
    "where": {"cloud": "aws", "regions": ["us-east-1"]},
    "training": {
        "trainer": {
            "gpu": "H100:8",
            "nodes": 4,
            "fabric": "required",
            "capacity": ["spot", "on-demand"],
            "max_price": 40,
            "duration": "72h",
            "data": [{"bucket": "data", "prefix": "tokens/", "mode": "read"}],
            "checkpoints": {"bucket": "data", "prefix": "checkpoints/", "every": "10m"},
        }
    },
    "inference": {
        "chat": {
            "gpu": "L4:1",
            "replicas": "1..20",
            "scale_on": {"gpu_utilization": "70%"},
            "capacity": {"on_demand_base": 1, "above": "spot"},
            "image": "vllm/vllm-openai:v0.11.0",
            "port": 8000,
        }
    },
    "buckets": {"data": {"size": "2TB"}},
}
OWN_IMAGE = ("training.trainer.machine_image", "ami-0123456789abcdef0")


def changed(*changes: tuple[str, Any]) -> Stack:
    """The example with values set at dotted paths."""
    raw = copy.deepcopy(EXAMPLE)
    for path, value in changes:
        *parents, last = path.split(".")
        place = raw
        for part in parents:
            place = place.setdefault(part, {})
        place[last] = value
    return Stack.model_validate(raw)


def refused(*changes: tuple[str, Any], rungs: dict[str, str] | None = None) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        from_stack(changed(*changes), rungs=rungs)
    assert not any(problem.structural for problem in caught.value.problems)
    return caught.value.problems

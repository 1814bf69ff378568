"""The words of `gpu` on their way into the choice, and the machines that a lock has."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.catalog import Book
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Plan, Price
from gpuinfra.planning import from_stack
from gpuinfra.stackfile.schema import Stack


def stack(gpu: Any, **more: Any) -> Stack:
    return Stack.model_validate(
        {
            "version": 1,
            "name": "demo",
            "owner": "me",
            "where": {"cloud": "aws", "regions": ["us-east-1"]},
            "training": {"t": {"gpu": gpu, "fabric": "none", **more}},
        }
    )


def machines(plan: Plan) -> list[str]:
    return [rung.machine for rung in plan.groups[0].rungs]


def problems(made: Stack, **more: Any) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        from_stack(made, **more)
    return caught.value.problems


@pytest.mark.parametrize(
    ("gpu", "machine"),
    [
        ({"memory": "16GB..", "count": 8}, "g4dn.metal"),
        ({"memory": "16GB..", "count": 8, "nvlink_domain": 8}, "p4d.24xlarge"),
        ({"memory": "24GB..", "count": 1, "fabric": "efa"}, "g6.8xlarge"),
        ({"memory": "40GB..", "count": 8, "fabric_speed": "3200Gbps"}, "p5.48xlarge"),
        (
            {"memory": "40GB..", "count": 8, "precision": "fp8", "nvlink": True},
            "p5.48xlarge",
        ),
        ({"memory": "24GB..", "count": 1}, "g6.xlarge"),
        ({"memory": "24GB..", "count": 1, "vcpu_per_gpu": 8}, "g6.2xlarge"),
        ({"memory": "24GB..", "count": 1, "ram_per_gpu": "64GiB"}, "g6.4xlarge"),
        ({"model": "T4G", "architecture": "arm64"}, "g5g.xlarge"),
        ({"for_model": "70B", "memory": "80GB.."}, "p6-b200.48xlarge"),
    ],
)
def test_each_word_narrows_the_choice(gpu: dict[str, Any], machine: str) -> None:
    assert machines(from_stack(stack(gpu, machine_image="ami-0123456789abcdef0"))) == [machine]


def test_a_model_counts_all_nodes_of_the_workload() -> None:
    wish = {"for_model": {"parameters": "70B"}, "model": "A100-80GB"}

    (problem,) = problems(stack(wish, nodes=1))
    assert "3 machines would do" in problem.fix
    assert machines(from_stack(stack(wish, nodes=3))) == ["p4de.24xlarge"]


def test_a_ceiling_that_nothing_meets_says_what_machines_cost() -> None:
    (problem,) = problems(stack({"model": "H100", "count": 8, "max_per_hour": 40}))

    assert problem.path == ("training", "t", "gpu")
    assert "p5.48xlarge costs $55.04 an hour, more than $40.00 (price)" in problem.fix


@pytest.mark.parametrize(
    ("gpu", "path", "suggestion"),
    [
        ({"model": "H100", "fabric": "ifiniband"}, ("gpu", "fabric"), ""),
        ({"model": "H100", "fabric": "eaf"}, ("gpu", "fabric"), "efa"),
        ({"for_model": "llama-9"}, ("gpu", "for_model", "name"), ""),
        ({"for_model": {"parameters": "7B", "task": "serve", "sharding": "zero-3"}},
         ("gpu", "for_model", "sharding"), ""),
    ],
)  # fmt: skip
def test_an_unknown_word_is_told_at_its_place(
    gpu: dict[str, Any], path: tuple[str, ...], suggestion: str
) -> None:
    (problem,) = problems(stack(gpu))

    assert problem.path == ("training", "t", *path)
    assert problem.allowed
    assert not suggestion or problem.suggestion == suggestion


LOCKED = {("t", "spot@us-east-1"): "g6.12xlarge", ("t", "on-demand@us-east-1"): "g6.4xlarge"}


def test_a_locked_rung_takes_its_machine_without_choosing() -> None:
    made = stack("L4:1", capacity=["spot", "on-demand"])

    assert machines(from_stack(made)) == ["g6.xlarge", "g6.xlarge"]
    assert machines(from_stack(made, locked=LOCKED)) == ["g6.12xlarge", "g6.4xlarge"]
    only = {("t", "spot@us-east-1"): "g6.12xlarge", ("other", "on-demand@us-east-1"): "g5.xlarge"}
    assert machines(from_stack(made, locked=only)) == ["g6.12xlarge", "g6.xlarge"]


def test_a_preferred_fabric_is_that_of_the_locked_machines() -> None:
    made = stack({"model": "L4"}, nodes=2, fabric="preferred")

    with_one = from_stack(made, locked={("t", "on-demand@us-east-1"): "g6.8xlarge"})
    without = from_stack(made, locked={("t", "on-demand@us-east-1"): "g6.xlarge"})
    assert with_one.groups[0].fabric is not None
    assert without.groups[0].fabric is None


def test_a_locked_machine_that_no_table_has_is_told() -> None:
    (problem,) = problems(stack("L4:1"), locked={("t", "on-demand@us-east-1"): "g9.xlarge"})

    assert problem.path == ("training", "t", "gpu")
    assert problem.value == "g9.xlarge"
    assert "lock --update" in problem.fix


def test_an_own_price_decides_the_choice() -> None:
    row = Price(
        cloud="aws",
        item="g6.4xlarge",
        region="us-east-1",
        zone=None,
        mode="on-demand",
        unit="hour",
        per_unit=Decimal("0.1"),
        currency="USD",
        source="yours",
        as_of="",
        origin="user",
    )

    assert machines(from_stack(stack("L4:1"), prices=Book([row]))) == ["g6.4xlarge"]

"""The words of `gpu` on their way into the choice, and the machines that a lock has."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.catalog import PriceBook
from gpuinfra.errors import InputError
from gpuinfra.model import Plan, Price
from gpuinfra.planning import LockProblem, from_stack
from gpuinfra.specs.schema import Stack
from tests.planning.anywhere import refused


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


@pytest.mark.parametrize(
    ("wish", "region", "with_own_image"),
    [
        ("required", "us-east4", "a3-megagpu-8g"),
        ("preferred", "us-central1", "a3-ultragpu-8g"),
    ],
)
def test_a_fabric_comes_with_its_software_where_the_image_is_ours(
    wish: str, region: str, with_own_image: str
) -> None:
    where = {"cloud": "gcp", "regions": [region]}
    spot = {"nodes": 4, "fabric": wish, "capacity": "spot", "where": where}
    made = stack({"memory": "80GB..", "count": 8}, **spot)
    own = stack(
        {"memory": "80GB..", "count": 8}, **spot, machine_image="projects/p/global/images/i"
    )

    assert machines(from_stack(made)) == ["a3-ultragpu-8g"]
    assert machines(from_stack(own)) == [with_own_image]


def test_the_software_of_a_fabric_has_to_be_there_on_every_rung() -> None:
    where = {"cloud": "gcp", "regions": ["europe-west1"]}
    way = {"nodes": 4, "fabric": "required", "capacity": ["spot", "on-demand"], "where": where}
    plan = from_stack(stack({"memory": "80GB..", "count": 8}, **way))

    assert machines(plan) == ["a3-ultragpu-8g", "a3-highgpu-8g"]
    assert plan.groups[0].fabric is not None
    assert plan.groups[0].fabric.driver_image is False


def test_a_model_counts_all_nodes_of_the_workload() -> None:
    wish = {"for_model": {"parameters": "70B"}, "model": "A100-80GB"}

    (problem,) = refused(stack(wish, nodes=1))
    assert "3 machines would do" in problem.fix
    assert machines(from_stack(stack(wish, nodes=3))) == ["p4de.24xlarge"]


def test_a_ceiling_that_nothing_meets_says_what_machines_cost() -> None:
    (problem,) = refused(stack({"model": "H100", "count": 8, "max_per_hour": 40}))

    assert problem.path == ("training", "t", "gpu", "max_per_hour")
    assert "p5.48xlarge: costs $55.04 an hour, more than $40.00" in problem.fix


@pytest.mark.parametrize(
    ("gpu", "path", "suggestion"),
    [
        ({"model": "H1000", "count": 8}, ("gpu", "model"), "H100"),
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
    (problem,) = refused(stack(gpu))

    assert problem.path == ("training", "t", *path)
    assert problem.allowed
    assert not suggestion or problem.suggestion == suggestion


LOCKED = {("t", "spot@us-east-1"): "g6.8xlarge", ("t", "on-demand@us-east-1"): "g6.4xlarge"}


def test_a_locked_rung_takes_its_machine_without_choosing() -> None:
    made = stack("L4:1", capacity=["spot", "on-demand"])

    assert machines(from_stack(made)) == ["g6.xlarge", "g6.xlarge"]
    assert machines(from_stack(made, locked=LOCKED)) == ["g6.8xlarge", "g6.4xlarge"]
    only = {("t", "spot@us-east-1"): "g6.8xlarge", ("other", "on-demand@us-east-1"): "g5.xlarge"}
    assert machines(from_stack(made, locked=only)) == ["g6.8xlarge", "g6.xlarge"]


def test_a_locked_machine_has_to_have_what_is_asked_for() -> None:
    (problem,) = refused(stack("L4:1"), locked={("t", "on-demand@us-east-1"): "g6.12xlarge"})

    assert isinstance(problem, LockProblem)
    assert problem.path == ("training", "t", "gpu")
    assert problem.message.startswith(
        "training.t on on-demand@us-east-1 is locked to g6.12xlarge, which has 4"
    )


def test_a_preferred_fabric_is_that_of_the_locked_machines() -> None:
    made = stack({"model": "L4"}, nodes=2, fabric="preferred")

    with_one = from_stack(made, locked={("t", "on-demand@us-east-1"): "g6.8xlarge"})
    without = from_stack(made, locked={("t", "on-demand@us-east-1"): "g6.xlarge"})
    assert with_one.groups[0].fabric is not None
    assert without.groups[0].fabric is None


def test_a_locked_machine_that_no_table_has_is_told() -> None:
    (problem,) = refused(stack("L4:1"), locked={("t", "on-demand@us-east-1"): "g9.xlarge"})

    assert problem.path == ("training", "t", "gpu")
    assert problem.value == "g9.xlarge"
    assert "lock SOURCE --update" in problem.fix


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

    assert machines(from_stack(stack("L4:1"), prices=PriceBook([row]))) == ["g6.4xlarge"]


def pool(gpu: Any, **more: Any) -> Stack:
    capacity = {"on_demand_base": 1, "above": "spot"}
    work = {
        "gpu": gpu,
        "replicas": "1..3",
        "capacity": capacity,
        "scale_on": {"gpu_utilization": "60%"},
        "image": "example/serve:1",
        "port": 8000,
        **more,
    }
    return Stack.model_validate(
        {
            "version": 1,
            "name": "demo",
            "owner": "me",
            "where": {"cloud": "aws", "regions": ["us-east-1"]},
            "inference": {"p": work},
        }
    )


L4_AT_MOST = {"model": "L4", "count": 1, "max_per_hour": 0.5}


@pytest.mark.parametrize(
    ("region", "most", "max_price", "expected"),
    [
        ("us-east-2", 40, None, 40),
        ("us-east-2", 40, 30, 30),
        ("us-east-2", 30, 40, 30),
        ("us-east-1", 30, 30, 30),
        ("us-east-1", 30, 25, 25),
        ("us-east-2", 60, None, None),  # spot never costs more than 55.04
        ("us-east-2", 60, 58, 58),
    ],
)
def test_what_a_machine_may_cost_is_said_by_its_spot_request(
    region: str, most: int, max_price: int | None, expected: int | None
) -> None:
    made = stack(
        {"model": "H100", "count": 8, "max_per_hour": most},
        capacity=["spot"],
        where={"cloud": "aws", "regions": [region]},
        **({} if max_price is None else {"max_price": max_price}),
    )

    (rung,) = from_stack(made).groups[0].rungs
    assert (rung.machine, rung.max_price) == ("p5.48xlarge", expected)


def test_spot_dearer_than_a_ceiling_is_refused_while_no_maximum_settles_it() -> None:
    wish = {"model": "H100", "count": 8, "max_per_hour": 30}

    (problem,) = refused(stack(wish, capacity=["spot"]))
    assert "p5.48xlarge: costs $55.04 an hour, more than $30.00" in problem.fix


def test_a_ceiling_holds_for_the_base_of_a_pool_too() -> None:
    (problem,) = refused(pool(L4_AT_MOST))

    assert problem.path == ("inference", "p", "gpu", "max_per_hour")
    assert "g6.xlarge: costs $0.80 an hour on demand, more than $0.50" in problem.fix
    (rung,) = from_stack(pool(L4_AT_MOST, capacity={"above": "spot"})).groups[0].rungs
    assert (rung.machine, rung.max_price) == ("g6.xlarge", Decimal("0.5"))


def test_a_ceiling_holds_for_spot_where_a_cloud_takes_no_maximum() -> None:
    gcp = {"cloud": "gcp", "regions": ["us-central1"]}
    wish = {**L4_AT_MOST, "max_per_hour": 0.6}

    (problem,) = refused(stack(wish, capacity=["spot"], where=gcp))
    assert "g2-standard-4: may cost $0.71 an hour on spot, more than $0.60" in problem.fix
    wish["max_per_hour"] = 0.8
    (rung,) = from_stack(stack(wish, capacity=["spot"], where=gcp)).groups[0].rungs
    assert (rung.machine, rung.max_price) == ("g2-standard-4", None)


def test_a_preferred_fabric_stays_away_where_one_locked_machine_lacks_it() -> None:
    made = stack({"model": "L4"}, nodes=2, fabric="preferred", capacity=["spot", "on-demand"])
    bare = from_stack(made, locked={("t", "spot@us-east-1"): "g6.xlarge"})
    joined = from_stack(made, locked={("t", "spot@us-east-1"): "g6.8xlarge"})

    assert machines(bare) == ["g6.xlarge", "g6.xlarge"]
    assert machines(joined) == ["g6.8xlarge", "g6.8xlarge"]


def test_what_the_market_says_of_a_locked_machine_was_settled_when_it_was_locked() -> None:
    made = stack({"model": "L4", "count": 1, "max_per_hour": 0.9})
    dear = PriceBook(change=lambda row: replace(row, per_unit=row.per_unit * 1000))
    locked = {("t", "on-demand@us-east-1"): "g6.xlarge"}

    with pytest.raises(InputError):
        from_stack(made, prices=dear)
    assert machines(from_stack(made, prices=dear, locked=locked)) == ["g6.xlarge"]

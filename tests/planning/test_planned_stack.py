"""A stack file becomes groups, rungs, buckets and caps."""

import copy
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.clouds import provider_of
from gpuinfra.model import Caps, Group
from gpuinfra.planning import from_stack, on_rung, to_usage, with_facts
from gpuinfra.specs.schema import Stack
from tests.planning.stacks import EXAMPLE, OWN_IMAGE, changed, refused

NVLINK_FP8 = {"nvlink": True, "precision": "fp8"}


def labels(stack: Stack, group: int = 0) -> list[str]:
    return [rung.label for rung in from_stack(stack).groups[group].rungs]


def test_the_example_becomes_two_groups_a_bucket_and_caps() -> None:
    plan = from_stack(changed())
    trainer, chat = plan.groups

    assert (trainer.name, trainer.subject, trainer.purpose) == (
        "trainer",
        "training.trainer",
        "training",
    )
    assert (trainer.minimum, trainer.maximum, trainer.needs.hours) == (4, 4, Decimal(72))
    assert (trainer.needs.checkpoints, trainer.needs.interruptible) == (True, True)
    assert (chat.minimum, chat.maximum, chat.needs.hours) == (1, 20, None)
    assert [bucket.size_gb for bucket in plan.buckets] == [Decimal(2000)]
    assert plan.cloud_budget == Decimal(40000)
    assert plan.caps == Caps(
        per_hour=Decimal(260),
        per_run=Decimal(16500),
        per_month=Decimal(40000),
        notify=("a@example.com",),
    )


def test_rungs_say_what_the_build_needs() -> None:
    trainer, chat = from_stack(changed()).groups
    spot, on_demand = trainer.rungs
    (pool,) = chat.rungs

    assert (spot.machine, spot.zones, spot.max_price) == (
        "p5.48xlarge",
        ("us-east-1a",),
        Decimal(40),
    )
    assert on_demand.max_price is None
    assert pool.zones == ("us-east-1a", "us-east-1b")
    assert (pool.capacity, pool.on_demand_base, pool.spot_share_above_base) == ("spot", 1, 1)


def test_all_capacities_of_a_region_come_before_the_next_region() -> None:
    stack = changed(("where.regions", ["us-west-2", "us-east-1"]))

    assert labels(stack) == [
        "spot@us-west-2",
        "on-demand@us-west-2",
        "spot@us-east-1",
        "on-demand@us-east-1",
    ]


def test_a_region_outside_where_stands_only_where_its_step_names_it() -> None:
    capacity = ["spot", {"spot": {"region": "us-west-2", "max_price": 30}}, "on-demand"]
    stack = changed(("training.trainer.capacity", capacity))
    rungs = from_stack(stack).groups[0].rungs

    assert labels(stack) == ["spot@us-east-1", "spot@us-west-2", "on-demand@us-east-1"]
    assert [rung.max_price for rung in rungs] == [Decimal(40), Decimal(30), None]


def test_a_workload_may_stand_elsewhere() -> None:
    where = {"cloud": "any", "regions": ["us-west-2"], "zones": ["us-west-2c"]}
    rungs = from_stack(changed(("training.trainer.where", where))).groups[0].rungs

    assert {(rung.region, rung.zones) for rung in rungs} == {("us-west-2", ("us-west-2c",))}


def test_the_fabric_is_what_the_machine_has() -> None:
    trainer, chat = from_stack(changed()).groups

    assert trainer.fabric is not None
    assert (trainer.fabric.interfaces, trainer.fabric.placement) == (32, "cluster")
    assert trainer.fabric.driver_image is True
    assert chat.fabric is None


def test_a_preferred_fabric_wins_over_a_cheaper_machine_where_all_rungs_have_it() -> None:
    preferred = ("training.trainer.fabric", "preferred")
    none = ("training.trainer.fabric", "none")
    cheap = ("training.trainer.gpu", "L4:1")
    with_fabric = from_stack(changed(cheap, preferred)).groups[0]
    without = from_stack(changed(cheap, none)).groups[0]
    impossible = from_stack(
        changed(preferred, ("training.trainer.gpu", "T4G:1"), OWN_IMAGE)
    ).groups[0]

    assert provider_of("aws").machines.get(with_fabric.rung.machine).fabric_interfaces
    assert with_fabric.fabric is not None
    assert without.rung.machine == "g6.xlarge"
    assert without.fabric is None
    assert impossible.fabric is None


def on_gcp(region: str, **trainer: object) -> Group:
    where = ("where", {"cloud": "gcp", "regions": [region]})
    gpu = {"memory": "80GB..", "count": 8, **trainer.pop("gpu", {})}
    values = {"gpu": gpu, "nodes": 2, "max_price": None, **trainer}
    changes = [(f"training.trainer.{key}", value) for key, value in values.items()]
    return from_stack(changed(where, ("inference", {}), *changes)).groups[0]


def test_a_preferred_fabric_is_not_bought_where_the_image_cannot_use_it() -> None:
    preferred = on_gcp("us-central1", capacity=["on-demand"], fabric="preferred")
    required = on_gcp("us-central1", capacity=["on-demand"], fabric="required")
    named = on_gcp("us-central1", gpu={"model": "H100", "memory": None}, fabric="preferred")

    assert (preferred.rung.machine, preferred.fabric) == ("g4-standard-384", None)
    assert (required.rung.machine, required.fabric.driver_image) == ("a3-highgpu-8g", False)
    assert (named.rungs[1].machine, named.fabric.driver_image) == ("a3-highgpu-8g", False)


def test_a_preferred_fabric_is_not_bought_at_an_unknown_maximum() -> None:
    """On spot nothing bounds the price of a3-ultragpu-8g there, and that of others is bounded."""
    preferred, required = (
        on_gcp("europe-west4", capacity=["spot"], fabric=fabric)
        for fabric in ("preferred", "required")
    )

    assert required.rung.machine == "a3-ultragpu-8g"
    assert CATALOG.spot_ceiling("gcp", "a3-ultragpu-8g", "europe-west4") is None
    assert preferred.rung.machine == "g4-standard-384"


def test_a_machine_with_a_known_maximum_comes_before_a_cheaper_one_without() -> None:
    group = on_gcp("us-west1", gpu=NVLINK_FP8, capacity=["spot"], fabric="none")
    spot = {
        type_: CATALOG.spot("gcp", type_, "us-west1").per_unit
        for type_ in ("a3-ultragpu-8g", "a3-megagpu-8g")
    }

    assert spot["a3-ultragpu-8g"] < spot["a3-megagpu-8g"]
    assert group.rung.machine == "a3-megagpu-8g"


def test_a_required_fabric_excludes_machines_without_one() -> None:
    group = from_stack(changed(("training.trainer.gpu", "L4:1"))).groups[0]

    assert group.rung.machine == "g6.8xlarge"
    (problem, *_) = refused(("training.trainer.gpu", "T4G:1"))
    assert "no fabric interfaces" in problem.fix


def test_a_user_names_a_rung_by_its_way_to_buy_or_its_label() -> None:
    for rung in ("on-demand", "on-demand@us-east-1"):
        plan = from_stack(changed(), rungs={"trainer": rung})

        assert plan.groups[0].active_rung == 1
        assert plan.groups[0].rung.capacity == "on-demand"


def test_standing_on_another_machine_brings_its_interfaces() -> None:
    stack = changed()
    plan = from_stack(stack)
    group = plan.groups[0]
    other = replace(group.rungs[1], machine="p4d.24xlarge", zones=("us-east-1a",))
    moved = on_rung(replace(group, rungs=(group.rungs[0], other)), 1)
    plan = with_facts(stack, replace(plan, groups=(moved, *plan.groups[1:])))

    assert plan.groups[0].fabric is not None
    assert plan.groups[0].fabric.interfaces == 4


def test_usage_has_what_no_resource_shows() -> None:
    usage = to_usage(changed())

    assert usage.hours == {"trainer": Decimal(72)}
    assert usage.gigabytes == {"data": Decimal(2000)}
    assert usage.checkpoints == {"trainer": True}
    assert usage.purpose == {"trainer": "training", "chat": "inference"}


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["us-east-1", "us-west-2", "us-east-2"]), min_size=1, unique=True),
    st.lists(st.sampled_from(["spot", "on-demand"]), min_size=1, unique=True),
    st.integers(1, 50),
)
def test_every_ladder_is_regions_by_capacities(
    regions: list[str], capacity: list[str], nodes: int
) -> None:
    stack = changed(
        ("where.regions", regions),
        ("training.trainer.capacity", capacity),
        ("training.trainer.nodes", nodes),
        ("training.trainer.max_price", 40 if "spot" in capacity else None),
    )

    assert labels(stack) == [f"{kind}@{region}" for region in regions for kind in capacity]
    assert from_stack(stack).groups[0].maximum == nodes


def test_machines_with_an_image_come_before_cheaper_ones_without() -> None:
    gpu = ("training.trainer.gpu", {"memory": "32GB..", "count": 8})
    none = ("training.trainer.fabric", "none")
    listed = CATALOG.list_price("aws", "p3dn.24xlarge", "us-east-1", "on-demand")
    cheap = replace(listed, per_unit=Decimal(1), origin="user")
    prices = PriceBook(rows=(cheap,))
    capacity = (("training.trainer.capacity", "on-demand"), ("training.trainer.max_price", None))
    imaged = from_stack(changed(gpu, none, *capacity), prices=prices).groups[0]
    own = from_stack(changed(gpu, none, *capacity, OWN_IMAGE), prices=prices).groups[0]

    assert own.rung.machine == "p3dn.24xlarge"
    assert imaged.rung.machine == "p4d.24xlarge"


def test_the_mean_of_a_pool_is_passed_on_to_both_entrances() -> None:
    example = copy.deepcopy(EXAMPLE)
    example["inference"]["chat"]["expected"] = 6
    stack = Stack.model_validate(example)

    assert [group.needs.expected for group in from_stack(stack).groups] == [None, Decimal(6)]
    assert to_usage(stack).expected == {"chat": Decimal(6)}

import copy
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.clouds import provider_of
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import UNKNOWN, Caps
from gpuinfra.planning import from_stack, on_rung, to_usage, with_facts
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


def test_a_rung_that_is_not_there_is_refused_with_those_that_are() -> None:
    (problem,) = refused(rungs={"trainer": "on-demnd"})

    assert problem.allowed == "spot@us-east-1, on-demand@us-east-1"
    assert problem.message == "--rung trainer=on-demnd: trainer has no such rung"
    assert (problem.path, problem.suggestion) == ((), "on-demand")
    (problem,) = refused(rungs={"traner": "spot"})
    assert problem.suggestion == "trainer"
    assert problem.message == "--rung traner=spot: the file has no workload 'traner'"


def test_a_rung_of_no_workload_is_told_beside_what_is_wrong_with_the_file() -> None:
    problems = refused(("training.trainer.gpu", "H10:8"), rungs={"traner": "spot", "trainer": "x"})

    assert [problem.value for problem in problems] == ["H10:8", "traner"]


@pytest.mark.parametrize(
    ("changes", "path", "value", "suggestion"),
    [
        ([("training.trainer.gpu", "H10:8")], "training.trainer.gpu.model", "H10:8", "H100"),
        (
            [("training.trainer.gpu", None), ("training.trainer.instance", "p5.48xlage")],
            "training.trainer.instance",
            "p5.48xlage",
            "p5.48xlarge",
        ),
        ([("where.regions", ["us-eas-1"])], "where.regions.0", "us-eas-1", "us-east-1"),
        ([("where.zones", ["us-east-1z"])], "where.zones.0", "us-east-1z", None),
        (
            [("inference.chat.where", {"cloud": "aws", "regions": ["us-east-1", "us-wst-2"]})],
            "inference.chat.where.regions.1",
            "us-wst-2",
            "us-west-2",
        ),
        (
            [("training.trainer.capacity", ["spot", {"on-demand": {"region": "us-eas-2"}}])],
            "training.trainer.capacity.1.region",
            "us-eas-2",
            "us-east-2",
        ),
        ([("buckets.data.region", "eu-wes-1")], "buckets.data.region", "eu-wes-1", "eu-west-1"),
        (
            [("training.trainer.disk", {"size": "200GB", "iops": 2000})],
            "training.trainer.disk.iops",
            "2000",
            "",
        ),
        ([("training.trainer.max_price", 0)], "training.trainer.max_price", "0", ""),
        (
            [("training.trainer.capacity", ["spot", {"spot": {"region": "us-east-1"}}])],
            "training.trainer.capacity.1",
            "spot@us-east-1",
            "",
        ),
        (
            [("where", {"cloud": "aws", "regions": ["us-east-1"], "zones": ["us-east-1a"]}),
             ("where.regions", ["us-east-1", "us-west-2"])],
            "where.zones",
            "",
            "",
        ),
    ],
)  # fmt: skip
def test_what_only_planning_can_refuse_is_told_with_its_place(
    changes: list[tuple[str, Any]], path: str, value: str, suggestion: str | None
) -> None:
    problems = refused(*changes)
    (problem,) = problems

    assert ".".join(map(str, problem.path)) == path
    assert problem.value == value
    assert problem.allowed or problem.fix
    if suggestion is not None:
        assert problem.suggestion == suggestion


def test_a_wrong_word_is_told_once_for_all_rungs() -> None:
    problems = refused(
        ("training.trainer.gpu", "H10:8"), ("where.regions", ["us-east-1", "us-west-2"])
    )

    assert [problem.value for problem in problems] == ["H10:8"]


def test_all_problems_come_at_once() -> None:
    problems = refused(
        ("where.regions", ["us-east-1", "us-eas-2"]),
        ("training.trainer.gpu", "H10:8"),
        ("training.trainer.disk", {"size": "200GB", "iops": 99_999}),
        ("inference.chat.gpu", "L44:1"),
        ("buckets.data.region", "mars"),
    )

    assert {problem.value for problem in problems} == {
        "us-eas-2",
        "H10:8",
        "99999",
        "L44:1",
        "mars",
    }


def test_where_nothing_fits_on_one_rung_it_is_told_once_for_all_ways_to_buy() -> None:
    trainer, chat = refused(("where.regions", ["us-east-1", "eu-west-1"]))

    assert trainer.path == ("training", "trainer", "gpu")
    assert chat.path == ("inference", "chat", "gpu")
    assert "eu-west-1" in trainer.message
    assert (
        "use another region: eu-north-1, eu-west-2, ap-northeast-1 and 10 more"
        " (gpuinfra catalog show p5.48xlarge)"
    ) in trainer.fix


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


def test_a_command_too_long_for_the_cloud_is_refused_at_its_place() -> None:
    command = "".join(chr(0x4E00 + n * n * 7919 % 20_000) for n in range(8192))
    (problem,) = refused(
        ("training.trainer.command", command),
        # With a bucket, the machines fetch what is long from it.
        ("training.trainer.data", []),
        ("training.trainer.checkpoints", None),
        ("buckets", {}),
    )

    assert problem.path == ("training", "trainer", "command")
    assert "too long for its machines" in problem.message
    assert (problem.value, problem.allowed) == ("24,576 bytes", "16,128 bytes compressed")


@pytest.mark.parametrize("region", ["us-esat-1", "moon-1"])
def test_where_no_region_is_known_words_are_still_judged(region: str) -> None:
    problems = refused(
        ("where.regions", [region]),
        ("training.trainer.gpu", "H10O:8"),
        ("inference.chat.gpu", None),
        ("inference.chat.instance", "p5.48xlrge"),
    )

    assert [problem.value for problem in problems] == [region, "H10O:8", "p5.48xlrge"]
    assert [problem.suggestion for problem in problems[1:]] == ["H100", "p5.48xlarge"]


def test_where_no_region_is_known_what_no_region_has_is_told() -> None:
    region, machine = refused(
        ("where.regions", ["us-esat-1"]),
        ("training.trainer.gpu", "H100:3"),
        ("training.trainer.capacity", ["on-demand"]),
        ("training.trainer.max_price", None),
    )

    assert region.suggestion == "us-east-1"
    assert (
        machine.message == "no machine type fits: H100:3 with a fabric, on-demand, in any region"
    )
    assert machine.value == "H100:3"


@pytest.mark.parametrize(
    ("words", "path", "kind"),
    [
        ({"instance": "inf1.24xlarge", "nodes": 2}, "instance", "inf1.24xlarge (INFERENTIA1, x86"),
        ({"instance": "g6f.xlarge"}, "instance", "g6f.xlarge (L4, x86_64)"),
        ({"instance": "p3dn.24xlarge"}, "instance", "p3dn.24xlarge (V100-32GB, x86_64)"),
        ({"gpu": "V100:8"}, "gpu", "p3dn."),
    ],
)
def test_a_machine_that_no_public_image_serves_needs_one_of_the_user(
    words: dict[str, Any], path: str, kind: str
) -> None:
    work = {**words, "capacity": "on-demand", "fabric": "preferred"}
    (problem,) = refused(("training.trainer", work))
    own = changed(("training.trainer", {**work, "machine_image": OWN_IMAGE[1]}))

    assert problem.message.startswith(f"no public image is known for {kind}")
    assert problem.path == ("training", "trainer", path)
    assert problem.value == words[path]
    assert "machine_image" in problem.fix
    fabric = from_stack(own).groups[0].fabric
    assert fabric is None or fabric.driver_image is UNKNOWN


def test_a_pool_needs_an_image_too() -> None:
    (problem,) = refused(("inference.chat.gpu", "INFERENTIA2:1"))

    assert problem.path == ("inference", "chat", "gpu")
    assert "inf2.xlarge" in problem.message


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


def test_a_listed_zone_that_is_known_not_to_have_the_machine_is_refused() -> None:
    (problem,) = refused(
        ("where", {"cloud": "gcp", "regions": ["us-central1"], "zones": ["us-central1-f"]}),
        ("training.trainer", {"instance": "a3-ultragpu-8g", "capacity": "spot"}),
        ("inference", {}),
    )

    assert problem.path == ("training", "trainer", "instance")
    assert (problem.value, problem.allowed) == ("us-central1-f", "us-central1-b")


def test_an_image_of_another_cloud_is_refused_at_its_line() -> None:
    (problem,) = refused(
        ("where", {"cloud": "azure", "regions": ["eastus"]}),
        ("training.trainer", {"gpu": "T4:1", "machine_image": "ami-0123456789abcdef0"}),
        ("inference", {}),
    )

    assert problem.path == ("training", "trainer", "machine_image")
    assert "is not an Azure image" in problem.message


def test_the_mean_of_a_pool_is_passed_on_to_both_entrances() -> None:
    example = copy.deepcopy(EXAMPLE)
    example["inference"]["chat"]["expected"] = 6
    stack = Stack.model_validate(example)

    assert [group.needs.expected for group in from_stack(stack).groups] == [None, Decimal(6)]
    assert to_usage(stack).expected == {"chat": Decimal(6)}

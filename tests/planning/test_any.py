"""`cloud: any`: which cloud each workload takes, why, and what is told where none can be."""

import itertools
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.catalog import CATALOG, Book
from gpuinfra.catalog.rates import rung_rate
from gpuinfra.clouds import CLOUDS
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Group, Plan, Rung
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


# The choice


def test_the_least_price_of_the_first_rung_wins() -> None:
    h100, l4 = group(gpu="H100:8"), group(gpu="L4:1")

    assert (h100.cloud, h100.rung.machine) == ("aws", "p5.48xlarge")
    assert (l4.cloud, l4.rung.machine) == ("gcp", "g2-standard-4")


def test_only_the_first_rung_counts() -> None:
    first_aws = group(gpu="H100:8", capacity=["on-demand", "spot"], **_kept())
    prices = {
        cloud: CATALOG.on_demand(cloud, machine, REGIONS[cloud]).per_unit
        for cloud, machine in (("aws", "p5.48xlarge"), ("gcp", "a3-highgpu-8g"))
    }

    assert first_aws.cloud == min(prices, key=prices.get)
    assert [rung.capacity for rung in first_aws.rungs] == ["on-demand", "spot"]


def _kept() -> dict[str, Any]:
    return {**CHECKPOINTS, "buckets": {"data": {}}}


def test_the_reason_names_the_machine_the_price_and_what_the_others_offer() -> None:
    assert group(gpu="L4:1").reason == (
        "gcp: on-demand g2-standard-4 in us-central1 at 0.7068 an hour; not aws: "
        "on-demand g6.xlarge in us-east-1 at 0.8048 an hour; azure: no machine type "
        "has this GPU"
    )


def test_a_spot_price_is_told_with_its_day() -> None:
    reason = group(gpu="L4:1", capacity=["spot"], **_kept()).reason
    newest = CATALOG.spot("gcp", "g2-standard-4", "us-central1")

    assert newest is not None
    assert f"an hour ({newest.as_of})" in reason


def test_without_a_choice_there_is_no_reason() -> None:
    assert group(gpu="L4:1", where={"cloud": "aws", "regions": ["us-east-1"]}).reason == ""
    assert group(gpu="L4:1", where=any_of("us-east-1", "us-west-2")).reason == ""


def test_equal_prices_go_by_the_order_of_the_clouds_not_of_the_file() -> None:
    price = CATALOG.on_demand("aws", "g4dn.xlarge", "us-east-1")
    same = CATALOG.on_demand("azure", "Standard_NC4as_T4_v3", "eastus")
    one = group(gpu="T4:1", where=any_of("us-east-1", "eastus"))
    other = group(gpu="T4:1", where=any_of("eastus", "us-east-1"))

    assert price.per_unit == same.per_unit
    assert (one.cloud, other.cloud) == ("aws", "aws")


def test_a_pool_counts_its_base_on_demand_and_the_rest_on_spot() -> None:
    """Most machines on demand: the cloud with the cheaper list price, not the cheaper spot."""
    works = {
        share: from_stack(
            stack(
                inference={
                    "chat": {
                        "gpu": "H100:8",
                        "replicas": "5..6",
                        "capacity": {"on_demand_base": base, "above": "spot"},
                        **POOL,
                    }
                }
            )
        ).groups[0]
        for share, base in (("base", 4), ("spot", 0))
    }
    cheaper = {
        "base": min(("aws", "gcp"), key=lambda cloud: _pool_price(cloud, 4, 2)),
        "spot": min(("aws", "gcp"), key=lambda cloud: _pool_price(cloud, 0, 6)),
    }

    assert {share: work.cloud for share, work in works.items()} == cheaper
    assert set(cheaper.values()) == {"aws", "gcp"}, "no example of the difference any more"


def _pool_price(cloud: str, base: int, on_spot: int) -> Decimal:
    machine = {"aws": "p5.48xlarge", "gcp": "a3-highgpu-8g"}[cloud]
    most = _recent_spot(cloud, machine, REGIONS[cloud])
    return base * CATALOG.on_demand(cloud, machine, REGIONS[cloud]).per_unit + on_spot * most


def _recent_spot(cloud: str, machine: str, region: str, zones: tuple[str, ...] = ()) -> Any:
    """The spot price or, where none is known or it is 400 days older, the list price."""
    today, listed = (
        CATALOG.spot(cloud, machine, region, zones),
        CATALOG.on_demand(cloud, machine, region),
    )
    if today is None or listed is None:
        return today.per_unit if today else listed and listed.per_unit
    read, then = (date.fromisoformat(f"{one.as_of}-01-01"[:10]) for one in (today, listed))
    if (then - read).days > 400:
        return listed.per_unit
    return max(today.per_unit, today.maximum or Decimal(0))


def test_a_cloud_with_an_unpriced_part_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(book: Book, cloud: str, item: str, region: str, mode: str) -> Any:
        return None if item == "cloud-nat-vm-hour" else listed(book, cloud, item, region, mode)

    listed = Book.listed
    monkeypatch.setattr(Book, "listed", lost)
    found = group(gpu="L4:1")

    assert found.cloud == "aws"
    assert "no price of cloud-nat-vm-hour" in found.reason


def test_a_machine_without_a_price_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(book: Book, cloud: str, item: str, region: str, mode: str) -> Any:
        gone = (cloud, mode) == ("gcp", "on-demand")
        return None if gone else listed(book, cloud, item, region, mode)

    listed = Book.listed
    monkeypatch.setattr(Book, "listed", lost)
    found = group(gpu="L4:1")

    assert found.cloud == "aws"
    assert "gcp: on-demand g2-standard-4 in us-central1 price unknown" in found.reason


# What a cloud can't do excludes it


@pytest.mark.parametrize(
    ("work", "cloud", "why"),
    [
        (
            {"gpu": "L4:1", "nodes": 2, "fabric": "required"},
            "aws",
            "gcp: no machine type fits: L4:1",
        ),
        ({"gpu": "T4:2"}, "gcp", "aws: no machine type fits: T4:2"),
        ({"gpu": "A100-PCIe-80GB:1"}, "azure", "gcp: no machine type has this GPU"),
        ({"gpu": "A100-80GB:4"}, "gcp", "aws: no machine type fits"),
        (
            {"gpu": "L4:1", "disk": {"size": "200GB", "iops": 6000}},
            "aws",
            "gcp: the boot disk of this machine",
        ),
        ({"instance": "a3-highgpu-8g"}, "gcp", "aws: unknown machine type"),
    ],
)
def test_a_constraint_excludes_a_cloud_and_the_reason_says_so(
    work: dict[str, Any], cloud: str, why: str
) -> None:
    found = group(**work)

    assert found.cloud == cloud
    assert why in found.reason


def test_a_way_to_buy_that_a_cloud_lacks_excludes_it() -> None:
    """The H200 of A3 Ultra is sold as spot, not on demand."""
    where = any_of("us-east-2", "us-central1")
    found = group(gpu="H200:8", where=where)

    assert found.cloud == "aws"
    assert "gcp: no machine type fits: H200:8, on-demand" in found.reason


@pytest.mark.parametrize("cloud", ["gcp", "azure"])
def test_a_balancer_that_counts_no_requests_excludes_its_cloud(cloud: str) -> None:
    pool = {"gpu": "T4:1", "replicas": "1..3", **POOL, "scale_on": {"requests_per_target": 100}}
    where = any_of("us-east-1", REGIONS[cloud])
    (chat,) = from_stack(stack(where=where, inference={"chat": pool})).groups

    assert chat.cloud == "aws"
    assert f"{cloud}: the requests of chat can't be counted" in chat.reason
    problem = refusal(stack(where=any_of(REGIONS[cloud]), inference={"chat": pool}))
    assert path(problem) == "inference.chat.scale_on"


def test_a_preferred_fabric_wins_over_a_cheaper_cloud_without_one() -> None:
    """As it wins over a cheaper machine of one cloud."""
    preferred = group(gpu="L4:1", nodes=2, fabric="preferred")
    none = group(gpu="L4:1", nodes=2, fabric="none")

    assert (preferred.cloud, preferred.rung.machine) == ("aws", "g6.8xlarge")
    assert preferred.fabric is not None
    assert "an hour, with a fabric; not gcp" in preferred.reason
    assert "in us-central1 at 0.7068 an hour, without a fabric" in preferred.reason
    assert none.cloud == "gcp"
    assert "fabric" not in none.reason


# Shared buckets


def shared(**more: Any) -> Stack:
    """Machines that are cheaper on AWS, and others that are cheaper on Google Cloud."""
    mount = {"data": [{"bucket": "data"}]}
    return stack(
        training={"trainer": {"gpu": "H100:8", **mount}, "small": {"gpu": "L4:1", **mount}},
        buckets={"data": {"size": "1TB", **more}},
    )


def test_workloads_that_share_a_bucket_stand_together_at_the_least_sum() -> None:
    plan = from_stack(shared())

    assert [one.cloud for one in plan.groups] == ["aws", "aws"]
    assert [(one.cloud, one.region) for one in plan.buckets] == [("aws", "us-east-1")]
    assert "an hour, together with trainer; not gcp" in plan.groups[1].reason
    assert {one.cloud for one in plan.items} == {"aws"}


def test_workloads_are_tied_through_others_too() -> None:
    plan = from_stack(
        stack(
            training={
                "a": {"gpu": "L4:1", "data": [{"bucket": "one"}]},
                "b": {"gpu": "T4:2", "data": [{"bucket": "one"}, {"bucket": "two"}]},
                "c": {"gpu": "T4:1", "data": [{"bucket": "two"}]},
                "free": {"gpu": "T4:1"},
            },
            buckets={"one": {}, "two": {}},
        )
    )

    assert {one.name: one.cloud for one in plan.groups} == {
        "a": "gcp", "b": "gcp", "c": "gcp", "free": "aws",
    }  # fmt: skip
    assert {one.cloud for one in plan.buckets} == {"gcp"}


def test_groups_keep_the_order_of_the_file() -> None:
    mount = {"data": [{"bucket": "data"}]}
    plan = from_stack(
        stack(
            training={
                "z": {"gpu": "L4:1", **mount},
                "m": {"gpu": "H100:8"},
                "a": {"gpu": "L4:1", **mount},
            },
            buckets={"data": {}},
        )
    )

    assert [one.name for one in plan.groups] == ["z", "m", "a"]


def test_a_bucket_s_own_region_demands_its_cloud() -> None:
    plan = from_stack(shared(region="us-central1"))

    assert {one.cloud for one in plan.groups} == {"gcp"}
    assert (plan.buckets[0].cloud, plan.buckets[0].region) == ("gcp", "us-central1")
    assert "together with small, the region of bucket data; not aws" in plan.groups[0].reason


def test_a_bucket_s_region_of_a_workload_s_own_cloud_is_that_cloud_s() -> None:
    where = {"cloud": "gcp", "regions": ["us-central1"]}
    work = {"gpu": "L4:1", "where": where, "data": [{"bucket": "data"}]}
    plan = from_stack(
        stack(
            where={"cloud": "aws", "regions": ["us-east-1"]},
            training={"trainer": work},
            buckets={"data": {"region": "us-west1"}},
        )
    )

    assert (plan.groups[0].cloud, plan.buckets[0].cloud) == ("gcp", "gcp")
    assert plan.buckets[0].region == "us-west1"


def test_a_bucket_that_nobody_mounts_stands_where_its_region_says() -> None:
    plan = from_stack(stack(buckets={"old": {"region": "eastus"}, "new": {}}))

    assert [(one.cloud, one.region) for one in plan.buckets] == [
        ("azure", "eastus"),
        ("aws", "us-east-1"),
    ]


def test_two_named_clouds_can_t_share_a_bucket() -> None:
    mount = {"gpu": "L4:1", "data": [{"bucket": "data"}]}
    problem = refusal(
        stack(
            training={
                name: {**mount, "where": {"cloud": name, "regions": [REGIONS[name]]}}
                for name in ("aws", "gcp")
            },
            buckets={"data": {}},
        )
    )

    assert path(problem) == "buckets.data"
    assert (
        problem.message
        == "no single cloud can run every workload that shares data: aws on aws; gcp on gcp"
    )
    assert "use one bucket per cloud, or run all" in problem.fix


def test_a_bucket_on_a_cloud_that_can_t_hold_its_workload_is_told_at_its_region() -> None:
    problem = refusal(
        stack(
            where=any_of("us-east-1", "us-central1"),
            training={"trainer": {"gpu": "L4:1", "data": [{"bucket": "data"}]}},
            buckets={"data": {"region": "eastus"}},
        )
    )

    assert path(problem) == "buckets.data.region"
    assert problem.message.endswith(": trainer on aws or gcp; bucket data on azure")
    assert problem.fix == "remove the region of data, or run all of these on azure"


def test_two_buckets_of_one_workload_in_regions_of_two_clouds_are_told() -> None:
    problem = refusal(
        stack(
            training={
                "trainer": {"gpu": "L4:1", "data": [{"bucket": "one"}, {"bucket": "two"}]},
            },
            buckets={"one": {"region": "us-central1"}, "two": {"region": "us-east-1"}},
        )
    )

    assert (path(problem), problem.message) == ("buckets.two.region", "unknown region of gcp")
    assert problem.fix == "it is a region of aws"


# Regions, zones, steps


def test_a_region_of_no_cloud_is_told_with_the_nearest_of_all() -> None:
    problem = refusal(
        stack(where=any_of("us-east-1", "us-centrl1"), training={"t": {"gpu": "L4:1"}})
    )

    assert path(problem) == "where.regions.1"
    assert (problem.message, problem.suggestion) == ("no cloud has this region", "us-central1")


def test_a_region_of_another_cloud_is_told_as_such() -> None:
    made = stack(
        where={"cloud": "azure", "regions": ["us-east-1"]}, training={"t": {"gpu": "T4:1"}}
    )
    problem = refusal(made)

    assert problem.fix == "it is a region of aws"
    assert problem.suggestion == ""


def test_where_no_region_is_known_words_are_judged_by_all_clouds() -> None:
    problems = refused(
        stack(
            where=any_of("mars"),
            training={
                "wrong": {"gpu": "H10O:8"},
                "fine": {"gpu": "A100-PCIe-80GB:1"},
                "type": {"instance": "Standard_ND96isr_H100_v6"},
            },
        )
    )

    assert [one.value for one in problems] == ["mars", "H10O:8", "Standard_ND96isr_H100_v6"]
    assert problems[2].suggestion == "Standard_ND96isr_H100_v5"


def test_each_cloud_takes_its_own_regions_and_zones() -> None:
    where = {
        "cloud": "any",
        "regions": ["us-east-1", "us-central1", "us-west-2"],
        "zones": ["us-west-2c", "us-central1-c", "us-east-1b"],
    }
    here = group(gpu="L4:1", where=where)
    there = group(gpu="H100:8", where=where)

    assert {(rung.region, rung.zones) for rung in here.rungs} == {
        ("us-central1", ("us-central1-c",))
    }
    assert [(rung.region, rung.zones) for rung in there.rungs] == [
        ("us-east-1", ("us-east-1b",)),
        ("us-west-2", ("us-west-2c",)),
    ]


@pytest.mark.parametrize(
    ("zones", "place", "message"),
    [
        (["us-east-1b", "us-central1-x"], "where.zones.1", "unknown zone"),
        (["us-east-1b"], "where.zones", "no zone of us-central1 is listed"),
        (["us-east-1b", "us-central1-a", "eastus-1"], "where.zones.2", "unknown zone"),
    ],
)
def test_zones_are_checked_against_all_clouds(zones: list[str], place: str, message: str) -> None:
    where = {**any_of("us-east-1", "us-central1"), "zones": zones}
    problem = refusal(stack(where=where, training={"t": {"gpu": "L4:1"}}))

    assert (path(problem), problem.message) == (place, message)


def test_a_region_whose_cloud_has_no_zones_needs_none() -> None:
    where = {**any_of("us-east-1", "westus"), "zones": ["us-east-1b"]}

    assert group(gpu="T4:1", where=where).rung.zones == ("us-east-1b",)


def test_a_step_s_own_region_demands_its_cloud() -> None:
    capacity = ["on-demand", {"on-demand": {"region": "us-west1"}}]
    found = group(gpu="H100:8", capacity=capacity)

    assert found.cloud == "gcp"
    assert [rung.label for rung in found.rungs] == ["on-demand@us-central1", "on-demand@us-west1"]


@pytest.mark.parametrize(
    ("steps", "place", "message", "hint"),
    [
        (["us-wst-2"], 1, "no cloud has this region", "us-west-2"),
        (["us-west-2", "us-west1"], 2, "unknown region of aws", "it is a region of gcp"),
        (["us-west-2", "us-wst-1"], 2, "unknown region of aws", "us-west-1"),
        (
            ["westus"],
            1,
            "a region of azure, and `where` lists no region of that cloud",
            "add a region",
        ),
    ],
)
def test_a_step_s_region_that_no_cloud_of_its_ladder_has_is_told(
    steps: list[str], place: int, message: str, hint: str
) -> None:
    capacity = ["on-demand", *({"on-demand": {"region": region}} for region in steps)]
    problem = refusal(
        stack(
            where=any_of("us-east-1", "us-central1"),
            training={"trainer": {"gpu": "H100:8", "capacity": capacity}},
        )
    )

    assert path(problem) == f"training.trainer.capacity.{place}.region"
    assert problem.message == message
    assert hint in problem.suggestion + problem.fix


# Problems of several clouds


def test_what_is_wrong_on_all_clouds_is_told_once() -> None:
    (gpu, type_) = refused(
        stack(training={"a": {"gpu": "H10O:8"}, "b": {"instance": "Standard_ND96isr_H100_v6"}})
    )

    assert (gpu.message, gpu.suggestion) == ("unknown GPU", "H100")
    assert {"L40S", "A100-PCIe-80GB", "GB300-288GB"} <= set(gpu.allowed.split(", "))
    assert type_.suggestion == "Standard_ND96isr_H100_v5"
    assert "Standard_ND96isr_H100_v5" in type_.allowed


def test_what_differs_is_told_for_each_cloud() -> None:
    problems = refused(stack(training={"trainer": {"gpu": "H100:3"}}))

    assert [one.message.partition(":")[0] for one in problems] == list(CLOUDS)
    assert {path(one) for one in problems} == {"training.trainer.gpu.count"}


def test_problems_of_all_workloads_come_at_once_in_the_order_of_the_file() -> None:
    mount = {"data": [{"bucket": "data"}]}
    problems = refused(
        stack(
            training={
                "a": {"gpu": "H10O:1", **mount},
                "b": {"gpu": "L44:1"},
                "c": {"gpu": "T44:1", **mount},
                "d": {"gpu": "L4:1", **mount},
            },
            buckets={"data": {"region": "mars"}},
        )
    )

    assert [one.value for one in problems] == ["H10O:1", "L44:1", "T44:1", "mars"]


# A spot request's maximum


def test_a_maximum_is_refused_where_only_a_cloud_without_one_is_left() -> None:
    work = {"gpu": "L4:1", "capacity": ["spot"], "max_price": 1}
    for where in ({"cloud": "gcp", "regions": ["us-central1"]}, any_of("us-central1")):
        problem = refusal(stack(where=where, training={"trainer": work}))
        assert path(problem) == "training.trainer.max_price"
        assert "on-demand price" in problem.fix


def test_a_maximum_is_refused_at_its_step() -> None:
    step = {"spot": {"region": "us-west1", "max_price": 2}}
    problem = refusal(stack(training={"trainer": {"gpu": "L4:1", "capacity": [step]}}))

    assert path(problem) == "training.trainer.capacity.0.max_price"


def test_a_maximum_is_dropped_where_planning_chose_a_cloud_without_one() -> None:
    found = group(gpu="A100-80GB:4", capacity=["spot"], max_price=5)

    assert found.cloud == "gcp"
    assert found.rung.max_price is None


# A rung that a person named


def test_a_label_names_its_cloud() -> None:
    made = stack(training={"trainer": {"gpu": "H100:8"}, "other": {"gpu": "L4:1"}})
    plan = from_stack(made, rungs={"trainer": "on-demand@eastus"})

    assert [one.cloud for one in plan.groups] == ["azure", "gcp"]
    assert from_stack(made, rungs={"trainer": "on-demand"}).groups[0].cloud == "aws"
    (problem,) = refused(made, rungs={"trainer": "on-demand@westus"})
    assert problem.allowed == "on-demand@us-east-1"


# Against brute force


WORKS = st.fixed_dictionaries(
    {
        "gpu": st.sampled_from(["T4:1", "L4:1", "H100:8", "A100-80GB:8", "V100:8", "T4:2"]),
        "nodes": st.sampled_from([1, 2, 5]),
        "capacity": st.sampled_from([["spot"], ["on-demand"], ["spot", "on-demand"]]),
        "fabric": st.sampled_from(["preferred", "none"]),
        "data": st.lists(st.sampled_from(["one", "two"]), max_size=2, unique=True),
    }
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(WORKS, min_size=1, max_size=3),
    st.permutations(list(CLOUDS)),
    st.sampled_from([None, *REGIONS.values()]),
)
def test_the_choice_is_that_of_brute_force(
    works: list[dict[str, Any]], order: list[str], region: str | None
) -> None:
    training = {
        f"w{number}": {**work, "data": [{"bucket": name} for name in work["data"]]}
        for number, work in enumerate(works)
    }
    buckets: dict[str, Any] = {"one": {"region": region} if region else {}, "two": {}}
    where = any_of(*(REGIONS[cloud] for cloud in order))
    wanted = brute(training, region)

    made = stack(where=where, training=training, buckets=buckets)
    if wanted is None:
        assert refused(made)
    else:
        assert {one.name: one.cloud for one in from_stack(made).groups} == wanted


def brute(training: dict[str, Any], region: str | None) -> dict[str, str] | None:
    """The best of all ways to give each workload a cloud; None where none holds them all."""
    alone = {
        (name, cloud): _alone(name, work, cloud)
        for name, work in training.items()
        for cloud in CLOUDS
    }
    ranked = [
        (tuple(map(sum, zip(*(alone[one] for one in way), strict=True))), way)
        for clouds in itertools.product(CLOUDS, repeat=len(training))
        for way in [tuple(zip(training, clouds, strict=True))]
        if all(alone[one] is not None for one in way) and _joined(dict(way), training, region)
    ]
    return dict(min(ranked)[1]) if ranked else None


def _joined(way: dict[str, str], training: dict[str, Any], region: str | None) -> bool:
    for bucket in ("one", "two"):
        clouds = {
            way[name]
            for name, work in training.items()
            if bucket in [one["bucket"] for one in work["data"]]
        }
        demanded = {cloud for cloud, its in REGIONS.items() if its == region and bucket == "one"}
        if len(clouds) > 1 or (clouds and demanded and clouds != demanded):
            return False
    return True


def _alone(name: str, work: dict[str, Any], cloud: str) -> tuple[Any, ...] | None:
    """What ranks a workload on a cloud of its own: unpriced parts, fabric, price, order."""
    where = {"cloud": cloud, "regions": [REGIONS[cloud]]}
    try:
        plan = from_stack(stack(where=where, training={name: {**work, "data": []}}))
    except InputError:
        return None
    (found,) = plan.groups
    first = found.rungs[0]
    listed = CATALOG.on_demand(cloud, first.machine, first.region)
    price = listed.per_unit if listed else None
    if first.capacity == "spot":
        price = _recent_spot(cloud, first.machine, first.region, first.zones)
    lacking = [
        one
        for one in plan.items
        if one.quantity is not None and CATALOG.service(cloud, one.item, first.region) is None
    ]
    return (
        len(lacking) + (price is None),
        int(found.fabric is None),
        (price or Decimal(0)) * work["nodes"],
        CLOUDS.index(cloud),
    )


def test_a_spot_price_of_years_ago_decides_nothing() -> None:
    old = CATALOG.spot("azure", "Standard_NC4as_T4_v3", "eastus")
    rung = Rung(capacity="spot", machine="Standard_NC4as_T4_v3", region="eastus", zones=())
    found = rung_rate("azure", rung, CATALOG)

    assert old is not None
    assert old.as_of == "2024-01-01"
    assert (found.amount, found.expected, found.stale) == (Decimal("0.526"), None, old)

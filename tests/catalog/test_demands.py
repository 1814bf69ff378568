"""What a machine lacks, in words, on machines of the tables."""

from decimal import Decimal

import pytest

from gpuinfra.catalog import Book, Choice, NothingFits, Request, Stock, choose, near_misses
from gpuinfra.clouds import priced_room
from gpuinfra.errors import InputError
from gpuinfra.units import Range


def ask(cloud: str = "aws", **more: object) -> Request:
    region = priced_room(cloud).DEFAULT_REGION
    return Request(**{"clouds": (cloud,), "regions": (region,), **more})


def reasons(asked: Request) -> dict[str, tuple[str, str]]:
    try:
        losers = choose(asked).losers
    except NothingFits as nothing:
        losers = nothing.losers
    return {one.machine: (one.constraint, one.reason) for one in losers}


@pytest.mark.parametrize(
    ("asked", "machine", "constraint", "reason"),
    [
        (
            ask("azure", gpu="A100-PCIe-80GB", nvlink=True),
            "Standard_NC96ads_A100_v4",
            "nvlink",
            "NVLink joins its 4 GPUs only in groups of 2",
        ),
        (
            ask(gpu="L4", nvlink_domain=8),
            "g6.48xlarge",
            "nvlink_domain",
            "no NVLink joins its GPUs, not 8",
        ),
        (
            ask("azure", gpu="A100", nvlink_domain=8),
            "Standard_NC96ads_A100_v4",
            "nvlink_domain",
            "NVLink joins 2 GPUs, not 8",
        ),
        (
            ask("azure", gpu="H100", fabric_kind="infiniband"),
            "Standard_NC40ads_H100_v5",
            "fabric_kind",
            "has no fabric, not infiniband",
        ),
        (
            ask(gpu="A100", fabric_speed=400 * 10**9),
            "p4d.24xlarge",
            "fabric_speed",
            "its fabric has 400Gbps, less than 3200Gbps",
        ),
        (ask(gpu="T4", precision="bf16"), "g4dn.xlarge", "precision",
         "no dense bf16 rate of T4 is known"),
        (ask(gpu="L4", vcpu_per_gpu=8), "g6.xlarge", "vcpu_per_gpu",
         "has 4 vCPUs for each GPU, fewer than 8"),
        (ask(gpu="L4", ram_per_gpu=64 * 2**30), "g6.xlarge", "ram_per_gpu",
         "has 16GiB of memory for each GPU, less than 64GiB"),
        (ask(architecture="arm64"), "g6.xlarge", "architecture", "its processor is x86_64"),
        (ask(gpu="H100", max_per_hour=Decimal(40)), "p5.48xlarge", "price",
         "costs $55.04 an hour, more than $40.00"),
        (ask(gpu="H100", commitment="reserved-3y"), "p5.4xlarge", "commitment",
         "no reserved-3y price of it is known in us-east-1"),
        (ask("tencent", gpu="V100", max_per_hour=Decimal(40)), "GN10Xp.2XLARGE40", "price",
         "costs 11.98 CNY an hour, and no exchange rate is given"),
    ],
)  # fmt: skip
def test_a_loser_says_what_it_lacks(
    asked: Request, machine: str, constraint: str, reason: str
) -> None:
    assert reasons(asked)[machine] == (constraint, reason)


def test_an_arm_processor_that_is_asked_for_needs_no_name() -> None:
    assert {one.machine.architecture for one in choose(ask(architecture="arm64")).ranked} == {
        "arm64"
    }


@pytest.mark.parametrize(
    ("more", "message", "suggestion"),
    [
        ({"capacity": "spto"}, "unknown way to buy", "spot"),
        ({"commitment": "reservd-1y"}, "unknown commitment", "reserved-1y"),
        ({"precision": "bf61"}, "unknown precision", "bf16"),
        ({"fabric_kind": "eaf"}, "unknown fabric", "efa"),
        ({"architecture": "arm46"}, "unknown processor", "arm64"),
        ({"by": "tflop"}, "unknown ranking", "tflops"),
    ],
)
def test_an_unknown_word_has_a_suggestion(
    more: dict[str, object], message: str, suggestion: str
) -> None:
    with pytest.raises(InputError) as caught:
        choose(ask(gpu="H100", **more))

    (problem,) = caught.value.problems
    assert (problem.message, problem.suggestion) == (message, suggestion)


def test_a_fabric_of_another_cloud_is_told_as_such() -> None:
    with pytest.raises(InputError) as caught:
        choose(ask(gpu="H100", fabric_kind="infiniband"))

    assert caught.value.problems[0].fix.startswith("it is found on azure")


@pytest.mark.parametrize("name", ["hours", "machines", "max_per_hour", "nvlink_domain"])
def test_a_number_below_one_means_nothing(name: str) -> None:
    with pytest.raises(InputError) as caught:
        choose(ask(gpu="H100", **{name: Decimal(-3) if name == "hours" else -3}))

    assert [one.path for one in caught.value.problems] == [(name,)]


def near(asked: Request) -> tuple[Choice, dict[str, tuple[str, str, str]]]:
    choice = choose(asked)
    found = near_misses(asked, choice)
    return choice, {
        one.constraint: (one.asked, one.has, one.candidate.machine.type) for one in found
    }


def test_near_misses_name_the_constraint_and_both_sides() -> None:
    _, found = near(ask(gpu="H100", count=8))

    assert found["count"] == ("8", "1", "p5.4xlarge")
    assert "vendor" not in found


def test_relaxing_the_region_or_the_way_to_buy_says_which_instead() -> None:
    _, by_way = near(ask("gcp", nvlink=True, count=8, memory=Range(80 * 10**9, None)))
    large = {"memory": Range(80 * 10**9, None), "count": 8}
    _, by_place = near(ask(regions=("eu-north-1",), **large))

    assert by_way["capacity"][:2] == ("on-demand", "spot")
    assert by_place["region"] == ("eu-north-1", "us-east-1", "p4de.24xlarge")


def test_where_the_winner_has_no_price_nothing_can_be_saved() -> None:
    asked = ask("gcp", instance="a3-edgegpu-8g")
    choice = choose(asked)

    assert choice.winner.per_hour is None
    assert near_misses(asked, choice) == ()


def test_machines_and_prices_can_be_brought_along() -> None:
    """Ten catalogs in place of one: every machine ten times, under names of their own."""
    from dataclasses import replace

    aws = priced_room("aws")
    times = 10
    many = tuple(
        replace(one, type=f"{one.type}-{number}")
        for one in aws.machines()
        for number in range(times)
    )

    class Ten(Book):
        def rows(self, cloud: str, item: str, region: str, mode: str):
            return aws.prices(item.rpartition("-")[0], region, mode)

    choice = choose(ask(gpu="H100", count=8), Ten(), Stock({"aws": many}))

    assert [one.machine.type for one in choice.ranked] == [f"p5.48xlarge-{it}" for it in range(10)]
    assert len(choice.losers) == len(many) - times

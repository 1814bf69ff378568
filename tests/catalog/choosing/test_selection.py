"""The choice of a machine, against a chooser written apart from it."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.catalog import (
    CATALOG,
    NothingFits,
    Request,
    choose,
    earliest,
    gpu,
    matching,
)
from gpuinfra.clouds import provider_of
from gpuinfra.errors import InputError
from gpuinfra.model import SPOT_OUTDATED_AFTER_DAYS, Machine
from gpuinfra.units import Range

AWS = provider_of("aws")
WORDS = ("H100", "A100", "A100-80GB", "L4", "T4", "V100", "B200", "TRAINIUM1", "rtx", "A10G")
REGIONS = {
    "aws": ("us-east-1", "us-west-2", "eu-west-1", "ap-south-1", "us-gov-west-1", "mx-central-1"),
    "gcp": ("us-central1", "us-east4", "europe-west4", "asia-southeast1"),
    "azure": ("eastus", "westus2", "westeurope", "southcentralus"),
}

DAY = date(2026, 11, 21)


def requests_of(cloud: str) -> st.SearchStrategy[Request]:
    return st.builds(
        Request,
        clouds=st.just((cloud,)),
        regions=st.lists(st.sampled_from(REGIONS[cloud]), min_size=1, max_size=3, unique=True).map(
            tuple
        ),
        capacity=st.sampled_from(["on-demand", "spot"]),
        gpu=st.none() | st.sampled_from(WORDS),
        memory=st.none()
        | st.builds(
            Range,
            st.integers(1, 180).map(lambda size: size * 10**9),
            st.none() | st.just(200 * 10**9),
        ),
        count=st.none() | st.sampled_from([1, 2, 4, 8, 16]),
        nvlink=st.none() | st.booleans(),
        instance=st.none()
        | st.sampled_from(
            [machine.type for machine in provider_of(cloud).machines.all_machines()]
        ),
        fabric=st.booleans(),
    )


def brute(request: Request) -> list[tuple[str, str, Decimal | None]]:
    """Every machine and region that fits, by price, then names: plain loops over the tables."""
    (name,) = request.clouds
    cloud = provider_of(name)
    told = {region for machine in cloud.machines.all_machines() for region in machine.regions}
    rows = [
        (machine.type, region, price(name, machine.type, region, request.capacity))
        for machine in cloud.machines.all_machines()
        for region in request.regions
        if fits(machine, request)
        and (
            region in machine.regions
            or (region not in told and cloud.prices.rows(machine.type, region, "on-demand"))
        )
    ]
    return sorted(rows, key=lambda row: (row[2] is None, row[2] or 0, row[0], row[1]))


def fits(machine: Machine, request: Request) -> bool:
    size = machine.gpu_memory_nominal_gb * 10**9
    low, high = (request.memory.minimum, request.memory.maximum) if request.memory else (0, None)
    named = request.gpu or request.instance
    plain = gpu(machine.gpu).name.startswith("NVIDIA") and machine.architecture == "x86_64"
    return bool(
        machine.status == "current"
        and (request.capacity in machine.usage_classes or told_by_price(machine, request))
        and (not request.gpu or machine.gpu in matching(request.gpu))
        and request.instance in {None, machine.type}
        and request.count in {None, machine.gpu_count}
        and (request.count or request.instance or machine.gpu_count >= 1)
        and low <= size
        and (high is None or size <= high)
        and request.nvlink in {None, joined(machine)}
        and (not request.fabric or machine.fabric_interfaces)
        and (named or plain)
    )


def joined(machine: Machine) -> bool | None:
    """Whether NVLink joins all GPUs; None where it is not known, or joins them in groups."""
    if not machine.nvlink or (machine.nvlink_domain or 0) >= machine.gpu_count:
        return machine.nvlink
    return None


def told_by_price(machine: Machine, request: Request) -> bool:
    """Where nobody tells how a machine is sold, a price does."""
    return not machine.usage_classes and any(
        provider_of(machine.cloud).prices.rows(machine.type, region, request.capacity)
        for region in (*request.regions, *machine.regions)
    )


def price(cloud: str, type_: str, region: str, capacity: str) -> Decimal | None:
    rows = [
        row
        for row in provider_of(cloud).prices.rows(type_, region, capacity)
        if row.currency == "USD" and (row.zone is None or capacity == "spot")
    ]
    if capacity == "on-demand":
        return max((row.per_unit for row in rows), default=None)
    rows = [row for row in rows if row.zone is None or (cloud == "aws" and zone_id(row.zone))]
    newest = max((row.as_of[:10] for row in rows), default="")
    costs = [max(row.per_unit, row.maximum or 0) for row in rows if row.as_of[:10] == newest]
    listed = CATALOG.on_demand(cloud, type_, region)
    if not costs or listed is None:
        return max(costs, default=None)
    stale = (DAY - earliest(newest)).days > SPOT_OUTDATED_AFTER_DAYS
    return listed.per_unit if stale else min(max(costs), listed.per_unit)


def zone_id(zone: str) -> bool:
    """Whether it is use1-az2, which may be any zone of AWS."""
    return zone.split("-", maxsplit=1)[0].isalnum() and zone.count("-") == 1


@given(st.sampled_from(sorted(REGIONS)).flatmap(requests_of))
def test_the_choice_is_that_of_plain_loops(query: Request) -> None:
    expected = brute(query)
    if not expected:
        with pytest.raises(InputError):
            choose(query)
        return

    choice = choose(query)
    ranked = [
        (candidate.machine.type, candidate.region, candidate.per_hour)
        for candidate in choice.ranked
    ]

    assert ranked == expected
    assert choice.winner == choice.ranked[0]
    fitting = {type_ for type_, _, _ in expected}
    assert {loser.machine for loser in choice.losers} == {
        machine.type
        for machine in provider_of(query.clouds[0]).machines.all_machines()
        if machine.type not in fitting
    }
    assert all(loser.reason and loser.constraint for loser in choice.losers)


def ask(**more: object) -> Request:
    return Request(**{"day": DAY, "clouds": ("aws",), "regions": ("us-east-1",), **more})


def test_a_family_ranks_all_of_its_models_by_price() -> None:
    choice = choose(ask(gpu="A100", count=8))

    assert [candidate.machine.type for candidate in choice.ranked] == [
        "p4d.24xlarge",
        "p4de.24xlarge",
    ]
    assert choice.winner.per_hour == Decimal("21.957642")


def test_nominal_memory_decides_not_what_the_cloud_reports() -> None:
    types = {
        candidate.machine.type for candidate in choose(ask(memory=Range(24 * 10**9, None))).ranked
    }

    assert {"g5.xlarge", "g6.xlarge"} <= types


def test_the_first_constraint_that_fails_is_the_reason() -> None:
    choice = choose(ask(memory=Range(80 * 10**9, None), count=8, nvlink=True))
    reasons = {loser.machine: (loser.constraint, loser.reason) for loser in choice.losers}

    assert reasons["p4d.24xlarge"] == ("memory", "its GPUs have 40GB, less than 80GB")
    assert reasons["g7e.48xlarge"] == ("nvlink", "NVLink does not connect its GPUs")
    assert reasons["p5e.48xlarge"][0] == "region"
    assert reasons["p5.4xlarge"][0] == "count"


def test_the_closest_loser_stands_first() -> None:
    choice = choose(ask(gpu="H100", count=8))

    assert choice.losers[0].machine == "p5.4xlarge"
    assert choice.losers[0].reason == "has 1 GPU, not 8"


def test_a_machine_without_a_price_ranks_last_and_says_so() -> None:
    choice = choose(ask(gpu="H200", count=8, regions=("us-east-2",)))
    unpriced = [candidate for candidate in choice.ranked if candidate.per_hour is None]

    assert unpriced
    assert choice.ranked[-len(unpriced) :] == tuple(unpriced)
    assert unpriced[0].as_of == ""


def test_other_accelerators_have_to_be_meant() -> None:
    types = {
        candidate.machine.type for candidate in choose(ask(memory=Range(16 * 10**9, None))).ranked
    }

    assert not any(type_.startswith(("inf", "trn", "dl", "g5g")) for type_ in types)
    assert choose(ask(gpu="T4G")).winner.machine.architecture == "arm64"
    assert choose(ask(gpu="TRAINIUM1", count=16)).winner.machine.type == "trn1.32xlarge"


@pytest.mark.parametrize(
    ("more", "message", "suggestion"),
    [
        ({"gpu": "H10"}, "unknown GPU", "H100"),
        ({"gpu": "H10O"}, "unknown GPU", "H100"),
        ({"gpu": "L5"}, "unknown GPU", "L4"),
        ({"gpu": "L4", "regions": ("us-esat-1",)}, "unknown region of aws", "us-east-1"),
        ({"gpu": "A100-80G"}, "unknown GPU", "A100-80GB"),
        ({"instance": "p5.48xlage"}, "unknown machine type", "p5.48xlarge"),
        ({"gpu": "L4", "regions": ("us-eas-1",)}, "unknown region of aws", "us-east-1"),
        ({"gpu": "MI300X"}, "no machine type of aws has this GPU", ""),
        (
            {"gpu": "L4", "clouds": ("gcp",), "regions": ("us-centrl1",)},
            "unknown region of gcp",
            "us-central1",
        ),
        (
            {"instance": "a3-hghgpu-8g", "clouds": ("gcp",), "regions": ("us-central1",)},
            "unknown machine type",
            "a3-highgpu-8g",
        ),
        (
            {"instance": "Standard_ND96isr_H100_v6", "clouds": ("azure",), "regions": ("eastus",)},
            "unknown machine type",
            "Standard_ND96isr_H100_v5",
        ),
    ],
)
def test_an_unknown_word_is_told_with_the_nearest_and_all_that_are_allowed(
    more: dict[str, object], message: str, suggestion: str
) -> None:
    with pytest.raises(InputError) as caught:
        choose(ask(**more))

    (problem,) = caught.value.problems
    assert problem.message == message
    assert problem.suggestion == suggestion
    assert problem.allowed


@pytest.mark.parametrize(
    ("more", "fix"),
    [
        (
            {"instance": "g2-standard-4"},
            "it is a machine type of gcp; request its GPU: gpu: L4:1",
        ),
        ({"gpu": "L4", "regions": ("eastus",)}, "it is a region of Azure"),
        ({"gpu": "MI300X"}, "available on azure"),
    ],
)
def test_what_another_cloud_has_is_told_as_such(more: dict[str, object], fix: str) -> None:
    with pytest.raises(InputError) as caught:
        choose(ask(**more))

    (problem,) = caught.value.problems
    assert problem.fix.startswith(fix)
    assert problem.suggestion == ""


def test_a_type_of_no_family_has_a_way_out() -> None:
    with pytest.raises(InputError) as caught:
        choose(ask(instance="zz9.large"))

    (problem,) = caught.value.problems
    assert problem.allowed == ""
    assert problem.fix == "`gpuinfra choose H100:8 --cloud aws` ranks machine types for a GPU"


def test_all_unknown_words_are_told_at_once() -> None:
    with pytest.raises(InputError) as caught:
        choose(ask(gpu="H10", regions=("us-eas-1", "us-west-9")))

    assert [problem.value for problem in caught.value.problems] == ["H10", "us-eas-1", "us-west-9"]


def test_where_nothing_fits_the_closest_of_the_same_gpu_say_why() -> None:
    with pytest.raises(NothingFits) as caught:
        choose(ask(gpu="H100", count=8, regions=("eu-west-1",)))

    nearest = caught.value.nearest
    gpus = {machine.gpu for loser in nearest if (machine := AWS.machines.get(loser.machine))}
    assert gpus == {"H100-SXM-80GB"}
    assert nearest[0].machine == "p5.48xlarge"
    assert nearest[0].constraint == "region"
    assert nearest[0].reason.startswith("is not offered in eu-west-1, but in eu-")
    assert all(loser.machine in caught.value.problems[0].fix for loser in nearest)


def test_a_retired_machine_loses_though_a_price_is_still_listed() -> None:
    assert AWS.prices.rows("p3.2xlarge", "us-east-1", "on-demand")
    with pytest.raises(NothingFits) as caught:
        choose(ask(instance="p3.2xlarge"))

    assert "retired" in caught.value.problems[0].fix


def test_what_is_not_sold_on_spot_loses_on_spot() -> None:
    with pytest.raises(NothingFits) as caught:
        choose(ask(gpu="GB200", capacity="spot"))

    assert "not offered as spot, only as capacity-block" in caught.value.problems[0].fix


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"gpu": "H100", "count": 3}, "H100:3"),
        ({"memory": Range(80 * 10**9, None), "count": 3}, "80GB..:3"),
        ({"memory": Range(79 * 10**9, 79 * 10**9)}, "79GB"),
        ({"instance": "p3.2xlarge"}, "p3.2xlarge"),
    ],
)
def test_what_nothing_fits_is_told_in_full(more: dict[str, object], words: str) -> None:
    with pytest.raises(NothingFits) as caught:
        choose(ask(**more))

    assert caught.value.problems[0].value == words


def test_with_a_purpose_machines_that_an_image_serves_come_first() -> None:
    words = {
        "clouds": ("azure",),
        "regions": ("eastus",),
        "memory": Range(24 * 10**9, None),
    }
    plain = [candidate.machine.type for candidate in choose(ask(**words)).ranked]
    started = [
        candidate.machine.type for candidate in choose(ask(**words, purpose="training")).ranked
    ]

    assert plain[0] == "Standard_NV36ads_A10_v5"
    assert started[0] == "Standard_NC24ads_A100_v4"
    assert sorted(plain) == sorted(started)

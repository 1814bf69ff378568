"""What a machine lacks, in words, on machines of the tables."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.catalog import NothingFits, OfferedMachines, PriceBook, Request, choose
from gpuinfra.catalog.choosing.machine_constraints import runs_the_same
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.errors import InputError
from gpuinfra.units import Range
from tests.catalog.choosing.asking import ask, near


def reasons(request: Request) -> dict[str, tuple[str, str]]:
    try:
        losers = choose(request).losers
    except NothingFits as nothing:
        losers = nothing.losers
    return {loser.machine: (loser.constraint, loser.reason) for loser in losers}


@pytest.mark.parametrize(
    ("query", "machine", "constraint", "reason"),
    [
        (
            ask("azure", gpu="A100-PCIe-80GB", nvlink=True),
            "Standard_NC96ads_A100_v4",
            "nvlink",
            "NVLink connects its 4 GPUs only in groups of 2",
        ),
        (
            ask(gpu="L4", nvlink_domain=8),
            "g6.48xlarge",
            "nvlink_domain",
            "NVLink does not connect its GPUs, not 8",
        ),
        (
            ask("azure", gpu="A100", nvlink_domain=8),
            "Standard_NC96ads_A100_v4",
            "nvlink_domain",
            "NVLink connects 2 GPUs, not 8",
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
         "the dense bf16 rate of T4 is unknown"),
        (ask(gpu="L4", vcpu_per_gpu=8), "g6.xlarge", "vcpu_per_gpu",
         "has 4 vCPUs per GPU, fewer than 8"),
        (ask(gpu="L4", ram_per_gpu=64 * 2**30), "g6.xlarge", "ram_per_gpu",
         "has 16GiB of memory per GPU, less than 64GiB"),
        (ask(architecture="arm64"), "g6.xlarge", "architecture", "its processor is x86_64"),
        (ask(gpu="H100", max_per_hour=Decimal(40)), "p5.48xlarge", "price",
         "costs $55.04 an hour, more than $40.00"),
        (ask(gpu="L4", max_per_hour=Decimal("0.5")), "g6.xlarge", "price",
         "costs $0.80 an hour, more than $0.50"),
        (ask(gpu="L4", max_per_hour=Decimal("0.801")), "g6.xlarge", "price",
         "costs $0.8048 an hour, more than $0.801"),
        (ask(gpu="H100", commitment="reserved-1y"), "p5.4xlarge", "commitment",
         "its reserved-1y price in us-east-1 is unknown"),
        (ask("tencent", gpu="V100", max_per_hour=Decimal(40)), "GN10Xp.2XLARGE40", "price",
         "costs 11.98 CNY an hour, and no exchange rate is set"),
    ],
)  # fmt: skip
def test_a_loser_says_what_it_lacks(
    query: Request, machine: str, constraint: str, reason: str
) -> None:
    assert reasons(query)[machine] == (constraint, reason)


def test_an_arm_processor_that_is_asked_for_needs_no_name() -> None:
    assert {
        candidate.machine.architecture for candidate in choose(ask(architecture="arm64")).ranked
    } == {"arm64"}


@pytest.mark.parametrize(
    ("more", "message", "suggestion"),
    [
        ({"capacity": "spto"}, "unknown purchase option", "spot"),
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

    assert caught.value.problems[0].fix.startswith("available on azure")


@pytest.mark.parametrize("name", ["hours", "machines", "max_per_hour", "nvlink_domain"])
def test_a_number_below_one_means_nothing(name: str) -> None:
    with pytest.raises(InputError) as caught:
        choose(ask(gpu="H100", **{name: Decimal(-3) if name == "hours" else -3}))

    assert [problem.path for problem in caught.value.problems] == [(name,)]


def test_the_processor_is_told_apart_from_the_maker_of_the_gpu() -> None:
    large = reasons(ask(memory=Range(16 * 10**9, None)))

    assert large["g5g.xlarge"] == ("architecture", "its processor is arm64")
    assert large["inf2.xlarge"][0] == "vendor"
    _, misses = near(ask("lambda", memory=Range(80 * 10**9, None), by="tflops"))
    assert misses["architecture"] == ("x86_64", "arm64", "gpu_1x_gh200")


def test_own_hardware_needs_no_image_and_no_processor() -> None:
    own = replace(priced_cloud_of("aws").machines.get("p4d.24xlarge"), cloud="own", type="rack-1",
                  gpu="MI300X-192GB", gpu_memory_nominal_gb=Decimal(192), architecture=None,
                  regions=("berlin",))  # fmt: skip
    request = Request(clouds=("own",), regions=("berlin",), memory=Range(16 * 10**9, None))

    assert choose(request, PriceBook(machines=[own])).winner.machine == own
    with pytest.raises(NothingFits) as caught:
        choose(replace(request, architecture="x86_64"), PriceBook(machines=[own]))
    assert caught.value.nearest[0].reason == "its processor architecture is unknown"


def test_a_commitment_is_no_way_to_buy() -> None:
    for word in ("reserved-1y", "3y"):
        with pytest.raises(InputError) as caught:
            choose(ask(gpu="L4", capacity=word))

        (problem,) = caught.value.problems
        assert problem.message == f"{word} is a commitment, not a purchase option"
        assert problem.fix == f"use it as a commitment: --commitment {word}"


def test_one_size_of_memory_is_no_range() -> None:
    with pytest.raises(NothingFits) as caught:
        choose(ask(memory=Range(33 * 10**9, 33 * 10**9), count=8))

    message = caught.value.problems[0].message
    assert message == "no machine type fits: any GPU:8 of 33GB, on-demand, in us-east-1"


def test_machines_and_prices_can_be_brought_along() -> None:
    """Ten catalogs in place of one: every machine ten times, under names of their own."""
    aws = priced_cloud_of("aws")
    times = 10
    many = tuple(
        replace(machine, type=f"{machine.type}-{number}")
        for machine in aws.machines.all_machines()
        for number in range(times)
    )

    class Ten(PriceBook):
        def rows(self, cloud: str, item: str, region: str, mode: str):
            return aws.prices.rows(item.rpartition("-")[0], region, mode)

    choice = choose(ask(gpu="H100", count=8), Ten(), OfferedMachines({"aws": many}))

    assert [candidate.machine.type for candidate in choice.ranked] == [
        f"p5.48xlarge-{it}" for it in range(10)
    ]
    assert len(choice.losers) == len(many) - times


@pytest.mark.parametrize(
    ("cloud", "machine", "kind"),
    [("alibaba", "ecs.gn6i-c4g1.xlarge", "erdma"), ("gcp", "n1-standard-4+1xT4", "roce")],
)
def test_a_fabric_that_nobody_tells_of_is_unknown_and_not_none(
    cloud: str, machine: str, kind: str
) -> None:
    """Neither the crawl of Alibaba Cloud nor a page on N1 says that there is none."""
    for wish in ({"fabric": True}, {"fabric_kind": kind}, {"fabric_speed": 10**9}):
        _, reason = reasons(ask(cloud, gpu="T4", **wish))[machine]

        assert reason == "its fabric support is unknown"


def test_a_fabric_that_a_cloud_denies_is_none() -> None:
    assert reasons(ask(gpu="A10G", fabric=True))["g5.xlarge"] == (
        "fabric",
        "has no fabric interfaces",
    )


@pytest.mark.parametrize(
    ("machine", "other", "same"),
    [
        ("p5.48xlarge", "p4d.24xlarge", True),
        ("p5.48xlarge", "inf1.24xlarge", False),
        ("trn1.2xlarge", "inf2.xlarge", False),
        ("trn1.2xlarge", "trn2.48xlarge", True),
    ],
)
def test_programs_run_on_gpus_of_one_family(machine: str, other: str, same: bool) -> None:
    machines = priced_cloud_of("aws").machines

    assert runs_the_same(machines.get(machine), machines.get(other)) is same

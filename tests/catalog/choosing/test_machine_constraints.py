"""What a machine lacks, in words, on machines of the tables."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.catalog import Choice, NothingFits, OfferedMachines, PriceBook, Request, choose
from gpuinfra.catalog import request as request_for
from gpuinfra.catalog.choosing.machine_constraints import runs_the_same
from gpuinfra.catalog.choosing.near_misses import near_misses
from gpuinfra.catalog.sizing.machine_fit import ModelRequest
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.errors import InputError
from gpuinfra.units import Range


def ask(cloud: str = "aws", **more: object) -> Request:
    region = priced_cloud_of(cloud).regions.default
    return Request(**{"clouds": (cloud,), "regions": (region,), **more})


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


def near(request: Request) -> tuple[Choice, dict[str, tuple[str, str, str]]]:
    choice = choose(request)
    misses = near_misses(request, choice)
    return choice, {
        miss.constraint: (miss.required, miss.actual, miss.candidate.machine.type)
        for miss in misses
    }


def test_near_misses_name_the_constraint_and_both_sides() -> None:
    _, misses = near(ask("azure", gpu="H100", count=8, regions=("eastus2",)))

    assert misses["gpu"] == ("H100", "H200-SXM-141GB", "Standard_ND96isr_H200_v5")
    assert "vendor" not in misses


def test_what_holds_or_computes_less_is_no_near_miss() -> None:
    """p4d has half the memory, a V100 an eighth of the rate, one H100 an eighth of eight."""
    _, memory = near(ask(memory=Range(80 * 10**9, None), count=8, nvlink=True))
    _, newest = near(ask(gpu="B300", count=8))
    _, fewer = near(ask("lambda", gpu="H100", count=8))

    assert "memory" not in memory
    assert "gpu" not in newest
    assert "count" not in fewer


def test_more_gpus_are_compared_by_what_one_costs() -> None:
    request = ask("lambda", gpu="H100", count=4)
    won = choose(request)
    (count,) = (miss for miss in near_misses(request, won) if miss.constraint == "count")

    assert (won.winner.machine.gpu_count, count.candidate.machine.gpu_count) == (4, 8)
    assert count.candidate.all_machines_per_hour is not None
    assert won.winner.all_machines_per_hour is not None
    assert count.saved_share == 1 - (count.candidate.all_machines_per_hour / 8) / (
        won.winner.all_machines_per_hour / 4
    )
    assert count.unit == "$ per GPU-hour"


@pytest.mark.parametrize(("by", "compares"), [("hour", False), ("run", False), ("memory", True)])
def test_another_gpu_saves_only_by_a_figure_for_what_it_does(by: str, compares: bool) -> None:
    request = ask("azure", regions=("eastus2",), gpu="H100", count=8, by=by, hours=Decimal(10))
    misses = {miss.constraint: miss for miss in near_misses(request, choose(request))}

    assert (misses["gpu"].saved_share is not None) is compares
    assert misses["gpu"].candidate.all_machines_per_hour is not None


def test_a_near_miss_without_the_network_to_train_is_none() -> None:
    """Of 70B, cheaper GPUs need so many machines that nothing known joins them."""
    model = ModelRequest(parameters=70 * 10**9, task="train")
    request = ask("lambda", model=model, memory=Range(80 * 10**9, None))
    choice = choose(request)

    assert choice.winner.machines == 1
    assert all(miss.candidate.connected for miss in near_misses(request, choice))


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


@pytest.mark.parametrize(
    ("query", "path", "way_out"),
    [
        (ask("gcp", memory=Range(80 * 10**9, None), nvlink_domain=72), ("gpu",),
         "use another architecture: arm64"),
        (ask(gpu="H100", fabric_speed=10**12), ("gpu", "fabric_speed"),
         "use a slower fabric: 3200Gbps"),
        (ask(gpu="H100", count=8, max_per_hour=Decimal(40)), ("gpu", "max_per_hour"),
         "allow a higher price: $55.04"),
        (ask(gpu="H100", count=3), ("gpu", "count"), "use another count: 1"),
        (
            ask(gpu="H100", count=16),
            ("gpu", "count"),
            "use another count: 8, on 2 machines (nodes: 2)",
        ),
        (
            ask(gpu="H100", count=16, machines=3),
            ("gpu", "count"),
            "use another count: 8, on 6 machines (nodes: 6)",
        ),
        (ask(gpu="H100", count=16, purpose="inference"), ("gpu", "count"),
         "use another count: 8"),
        (ask(gpu="GB200", capacity="spot"), ("gpu",),
         "use another purchase option: capacity-block"),
        (ask(gpu="L4", nvlink=True), ("gpu", "nvlink"), "drop NVLink"),
        (ask(gpu="T4", precision="bf16"), ("gpu", "precision"), "use another precision"),
        (ask(gpu="L4", fabric_kind="efa", count=1, vcpu_per_gpu=10**4), ("gpu", "vcpu_per_gpu"),
         "use fewer vCPUs per GPU: 64"),
        (ask(gpu="L4", count=8, fabric=True, memory=Range(10**11, None)), ("gpu", "memory"),
         "request another GPU memory size: 24GB"),
        (ask(gpu="L4", fabric_kind="efa", count=1, ram_per_gpu=10**15), ("gpu", "ram_per_gpu"),
         "request less machine memory per GPU: 256GiB"),
        (ask(instance="p3.2xlarge"), ("instance",),
         "use another type, or request its GPU: V100-16GB:1"),
        (ask(instance="p5.48xlarge", count=4), ("gpu", "count"), "use another count: 8"),
        (ask(gpu="L4", count=1, machines=1,
             model=ModelRequest(parameters=70 * 10**9, task="train")),
         ("gpu", "for_model"),
         ("use 282 machines, or reduce the model: fewer parameters, a smaller "
             "batch or context")),
    ],
)  # fmt: skip
def test_where_nothing_fits_the_nearest_tells_the_place_and_the_way_out(
    query: Request, path: tuple[str, ...], way_out: str
) -> None:
    with pytest.raises(NothingFits) as caught:
        choose(query)

    (problem,) = caught.value.problems
    assert problem.path == path
    assert caught.value.alternative == way_out
    assert problem.fix.startswith(f"{way_out}; the closest: ")


@pytest.mark.parametrize(
    ("more", "nearest"),
    [
        ({"gpu": "H100", "count": 8, "fabric_speed": 10**12}, "p5.48xlarge"),
        ({"gpu": "L4", "vcpu_per_gpu": 65}, "g6.16xlarge"),
        ({"gpu": "L4", "ram_per_gpu": 2 * 2**40}, "g6.16xlarge"),
        ({"gpu": "H100", "nvlink_domain": 9}, "p5.48xlarge"),
    ],
)
def test_of_those_that_lack_the_same_the_least_off_stands_first(
    more: dict[str, object], nearest: str
) -> None:
    with pytest.raises(NothingFits) as caught:
        choose(ask(**more))

    assert caught.value.nearest[0].machine == nearest


def test_of_a_type_that_is_named_no_other_is_close() -> None:
    with pytest.raises(NothingFits) as caught:
        choose(ask(instance="p5.48xlarge", count=4))

    assert [nearest.machine for nearest in caught.value.nearest] == ["p5.48xlarge"]


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


def test_relaxing_the_region_or_the_way_to_buy_says_which_instead() -> None:
    _, by_way = near(ask("gcp", nvlink=True, count=8, memory=Range(80 * 10**9, None)))
    large = {"memory": Range(80 * 10**9, None), "count": 8}
    _, by_place = near(ask(regions=("eu-north-1",), **large))

    assert by_way["capacity"][:2] == ("on-demand", "spot")
    assert by_place["region"] == ("eu-north-1", "us-east-1", "p4de.24xlarge")


def test_where_the_winner_has_no_price_nothing_can_be_saved() -> None:
    request = ask("gcp", instance="a3-edgegpu-8g")
    choice = choose(request)

    assert choice.winner.per_hour is None
    assert near_misses(request, choice) == ()


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


@pytest.mark.parametrize("wanted", ["H100", "H100:8", "L4", "TRAINIUM1", "MI300X", "V100"])
def test_no_near_miss_has_a_gpu_that_other_programs_are_written_for(wanted: str) -> None:
    clouds = ("aws", "gcp", "azure")
    regions = tuple(region for cloud in clouds for region in priced_cloud_of(cloud).regions.all())
    request = request_for(wanted, clouds=clouds, regions=regions)
    choice = choose(request)
    others = [miss for miss in near_misses(request, choice) if miss.constraint == "gpu"]

    assert all(runs_the_same(miss.candidate.machine, choice.winner.machine) for miss in others)
    assert not any(miss.candidate.machine.gpu.startswith("INFERENTIA") for miss in others)


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

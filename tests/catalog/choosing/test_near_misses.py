"""What relaxing one constraint would save."""

from decimal import Decimal

import pytest

from gpuinfra.catalog import choose
from gpuinfra.catalog import request as request_for
from gpuinfra.catalog.choosing.machine_constraints import runs_the_same
from gpuinfra.catalog.choosing.near_misses import near_misses
from gpuinfra.catalog.sizing.machine_fit import ModelRequest
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.units import Range
from tests.catalog.choosing.asking import ask, near


def test_near_misses_name_the_constraint_and_both_sides() -> None:
    _, misses = near(ask("azure", gpu="H100", count=8, regions=("eastus2",)))

    assert misses["gpu"] == ("H100", "H200-SXM-141GB", "Standard_ND96isr_H200_v5")
    assert "vendor" not in misses


@pytest.mark.parametrize(
    ("task", "saves"), [("serve", "inf2.xlarge"), ("lora", "trn1.2xlarge"), ("train", None)]
)
def test_no_accelerator_for_inference_is_advised_for_training(
    task: str, saves: str | None
) -> None:
    model = ModelRequest(parameters=8 * 10**9, task=task)
    _, misses = near(ask("aws", model=model))

    assert misses.get("vendor", ("", "", None))[2] == saves


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


@pytest.mark.parametrize("wanted", ["H100", "H100:8", "L4", "TRAINIUM1", "MI300X", "V100"])
def test_no_near_miss_has_a_gpu_that_other_programs_are_written_for(wanted: str) -> None:
    clouds = ("aws", "gcp", "azure")
    regions = tuple(region for cloud in clouds for region in priced_cloud_of(cloud).regions.all())
    request = request_for(wanted, clouds=clouds, regions=regions)
    choice = choose(request)
    others = [miss for miss in near_misses(request, choice) if miss.constraint == "gpu"]

    assert all(runs_the_same(miss.candidate.machine, choice.winner.machine) for miss in others)
    assert not any(miss.candidate.machine.gpu.startswith("INFERENTIA") for miss in others)

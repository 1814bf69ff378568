"""The choice on made-up catalogs, against a chooser that is written apart from it."""

from collections.abc import Sequence
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from gpuinfra.catalog import NothingFits, Request, choose, gpu
from gpuinfra.catalog.choosing.near_misses import near_misses
from gpuinfra.catalog.sizing.machine_fit import ModelRequest
from gpuinfra.units import Range
from tests.catalog.choosing.other_chooser import ORDER, Plain
from tests.catalog.choosing.worlds import DAY, GB, GPUS, World, some, world_of

DEMANDS: dict[str, Sequence[Any]] = {
    "gpu": ("H100", "A100", "T4", "MI300X", "A100-40GB"),
    "memory": (Range(40 * GB, None), Range(16 * GB, 40 * GB)),
    "count": (1, 8),
    "nvlink": (True, False),
    "nvlink_domain": (2, 8),
    "instance": ("m0.large",),
    "fabric": (True,),
    "fabric_kind": ("efa",),
    "fabric_speed": (50 * GB,),
    "precision": ("bf16", "fp8"),
    "vcpu_per_gpu": (8,),
    "ram_per_gpu": (64 * 2**30,),
    "architecture": ("x86_64", "arm64"),
    "max_per_hour": (Decimal(2), Decimal("8.5")),
    "max_price": (Decimal(1), Decimal(2), Decimal(3)),
    "base": (True,),
    "model": (
        ModelRequest(parameters=7 * GB, task="fine-tune"),
        ModelRequest(parameters=7 * GB, task="fine-tune"),
        ModelRequest(parameters=7 * GB, task="serve"),
    ),
    "machines": (1, 4),
}
WAYS = (
    ("on-demand", None),
    ("spot", None),
    ("on-demand", "1y"),
    ("on-demand", "3y"),
    ("on-demand", "reserved-1y"),
    ("on-demand", "savings-1y"),
)


def wish_of(chance: Random, world: World) -> Request | None:
    """A few demands; None where the world does not know their words."""
    clouds = chance.choice([("aws",), ("gcp",), ("aws", "gcp"), ("gcp", "aws")])
    machines = [machine for machine in world.machines if machine.cloud in clouds]
    regions = sorted({region for machine in machines for region in machine.regions})
    names = chance.sample(sorted(DEMANDS), chance.choice([0, 1, 1, 2, 2, 3]))
    capacity, commitment = some(chance, WAYS)
    if "max_per_hour" in names and chance.random() < 0.7:
        capacity, commitment = "spot", None
        names += chance.sample(["max_price", "base"], chance.randint(0, 2))
    if "model" in names and chance.random() < 0.5:
        names.append("machines")
    request = Request(
        day=DAY,
        clouds=clouds,
        regions=tuple(chance.sample(regions, chance.randint(min(1, len(regions)), len(regions)))),
        capacity=capacity,
        commitment=commitment,
        hours=Decimal(chance.choice(["1", "10000"])),
        by=chance.choice(["hour", "run", "tflops", "memory", "bandwidth"]),
        **{name: chance.choice(DEMANDS[name]) for name in dict.fromkeys(names)},
    )
    return request if request.regions and known(world, request) else None


@pytest.mark.slow
@settings(max_examples=1000)
@given(st.randoms(use_true_random=True))
def test_the_choice_is_that_of_the_other_chooser(chance: Random) -> None:
    world = world_of(chance)
    request = wish_of(chance, world)
    assume(request)
    note(f"{world}\n{request}")
    plain = Plain(world, request)
    expected = plain.fitting()
    faults = {(machine.cloud, machine.type): plain.faults(machine) for machine in plain.machines}
    losers = {key: constraints[0] for key, constraints in faults.items() if constraints}
    if not expected:
        with pytest.raises(NothingFits) as caught:
            choose(request, world.book, world.stock)
        assert {(it.cloud, it.machine): it.constraint for it in caught.value.losers} == losers
        return

    choice = choose(request, world.book, world.stock)

    assert [
        (it.machine, it.region, it.per_hour, it.currency, it.mode, it.machines, it.figure)
        for it in choice.ranked
    ] == [
        (it.machine, it.region, it.amount, it.currency, it.mode, it.number, it.figure)
        for it in expected
    ]
    assert choice.winner == choice.ranked[0]
    assert {(it.cloud, it.machine): it.constraint for it in choice.losers} == losers
    assert all(it.reason for it in choice.losers)
    near = near_misses(request, choice, world.book, world.stock)
    assert {
        it.constraint: (
            it.candidate.machine.cloud,
            it.candidate.machine.type,
            it.candidate.region,
            it.saved_share,
        )
        for it in near
    } == plain.near(expected[0])
    assert all(it.required != it.actual for it in near)
    assert [it.constraint for it in near] == sorted(
        (it.constraint for it in near), key=ORDER.index
    )


def known(world: World, request: Request) -> bool:
    """Whether the words of a request are those of the made-up tables, and go together."""
    machines = [machine for machine in world.machines if machine.cloud in request.clouds]
    return (
        not (request.nvlink is False and request.nvlink_domain)
        and (
            request.commitment is None
            or any(Plain(world, request).modes(it) for it in request.clouds)
        )
        and (
            request.gpu is None
            or any(request.gpu in GPUS[machine.gpu]["words"] for machine in machines)
        )
        and (
            request.instance is None
            or any(machine.type == request.instance for machine in machines)
        )
        and (
            request.fabric_kind is None
            or any(machine.fabric == request.fabric_kind for machine in machines)
        )
    )


def test_the_facts_of_the_other_chooser_are_those_of_the_table() -> None:
    for key, facts in GPUS.items():
        row = gpu(key)
        assert row is not None
        assert (row.bf16_tflops, row.fp8_tflops, row.bandwidth_gbs) == (
            facts["bf16"],
            facts["fp8"],
            facts["bandwidth"],
        )

"""The inputs of the provider score: the catalog's rows, and values without a source."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.commitment_terms import COMMITMENTS
from gpuinfra.catalog.fact_age import is_outdated
from gpuinfra.catalog.gpus import gpu, matching
from gpuinfra.catalog.machine_listing import cheapest
from gpuinfra.catalog.price_book import CATALOG, CURRENCY, PriceBook
from gpuinfra.catalog.scoring.score import ScoreInput, ScoreValue, best_value
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.model import Machine, Price

UNSOURCED_INPUTS: Final = (
    ("network", "latency between machines", "µs", "no measurement that was read"),
    ("support", "promised availability", "%", "no service agreement that was read"),
    ("support", "time to a response", "h", "no support plan that was read"),
    ("ecosystem", "containers and storage", "", "no measurements exist"),
)
"""Criteria of the guides that no table covers: criterion, name, unit, why it is unknown."""

MAX_GPUS_PER_MACHINE: Final = 16
"""The most GPUs that count as a machine; more are a rack that is rented whole."""

Measure = Callable[[Machine], ScoreValue]
"""A figure of a machine, with its source and date."""


def inputs(
    clouds: Sequence[str], model: str, day: date, prices: PriceBook = CATALOG
) -> tuple[ScoreInput, ...]:
    """Return every input of the score, sourced or marked unknown.

    Args:
        clouds: the providers.
        model: the GPU that prices are compared for, for example A100.
        day: the day that the age of a price is judged for.
        prices: where prices come from.
    """
    keys = frozenset(matching(model))

    def price(name: str, modes: Sequence[str]) -> ScoreInput:
        readings = {cloud: _lowest_gpu_price(cloud, keys, modes, prices, day) for cloud in clouds}
        full = best_value(readings.values(), "less")
        return ScoreInput(
            criterion="cost",
            name=name,
            unit="$/GPU-h",
            direction="less",
            values=readings,
            full_points_value=full,
        )

    return (
        _score_input(
            clouds, "performance", "dense FP16 rate of the best machine type", "TFLOPS", _compute
        ),
        _score_input(
            clouds, "performance", "memory bandwidth of the best machine", "GB/s", _memory
        ),
        price(f"{model}, on demand", ("on-demand",)),
        price(f"{model}, committed", COMMITMENTS),
        _score_input(clouds, "network", "fabric of the best machine", "Gbps", _fabric),
        *(
            ScoreInput(
                criterion=criterion,
                name=name,
                unit=unit,
                direction="more",
                values=dict.fromkeys(
                    clouds, ScoreValue(value=None, source="", as_of="", note=why)
                ),
                full_points_value=None,
            )
            for criterion, name, unit, why in UNSOURCED_INPUTS
        ),
    )


def _score_input(
    clouds: Sequence[str], criterion: str, name: str, unit: str, measure: Measure
) -> ScoreInput:
    readings = {cloud: _highest_value(cloud, measure) for cloud in clouds}
    return ScoreInput(
        criterion=criterion,
        name=name,
        unit=unit,
        direction="more",
        values=readings,
        full_points_value=best_value(readings.values(), "more"),
    )


def _highest_value(cloud: str, measure: Measure) -> ScoreValue:
    """Return the highest value of any machine of a cloud.

    Unknown where it is known of none, and where those it is known of have none at all while it
    isn't known of others.
    """
    values = [
        measure(machine)
        for machine in priced_cloud_of(cloud).machines.all_machines()
        if machine.status == "current" and machine.gpu_count <= MAX_GPUS_PER_MACHINE
    ]
    known_values = [
        (score_value.value, score_value.note, score_value)
        for score_value in values
        if score_value.value is not None
    ]
    value, _, most = max(known_values, key=lambda entry: entry[:2], default=(Decimal(0), "", None))
    if most is None or (not value and len(known_values) < len(values)):
        return ScoreValue(value=None, source="", as_of="", note="unknown for its machines")
    return most if value else replace(most, note="none has it")


def _compute(machine: Machine) -> ScoreValue:
    return _total_of_gpus(machine, "fp16_tflops")


def _memory(machine: Machine) -> ScoreValue:
    return _total_of_gpus(machine, "bandwidth_gbs")


def _total_of_gpus(machine: Machine, fact: str) -> ScoreValue:
    """Return a figure of all GPUs of a machine together."""
    model = gpu(machine.gpu)
    fact_per_gpu: Decimal | None = None if model is None else getattr(model, fact)
    if model is None or fact_per_gpu is None:
        return ScoreValue(value=None, source="", as_of="", note=machine.type)
    return ScoreValue(
        value=machine.gpu_count * fact_per_gpu,
        source=model.source,
        as_of=model.as_of,
        note=machine.type,
        unverified=fact in model.unverified,
    )


def _fabric(machine: Machine) -> ScoreValue:
    return ScoreValue(
        value=Decimal(0) if machine.fabric_interfaces == 0 else machine.fabric_gbps,
        source=machine.source,
        as_of=machine.as_of,
        note=machine.type,
    )


def _lowest_gpu_price(
    cloud: str, keys: frozenset[str], modes: Sequence[str], prices: PriceBook, day: date
) -> ScoreValue:
    """Return the lowest price per GPU in dollars; unknown where there is none."""
    rows = list(_rates(cloud, keys, modes, prices))
    dollars = [rate for rate in rows if rate[2].currency == CURRENCY]
    if not dollars:
        reason = f"known only in {rows[0][2].currency}" if rows else "no such price is known"
        return ScoreValue(value=None, source="", as_of="", note=reason)
    per_gpu, type_, row = min(dollars, key=lambda rate: rate[:2])
    return ScoreValue(
        value=per_gpu,
        source=row.source,
        as_of=row.as_of,
        note=f"{type_} in {row.region}, {row.mode}",
        outdated=is_outdated(row.as_of, day),
    )


def _rates(
    cloud: str, keys: frozenset[str], modes: Sequence[str], prices: PriceBook
) -> Iterator[tuple[Decimal, str, Price]]:
    priced_cloud = priced_cloud_of(cloud)
    for machine in priced_cloud.machines.all_machines():
        if machine.gpu not in keys or machine.status != "current":
            continue
        for mode in modes:
            row = cheapest(machine, mode, prices) if mode in priced_cloud.prices.modes() else None
            if row is not None:
                yield row.per_unit / machine.gpu_count, machine.type, row

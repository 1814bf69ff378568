"""Edits to the number of machines, and to the on-demand machines of a pool."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.fixes.fix import Path
from gpuinfra.fixes.options import Dimension, EditOption, OptionContext, Work
from gpuinfra.rules.rule import Family
from gpuinfra.specs import Training

MONEY: Final[frozenset[Family]] = frozenset({"budget"})
SHARES: Final[frozenset[Family]] = frozenset({"spot"})
SCALING: Final[frozenset[Family]] = frozenset({"hygiene"})

MACHINES: Final = 1
MAX_ADDED_MACHINES: Final = 4
"""The maximum increase of a pool's maximum number of machines."""


def dimensions(context: OptionContext, path: Path, _: str, workload: Work) -> Iterator[Dimension]:
    """Yield the possible edits to a workload's number of machines."""
    subject = ".".join(map(str, path))
    for title, family, options in _count_options(context, path, workload):
        if options:
            yield Dimension(
                name=title, subject=subject, options=options, is_ordered=True, families=family
            )


Choice = tuple[str, frozenset[Family], tuple[EditOption, ...]]


def _count_options(context: OptionContext, path: Path, workload: Work) -> Iterator[Choice]:
    if isinstance(workload, Training):
        fewer = range(workload.nodes - 1, 0, -1)
        yield "nodes", MONEY, tuple(context.option((*path, "nodes"), nodes) for nodes in fewer)
        return
    low, high = workload.replicas.minimum, workload.replicas.maximum or workload.replicas.minimum
    base = workload.capacity.on_demand_base
    for title, family, spans in (
        (
            "replicas",
            MONEY,
            [(low, maximum) for maximum in range(high - 1, max(low + 1, base) - 1, -1)],
        ),
        ("fixed replicas", MONEY, [(low, low)] if high > low >= max(base, 1) else []),
        ("fewer replicas", SCALING, [(minimum, high) for minimum in range(low - 1, 0, -1)]),
        (
            "more replicas",
            SCALING,
            [(low, maximum) for maximum in range(high + 1, high + MAX_ADDED_MACHINES + 1)],
        ),
    ):
        yield (
            title,
            family,
            tuple(
                context.option(
                    (*path, "replicas"),
                    low if low == high else f"{low}..{high}",
                    disruption=MACHINES,
                )
                for low, high in spans
            ),
        )
    if workload.capacity.above == "spot":
        holder = (*path, "capacity")
        for title, bases in (
            ("smaller base", range(base - 1, -1, -1)),
            ("larger base", range(base + 1, high + 1)),
        ):
            yield (
                title,
                SHARES,
                tuple(
                    context.option_in_mapping(
                        holder, "above", "on_demand_base", size, disruption=MACHINES
                    )
                    for size in bases
                ),
            )

"""Fewer or more machines, and how many of a pool are always on demand."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.fixes.fix import Path
from gpuinfra.fixes.options import Dimension, Option, OptionContext, Work
from gpuinfra.rules.rule import Family
from gpuinfra.specs import Training

MONEY: Final[frozenset[Family]] = frozenset({"budget"})
SHARES: Final[frozenset[Family]] = frozenset({"spot"})
SCALING: Final[frozenset[Family]] = frozenset({"hygiene"})

MACHINES: Final = 1
MORE: Final = 4
"""How many machines a pool's maximum is raised by at most."""


def dimensions(ground: OptionContext, path: Path, _: str, work: Work) -> Iterator[Dimension]:
    """What may be changed of how many machines a workload has."""
    about = ".".join(map(str, path))
    for what, family, options in _all(ground, path, work):
        if options:
            yield Dimension(what=what, about=about, options=options, ordered=True, for_=family)


Choice = tuple[str, frozenset[Family], tuple[Option, ...]]


def _all(ground: OptionContext, path: Path, work: Work) -> Iterator[Choice]:
    if isinstance(work, Training):
        fewer = range(work.nodes - 1, 0, -1)
        yield "nodes", MONEY, tuple(ground.option((*path, "nodes"), nodes) for nodes in fewer)
        return
    low, high = work.replicas.minimum, work.replicas.maximum or work.replicas.minimum
    base = work.capacity.on_demand_base
    for what, family, spans in (
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
            [(low, maximum) for maximum in range(high + 1, high + MORE + 1)],
        ),
    ):
        yield (
            what,
            family,
            tuple(
                ground.option(
                    (*path, "replicas"),
                    low if low == high else f"{low}..{high}",
                    upheaval=MACHINES,
                )
                for low, high in spans
            ),
        )
    if work.capacity.above == "spot":
        holder = (*path, "capacity")
        for what, bases in (
            ("smaller base", range(base - 1, -1, -1)),
            ("larger base", range(base + 1, high + 1)),
        ):
            yield (
                what,
                SHARES,
                tuple(
                    ground.inside(holder, "above", "on_demand_base", size, upheaval=MACHINES)
                    for size in bases
                ),
            )

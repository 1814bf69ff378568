"""The charts of a page: bars of costs, spot against on demand, and candidates."""

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from markupsafe import Markup
from matplotlib.ticker import Formatter, LogLocator

from gpuinfra.cost.interruption_sweep import SpotCurve
from gpuinfra.errors import printable
from gpuinfra.records import record
from gpuinfra.report.html.svg import FIRST, INK, LIMIT, MUTED, SECOND, inline_svg
from gpuinfra.units import format_count, format_parts, format_unit_prices

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST_BESIDE, LONGEST_LABEL = 14, 36
"""Letters of a label beside a bar, and above it."""

UNSEEN: Final = 0.02
"""The share of the longest bar below which a part of one has no width that can be seen."""


@record
class Bar:
    """A bar: its label, its cost on the active rung, and the most a fallback rung adds."""

    label: str
    amount: Decimal
    fallback_extra: Decimal = Decimal(0)


@record
class Point:
    """A machine in a scatter chart; `rank` is 0 for the active one, 1 if it fits, 2 if not."""

    memory: float
    price: float
    rank: int


@record
class Chart:
    """A drawing, and its legend: the class of each mark in the page's style, and its name."""

    drawing: Markup
    legend: tuple[tuple[str, str], ...] = ()


def bars(name: str, title: str, rows: Sequence[Bar]) -> Chart:
    """Return a bar chart in US dollars, longest on top, with fallbacks in another colour."""
    totals = [row.amount + row.fallback_extra for row in rows]
    texts = format_parts(totals, sum(totals, Decimal(0)))
    description = "; ".join(f"{row.label}: {text}" for row, text in zip(rows, texts, strict=True))
    labels = [_label(row.label) for row in rows]
    fits = all(len(label) <= LONGEST_BESIDE for label in labels)

    def draw(axes: "Axes") -> None:
        positions = range(len(rows))
        amounts = [float(row.amount) for row in rows]
        added_costs = [float(row.fallback_extra) for row in rows]
        longest = max((a + b for a, b in zip(amounts, added_costs, strict=True)), default=0) or 1
        height = 0.62 if fits else 0.4
        axes.barh(positions, amounts, color=FIRST, height=height)
        axes.barh(positions, added_costs, left=amounts, color=SECOND, height=height)
        for bar_index, (total, text) in enumerate(zip(totals, texts, strict=True)):
            axes.text(float(total) + longest * UNSEEN, bar_index, text, va="center_baseline")
            if not fits:
                axes.text(0, bar_index - 0.45, labels[bar_index], va="center_baseline")
        axes.set_yticks(list(positions) if fits else [], labels if fits else [])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(rows) - 0.5, -0.5 if fits else -0.7)
        axes.set_xlim(0, longest * 1.4)
        axes.xaxis.set_visible(False)
        axes.spines["bottom"].set_visible(False)

    has_both = any(row.amount and row.fallback_extra for row in rows)
    return Chart(
        drawing=inline_svg(
            name, title, description, 0.5 + (0.34 if fits else 0.5) * len(rows), draw
        ),
        legend=(("planned", "as planned"), ("fallback", "fallbacks add at most"))
        if has_both
        else (),
    )


def spot_chart(name: str, curve: SpotCurve) -> Chart:
    """Return a chart of a spot run's cost by interruptions a day, compared with on demand."""
    title = f"{curve.group}: spot against on demand"
    description = f"on demand ${curve.on_demand:,.0f}; {'; '.join(_marks(curve))}"

    def draw(axes: "Axes") -> None:
        top = max(curve.on_demand, curve.points[0][1]) * 1.6
        visible_points = [(rate, cost) for rate, cost in curve.points if cost <= top]
        axes.set_xscale("log")
        axes.plot(*zip(*visible_points, strict=True), color=FIRST, linewidth=2)
        axes.axhline(curve.on_demand, color=SECOND, linewidth=2, linestyle="--")
        for rate, colour, style in (
            (curve.counted_per_day, LIMIT, ":"),
            (curve.break_even, INK, "-."),
        ):
            if rate is not None:
                axes.axvline(rate, color=colour, linewidth=1.5, linestyle=style)
        axes.set_xlim(curve.points[0][0], curve.points[-1][0] * 2)
        axes.set_ylim(0, top)
        axes.xaxis.set_major_formatter(_plain_number)
        axes.yaxis.set_major_formatter(lambda value, _: f"${value:,.0f}")
        axes.minorticks_off()
        axes.grid(visible=True, axis="y")
        axes.set_xlabel("interruptions per day")

    return Chart(
        drawing=inline_svg(name, title, description, 2.9, draw), legend=tuple(_spot_legend(curve))
    )


def _spot_legend(curve: SpotCurve) -> Iterator[tuple[str, str]]:
    yield "spot", "spot"
    yield "on-demand", "on demand"
    if curve.counted_per_day is not None:
        yield "counted", f"counted, {_frequency(curve.counted_per_day)}"
    if curve.break_even is not None:
        yield "break-even", f"break-even, {_frequency(curve.break_even)}"


def _frequency(per_day: float) -> str:
    """Return how often the run is interrupted: so many times a day, or once in so many days."""
    if per_day >= 1:
        return f"{_plain_number(float(f'{per_day:.2g}'))} a day"
    return f"one in {_plain_number(float(f'{1 / per_day:.2g}'))} days"


def scatter(name: str, title: str, points: Sequence[Point], active: str) -> Chart:
    """Return a scatter chart of a GPU's memory and the price of a TFLOPS, on logarithmic axes."""
    description = (
        f"{format_count(len(points), 'machine')}; filled circles fit the workload's words, "
        "the diamond is the active machine, and hollow ones do not fit"
    )

    def draw(axes: "Axes") -> None:
        axes.set_xscale("log")
        axes.set_yscale("log")
        for rank, marker, face, size in (
            (2, "o", "none", 26),
            (1, "o", FIRST, 44),
            (0, "D", LIMIT, 64),
        ):
            rank_points = [point for point in points if point.rank == rank]
            axes.scatter(
                [point.memory for point in rank_points],
                [point.price for point in rank_points],
                marker=marker,
                s=size,
                facecolors=face,
                edgecolors=MUTED if face == "none" else face,
                linewidths=1,
            )
        sizes = sorted({point.memory for point in points})
        axes.set_xticks(_non_overlapping(sizes))
        axes.minorticks_off()
        axes.xaxis.set_major_formatter(_plain_number)
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(SameDecimals())
        axes.set_xlim(min(sizes) / 1.3, max(sizes) * 1.3)
        axes.grid(visible=True)
        axes.set_xlabel("memory of one GPU, GB")
        axes.set_ylabel("$ per TFLOPS and hour")

    ranks = {point.rank for point in points}
    names = (("active", active), ("fits", "fits"), ("other", "does not fit"))
    return Chart(
        drawing=inline_svg(name, title, description, 3.2, draw),
        legend=tuple(legend_name for rank, legend_name in enumerate(names) if rank in ranks),
    )


class SameDecimals(Formatter):
    """Dollars on an axis, each with as many decimals as the one that needs most."""

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Return the labels of all ticks."""
        low, high = self.axis.get_view_interval() if self.axis else (0, math.inf)
        ticks = [value for value in values if low <= value <= high]
        labels = dict(
            zip(ticks, format_unit_prices(Decimal(f"{value:g}") for value in ticks), strict=True)
        )
        return [labels.get(value, "") for value in values]


def _non_overlapping(sizes: Sequence[float]) -> list[float]:
    """Return the sizes whose labels don't overlap on a logarithmic axis."""
    positions: list[float] = []
    for size in sizes:
        if not positions or size > 1.4 * positions[-1]:
            positions.append(size)
    return positions


def _marks(curve: SpotCurve) -> Iterator[str]:
    """Yield the curve's main points in words, for screen readers."""
    yield f"spot from ${curve.points[0][1]:,.0f} where it is hardly ever interrupted"
    if curve.counted_per_day is not None:
        yield f"interruptions counted: {_frequency(curve.counted_per_day)}"
    if curve.break_even is not None:
        yield f"spot is cheaper up to: {_frequency(curve.break_even)}"


def _plain_number(value: float, _: float = 0) -> str:
    """Return a number without an exponent, for people and as the label of a tick."""
    return f"{Decimal(f'{value:g}'):,f}"


def _label(text: str) -> str:
    label = printable(text)
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"

"""Charts as inline SVG, drawn by matplotlib: text stays text, and CSS sets the colours."""

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from gpuinfra.cost.interruption_sweep import SpotCurve
from gpuinfra.errors import printable
from gpuinfra.records import record
from gpuinfra.units import format_count, format_money, format_unit_price

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS: Final = {
    "#010101": "var(--ink)",
    "#020202": "var(--muted)",
    "#030303": "var(--line)",
    "#040404": "var(--first)",
    "#050505": "var(--second)",
    "#060606": "var(--limit)",
}
"""Stand-ins that matplotlib draws with, and the page's own colours, of its light or dark style."""

INK, MUTED, GRID, FIRST, SECOND, LIMIT = COLOURS

WIDTH: Final = 3.6
FONT_SIZE: Final = 11
"""In inches and points: on a phone of 360 pixels the text is 12 pixels high."""

SETTINGS: Final[dict[Any, Any]] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": FONT_SIZE,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GRID,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": MUTED,
    "ytick.color": INK,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.frameon": False,
}


LONGEST_LABEL: Final = 20
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
    label: str = ""


def bars(name: str, title: str, rows: Sequence[Bar]) -> Markup:
    """Return a bar chart in US dollars, longest on top, with fallbacks in another colour."""
    words = "; ".join(
        f"{row.label}: {format_money(row.amount + row.fallback_extra)}" for row in rows
    )

    def draw(axes: "Axes") -> None:
        places = range(len(rows))
        amounts = [float(row.amount) for row in rows]
        more = [float(row.fallback_extra) for row in rows]
        longest = max((a + b for a, b in zip(amounts, more, strict=True)), default=0) or 1
        axes.barh(places, amounts, color=FIRST, height=0.62)
        axes.barh(places, more, left=amounts, color=SECOND, height=0.62)
        for place, row in enumerate(rows):
            total = row.amount + row.fallback_extra
            axes.text(
                float(total) + longest * UNSEEN,
                place,
                f"{format_money(total)}",
                va="center",
            )
        axes.set_yticks(list(places), [_label(row.label) for row in rows])
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        axes.set_xlim(0, longest * 1.28)
        axes.xaxis.set_visible(False)
        axes.spines["bottom"].set_visible(False)

    return _svg(name, title, words, 0.5 + 0.34 * len(rows), draw)


def spot_chart(name: str, curve: SpotCurve) -> Markup:
    """Return a chart of a spot run's cost by interruptions a day, compared with on demand."""
    title = f"{curve.group}: spot against on demand"
    words = f"on demand ${curve.on_demand:,.0f}; {'; '.join(_marks(curve))}"

    def draw(axes: "Axes") -> None:
        top = max(curve.on_demand, curve.points[0][1]) * 1.6
        seen = [(rate, cost) for rate, cost in curve.points if cost <= top]
        axes.set_xscale("log")
        axes.plot(*zip(*seen, strict=True), color=FIRST, linewidth=2)
        axes.axhline(curve.on_demand, color=SECOND, linewidth=2, linestyle="--")
        start = curve.points[0][0]
        beside: dict[str, Any] = {"textcoords": "offset points"}
        axes.annotate("on demand", (start, curve.on_demand), xytext=(5, 4), **beside)
        axes.annotate("spot", (start, curve.points[0][1]), xytext=(5, -12), **beside)
        for rate, label, side in (
            (curve.counted_per_day, "counted", 1),
            (curve.break_even, "break-even", -1),
        ):
            if rate is not None:
                axes.axvline(rate, color=LIMIT, linewidth=1, linestyle=":")
                align = "left" if side > 0 else "right"
                axes.annotate(label, (rate, 0), xytext=(4 * side, 5), ha=align, **beside)
        axes.set_xlim(start, curve.points[-1][0] * 2)
        axes.set_ylim(0, top)
        axes.xaxis.set_major_formatter(_plain_number)
        axes.yaxis.set_major_formatter(lambda value, _: f"${value:,.0f}")
        axes.minorticks_off()
        axes.grid(visible=True, axis="y")
        axes.set_xlabel("interruptions of the run a day")

    return _svg(name, title, words, 2.9, draw)


def scatter(name: str, title: str, points: Sequence[Point]) -> Markup:
    """Return a scatter chart of a GPU's memory and the price of a TFLOPS, on logarithmic axes."""
    words = (
        f"{format_count(len(points), 'machine')}; filled circles fit the workload's words, "
        "the diamond is the active machine, and hollow ones do not fit"
    )

    def draw(axes: "Axes") -> None:
        axes.set_xscale("log")
        axes.set_yscale("log")
        for place, marker, face, size in (
            (2, "o", "none", 26),
            (1, "o", FIRST, 44),
            (0, "D", LIMIT, 64),
        ):
            part = [point for point in points if point.rank == place]
            axes.scatter(
                [point.memory for point in part],
                [point.price for point in part],
                marker=marker,
                s=size,
                facecolors=face,
                edgecolors=MUTED if place == 2 else face,  # noqa: PLR2004  (see Point)
                linewidths=1,
            )
        for point in points:
            if point.label:
                axes.annotate(
                    _label(point.label),
                    (point.memory, point.price),
                    xytext=(7, -11),
                    textcoords="offset points",
                )
        sizes = sorted({point.memory for point in points})
        axes.set_xticks(_non_overlapping(sizes))
        axes.minorticks_off()
        axes.xaxis.set_major_formatter(_plain_number)
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(lambda value, _: format_unit_price(Decimal(f"{value:g}")))
        axes.set_xlim(min(sizes) / 1.3, max(sizes) * 1.6)
        axes.grid(visible=True)
        axes.set_xlabel("memory of one GPU, GB")
        axes.set_ylabel("$ per TFLOPS and hour")

    return _svg(name, title, words, 3.2, draw)


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
        yield f"counted: {curve.counted_per_day:.3g} interruptions a day"
    if curve.break_even is not None:
        yield f"spot is cheaper up to {curve.break_even:.3g} interruptions a day"


def _plain_number(value: float, _: float) -> str:
    return f"{value:g}"


def _label(text: str) -> str:
    shown = printable(text)
    return shown if len(shown) <= LONGEST_LABEL else f"{shown[: LONGEST_LABEL - 1]}…"


def _svg(
    name: str, title: str, words: str, height: float, draw: "Callable[[Axes], None]"
) -> Markup:
    """Return a chart as inline SVG; `name` keeps its ids distinct from other charts'."""
    text = io.StringIO()
    with warnings.catch_warnings(), mpl.rc_context({**SETTINGS, "svg.hashsalt": name}):
        # The reader's browser has the glyphs; matplotlib only measures with its own font.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.subplots())
        figure.savefig(text, format="svg")
    return _inline_svg(text.getvalue(), name, title, words)


def _inline_svg(text: str, name: str, title: str, words: str) -> Markup:
    """Return the SVG as an element of the page, with its label and the page's colours."""
    root = ET.fromstring(text)  # noqa: S314  (written above)
    for element in list(root):
        if element.tag.endswith("metadata"):
            root.remove(element)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        for key in list(element.attrib):
            plain = key.rpartition("}")[2]
            element.set(plain, _attribute(plain, element.attrib.pop(key), name))
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    root.set("class", "chart")
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    for place, (tag, label) in enumerate((("title", title), ("desc", words))):
        described = ET.Element(tag, {"id": f"{name}-{tag}"})
        described.text = printable(label)
        root.insert(place, described)
    # ElementTree escapes text and attributes: https://docs.python.org/3/library/xml.etree.elementtree.html
    return Markup(ET.tostring(root, encoding="unicode"))  # noqa: S704


def _attribute(key: str, value: str, name: str) -> str:
    """Return an attribute with the page's colours and with ids prefixed by the chart's name."""
    if key == "id":
        return f"{name}-{value}"
    if key == "href":
        return f"#{name}-{value.removeprefix('#')}"
    for drawn, shown in COLOURS.items():
        value = value.replace(drawn, shown)
    return value.replace("url(#", f"url(#{name}-")

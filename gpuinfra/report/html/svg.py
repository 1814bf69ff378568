"""A chart as inline SVG, drawn by matplotlib: text stays text, and CSS sets the colours."""

import io
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from gpuinfra.errors import printable

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
}


def inline_svg(
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
    return _as_element(text.getvalue(), name, title, words)


def _as_element(text: str, name: str, title: str, words: str) -> Markup:
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
    for drawn_colour, page_colour in COLOURS.items():
        value = value.replace(drawn_colour, page_colour)
    return value.replace("url(#", f"url(#{name}-")

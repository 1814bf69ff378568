"""The page: filled templates in which all external text is escaped."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from gpuinfra import __version__
from gpuinfra.catalog.fact_age import days_of
from gpuinfra.clouds import cloud_of_page
from gpuinfra.cost import Quote
from gpuinfra.cost.breakdown import fallbacks
from gpuinfra.cost.line_names import line_name
from gpuinfra.cost.spot_savings import maximum_notes
from gpuinfra.errors import printable
from gpuinfra.report import run_words, summary
from gpuinfra.report.html import candidates, figures, money
from gpuinfra.report.html.content import PageContent
from gpuinfra.report.html.proposals import proposals
from gpuinfra.report.html.purchases import MOST, purchases
from gpuinfra.report.html.unknown import unknown_facts, usage_charges
from gpuinfra.report.report import ReportEntry
from gpuinfra.report.rule_address import page_of
from gpuinfra.report.rule_text import EXPLAINED_RULES
from gpuinfra.rules.budget import UNCOUNTED_PREFIX
from gpuinfra.rules.waivers import short_name
from gpuinfra.units import (
    CENT,
    format_money,
    format_parts,
    format_percent,
    format_unit_price,
    format_unit_prices,
    hourly_unit,
    plain,
)

RULE_PAGES: Final = Path(__file__).with_name("rule_pages.json")

MAX_TABLE_ROWS: Final = 200
"""The maximum number of rows of a table."""

MAX_CANDIDATES: Final = 12
"""The maximum number of fitting machine types listed per workload."""

MOST_BARS: Final = 16

MAX_TEXT_LENGTH: Final = 2_000
"""The maximum shown length of an external text."""


def write(content: PageContent) -> str:
    """Return a self-contained HTML page; the same content gives the same bytes.

    Raises:
        ModuleNotFoundError: the extra `report` is not installed.
    """
    report, quote = content.report, content.report.quote
    clouds = {group.cloud for group in content.plan.groups}
    clouds |= {bucket.cloud for bucket in content.plan.buckets}
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            content=content,
            report=report,
            quote=quote,
            caps=report.caps,
            version=__version__,
            banner=summary.banner(report),
            source=report.relative_path(report.source) or report.source.name,
            sums=() if quote is None else tuple(money.sums(quote, report.caps)),
            risks=() if quote is None else tuple(dict.fromkeys(money.risks(quote, report.caps))),
            purchases=tuple(purchases(content)),
            spot_runs=() if quote is None else summary.spot_runs(quote),
            proposals=tuple(proposals(report)),
            has_pool=any(group.purpose == "inference" for group in content.plan.groups),
            dates=() if quote is None else summary.price_days(quote),
            fallbacks=() if quote is None else fallbacks(quote),
            maximum_notes=() if quote is None else tuple(maximum_notes(quote)),
            ladders=() if quote is None else tuple(money.ladders(quote)),
            none_left=() if quote is None else tuple(quote.excluded_rungs),
            charts={} if quote is None else _money_charts(quote),
            curves={
                curve.group: figures.spot_chart(f"spot-{figure_index}", curve)
                for figure_index, curve in enumerate(content.curves)
            },
            runs={
                run.group: tuple(run_words.lines(run, content.modes(run.group), sources=False))
                for run in content.outlooks
            },
            price_sources={
                run.group: run_words.price_sources(run, content.modes(run.group))
                for run in content.outlooks
            },
            choice_charts={
                choice.group: candidates.chart(f"candidates-{figure_index}", choice)
                for figure_index, choice in enumerate(content.candidates)
            },
            unfit={choice.group: candidates.unfit(choice) for choice in content.candidates},
            unknown=unknown_facts(content),
            usage_charges=usage_charges(quote),
            rules={rule.id: rule for rule in EXPLAINED_RULES},
            rule_pages=rule_pages(clouds),
        )
    )


def _environment() -> Environment:
    """Return a template environment that escapes all values and refuses undefined names."""
    environment = Environment(
        loader=PackageLoader("gpuinfra.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_escaped_text,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "usd": _usd,
        "unit_price": _unit_price,
        "number": _number,
        "percent": _percent,
        "joined": _comma_list,
    }
    environment.filters["spans"] = with_code_spans
    names: dict[str, Any] = {
        "MOST": MAX_TABLE_ROWS,
        "SHOWN": MAX_CANDIDATES,
        "place": _position_text,
        "quality": money.quality,
        "of_cap": money.cap_share_text,
        "MOST_PURCHASES": MOST,
        "OUTSIDE": UNCOUNTED_PREFIX,
        "UNINTERRUPTED": summary.UNINTERRUPTED,
        "expected_unknown": summary.expected_unknown,
        "expected_at_most": summary.expected_at_most,
        "line_name": line_name,
        "quantity": summary.quantity,
        "hours": summary.hours,
        "month_words": summary.month_words,
        "fabric": summary.fabric,
        "is_link": _is_link,
        "short_name": short_name,
        "headings": _HEADING.findall,
        "unit_prices": _unit_prices,
        "parts_of_total": _parts_of_total,
        "hourly_unit": hourly_unit,
        "days": _days,
        "chart_title": _chart_title,
    }
    environment.globals.update(names)
    return environment


def _escaped_text(value: Any) -> Any:
    """Return a text with control characters escaped, cut if long; other values unchanged."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return printable(value if len(value) <= MAX_TEXT_LENGTH else f"{value[:MAX_TEXT_LENGTH]}…")


def with_code_spans(text: str) -> Markup:
    """Return a text of ours, which may name what is outside, with `commands` as code."""
    parts = _CODE_SPAN.split(_escaped_text(text))
    spans = (
        Markup("<code>{}</code>").format(part) if part_index % 2 else escape(part)
        for part_index, part in enumerate(parts)
    )
    return Markup("").join(spans)


_CODE_SPAN: Final = re.compile(r"`([a-z][^`]+)`")
"""A command, a key or a value in a message: two characters at least."""


_HEADING: Final = re.compile(r'<h2 id="([a-z-]+)">([^<]+)</h2>')
"""The id and the title of a section."""


def _usd(amount: Decimal | None) -> Markup:
    """Return US dollars as HTML with the exact amount as data; "unknown" for None."""
    return _data(amount, format_money(amount))


def _parts_of_total(
    amounts: Sequence[Decimal | None], total: Decimal, unit: Decimal = CENT
) -> list[Markup]:
    """Return amounts, as `_usd`, that add up to their total as both are shown."""
    return list(map(_data, amounts, format_parts(amounts, total, unit)))


def _unit_price(price: Decimal | None) -> Markup:
    """Return a price per unit as HTML with the exact price as data; "unknown" for None."""
    return _data(price, format_unit_price(price))


def _unit_prices(prices: Iterable[Decimal | None]) -> list[Markup]:
    """Return prices of one column, as `_unit_price`, all with the same number of decimals."""
    listed = list(prices)
    texts = format_unit_prices(listed)
    return [_data(price, text) for price, text in zip(listed, texts, strict=True)]


def _data(value: Decimal | None, text: str) -> Markup:
    if value is None:
        return Markup('<span class="unknown">unknown</span>')
    return Markup('<data value="{}">{}</data>').format(plain(value), text)


def _number(amount: Decimal | None) -> str:
    return "unknown" if amount is None else plain(amount.quantize(Decimal("0.01")))


def _percent(share: Decimal) -> str:
    return format_percent(share / 100)


def _days(as_of: str, price: Decimal | None) -> Markup:
    """Return a price's date, or an interval's two, which may stand on two lines.

    "undated" for none; a dash where no price is known.
    """
    if not as_of and price is None:
        return Markup("–")
    first, *last = days_of(as_of) or ("undated",)
    days = (first, *(f"to {day}" for day in last))
    day = Markup('<span class="whole">{}</span>')
    return Markup(" ").join(day.format(_escaped_text(day_text)) for day_text in days)


def _comma_list(list_items: Any) -> str:
    return ", ".join(map(str, list_items)) or "none"


def rule_pages(clouds: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the documentation of each rule that is of these clouds, or of no single one."""
    table = json.loads(RULE_PAGES.read_text("utf-8"))["pages"]
    return {
        rule.id: tuple(
            page
            for page in (page_of(rule), rule.source, *table.get(rule.id, {}).values())
            if page and (not clouds or cloud_of_page(page) in {None, *clouds})
        )
        for rule in EXPLAINED_RULES
    }


def _is_link(text: str) -> bool:
    """Return whether a source is an HTTP URL; other schemes stay text."""
    return text.startswith(("https://", "http://")) and not any(
        letter.isspace() for letter in text
    )


def _position_text(entry: ReportEntry, content: PageContent) -> str:
    if entry.place is None:
        return ""
    file = content.report.relative_path(entry.place.file) or entry.place.file
    return f"{file}:{entry.place.line}:{entry.place.column}"


def _chart_title(name: str, quote: Quote) -> str:
    return f"{'Known' if quote.unpriced else 'Maximum'} cost per month by {name}"


def _money_charts(quote: Quote) -> Mapping[str, figures.Chart]:
    return {
        name: figures.bars(f"by-{name}", _chart_title(name, quote), rows[:MOST_BARS])
        for name, rows in (
            ("workload", money.workload_bars(quote)),
            ("kind", money.kind_bars(quote)),
        )
        if rows
    }

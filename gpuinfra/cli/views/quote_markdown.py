"""A quote as Markdown: the totals beside their caps, and the lines that add up to the maximum."""

from gpuinfra.api.results import CheckResult
from gpuinfra.cli.hints import same_command_as
from gpuinfra.cli.views.quote_lines import rows, title
from gpuinfra.report import markup, money_table
from gpuinfra.report.summary import price_days, range_text, totals

COLUMNS = ("workload", "line", "quantity", "unit price", "per hour", "per month")


def as_markdown(result: CheckResult) -> str:
    """Return the quote of the running command's source; the first line is a constant marker."""
    quote, caps = result.quote, result.plan.caps
    more = f"`{same_command_as('cost', '-v')}`"
    footnote_numbers = {line.source: 0 for line in quote.lines if line.source}
    cells = (
        [*map(markup.cell, row[:2]), *(figure.replace("<", "&lt;") for figure in row[2:6])]
        for row in rows(quote, footnote_numbers)
    )
    _, *beside = totals(quote, caps, f": {more}")
    missing = [f"**price unknown:** {markup.text(name)}" for name in quote.unpriced]
    days = range_text(price_days(quote))
    foot = (
        f"{f'List prices of {days}' if days else 'Prices'}, without tax or support plans."
        f" {more} has their sources."
    )
    return "\n\n".join(
        (
            markup.marker("quote", result.name),
            f"### {markup.code(result.name)}: {title(quote)}",
            money_table.write(quote, caps),
            markup.table(COLUMNS, cells, COLUMNS[2:]),
            *missing,
            *(f"{quote_note[0].upper()}{quote_note[1:]}." for quote_note in beside),
            foot,
        )
    )

"""`gpuinfra catalog claims`: claims of the buying guides, compared with the catalog."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from textwrap import shorten
from typing import Final

import click

from gpuinfra.catalog.claims.judging import Claim, claims
from gpuinfra.catalog.claims.verdict import Outcome
from gpuinfra.cli.options import formats
from gpuinfra.cli.views.render import show_json, show_table

MARKS: Final[Mapping[Outcome, str]] = {
    "right": "✓ right",
    "partly": "~ partly",
    "wrong": "✗ wrong",
    "unknown": "? unknown",
}

SOURCE_WIDTH: Final = 120
"""Characters of the sources that the page shows of one claim."""


@click.command("claims")
@formats("table", "json", "markdown")
def command(format_: str) -> int:
    """Show each claim of the guides: right or wrong, the correct value, and the source."""
    judged = claims()
    if format_ == "json":
        show_json(
            {"claims": judged, "outcomes": Counter(claim.verdict.outcome for claim in judged)}
        )
        return 0
    if format_ == "markdown":
        click.echo(markdown(judged), nl=False)
        return 0
    for topic, of_it in groupby(judged, key=lambda claim: claim.topic):
        show_table(
            ("", "the guides say", "the catalog has", "of"),
            [
                (
                    MARKS[claim.verdict.outcome],
                    claim.text,
                    claim.verdict.evidence,
                    claim.verdict.as_of,
                )
                for claim in of_it
            ],
            title=topic,
        )
    click.echo(summary(judged))
    return 0


def markdown(claims: Sequence[Claim]) -> str:
    """Return the generated page docs/guides.md."""
    lines = [
        "# What the guides say, and what the catalog has",
        "",
        "Made by `make docs` from the catalog's tables; a verdict is computed, never written by",
        "hand. *Partly*: true for some machines, prices or methods, not for all. *Unknown*:",
        "no source answers it. `gpuinfra catalog claims` prints the same, and its",
        "`--format json` has each source in full.",
        "",
        summary(claims),
    ]
    for topic, of_it in groupby(claims, key=lambda claim: claim.topic):
        lines += ["", f"## {topic.capitalize()}", ""]
        lines += [
            "| the guides say | verdict | the catalog has | source |",
            "| --- | --- | --- | --- |",
        ]
        lines += [f"| {' | '.join(map(cell, row(claim)))} |" for claim in of_it]
    return "\n".join(lines) + "\n"


def row(claim: Claim) -> tuple[str, ...]:
    """Return a claim in the columns of the page."""
    verdict = claim.verdict
    source = shorten(verdict.source, SOURCE_WIDTH, placeholder=" …")
    if verdict.as_of:
        source = f"{source}, {verdict.as_of}"
    return claim.text, verdict.outcome, verdict.evidence, source or "–"


def cell(text: str) -> str:
    """Return a text escaped for a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")


def summary(claims: Sequence[Claim]) -> str:
    """Return how many claims have each outcome."""
    counts = Counter(claim.verdict.outcome for claim in claims)
    parts = [f"{counts[mark]} {mark}" for mark in MARKS if counts[mark]]
    return f"{len(claims)} claims: {', '.join(parts)}."

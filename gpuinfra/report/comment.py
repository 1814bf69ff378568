"""Markdown for a comment on a pull request, and for the summary of a step."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from gpuinfra.cost import Quote, Total
from gpuinfra.report import difference, markup
from gpuinfra.report.judged import Entry, Report
from gpuinfra.units import format_money

LONGEST: Final = 65_536
"""GitHub's limit of a comment in characters: https://github.com/orgs/community/discussions/27190"""

_NAME: Final = 200
"""How much of a stack's name is shown."""

_MARKS: Final = {"error": "❌", "warning": "⚠️"}
_RIGHT: Final = ("at most", "as it stands", "expected")


def write(report: Report, limit: int = LONGEST) -> str:
    """The comment, at most `limit` characters long; begins with a marker that stays the same."""
    head = [markup.marker("check", report.name[:_NAME]), _headline(report), *_money(report.quote)]
    foot = [_footer(report)]
    room = limit - sum(len(part) + 2 for part in (*head, *foot))
    body = list(_fitting(_sections(report), room))
    return "\n\n".join([*head, *body, *foot]) + "\n"


def _headline(report: Report) -> str:
    errors = sum(one.weight == "error" for one in report.bad)
    warnings = len(report.bad) - errors
    mark = "✅" if report.verdict.ok else "❌"
    counted = (
        _several(errors, "finding refuses", "findings refuse"),
        _several(warnings, "warning", "warnings"),
        _several(len(report.waived), "waived", "waived"),
    )
    said = ", ".join(filter(None, counted)) or "nothing to say"
    return f"### {mark} gpuinfra check: {markup.code(report.name[:_NAME])}: {said}"


def _several(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}" if count else ""


def _money(quote: Quote | None) -> Iterator[str]:
    """The totals, and what they leave out."""
    if quote is None:
        yield "Nobody priced it."
        return
    totals = (("hour", quote.per_hour), ("month", quote.per_month), ("run", quote.per_run))
    bound = "at least " if quote.unpriced else ""
    rows = [_total(span, total, bound) for span, total in totals if total is not None]
    yield markup.table(("USD", *_RIGHT), rows, _RIGHT)


def _total(span: str, total: Total, bound: str) -> Sequence[str]:
    """A row of sums; `bound` says that something without a price is left out of them."""
    ceiling, standing = (f"{bound}{format_money(one)}" for one in (total.ceiling, total.standing))
    expected = "–" if total.expected is None else format_money(total.expected)
    return f"per {span}", ceiling, standing, expected


def _sections(report: Report) -> Iterator[tuple[str, Sequence[str]]]:
    """Each section that has something to say: its heading, with what goes before its lines."""
    kinds = [
        f"- {count} × {markup.code(kind)}: {markup.text(reason)}"
        for (kind, reason), count in report.uncovered.items()
    ]
    unpriced = report.quote.unpriced if report.quote else ()
    findings = [_finding(entry, report) for entry in report.bad]
    sections = (
        ("No price known", [f"- {markup.text(one)}" for one in unpriced]),
        ("Fabric", [f"- {markup.text(str(proof))}" for proof in report.fabric]),
        ("Waived", [_waived(entry) for entry in report.waived]),
        (f"Not judged: {len(report.not_judged)}", kinds),
    )
    if findings:
        yield "#### Findings\n\n", findings
    yield from _moved(report)
    yield from ((f"#### {name}\n\n", lines) for name, lines in sections if lines)


def _moved(report: Report) -> Iterator[tuple[str, Sequence[str]]]:
    """What it costs more or less than its base: the headline, and a part for each table."""
    found = report.comparison
    if found is None:
        return
    yield f"#### Since {markup.code(report.base)}: {difference.headline(found)}", ()
    for block in difference.as_markdown(found):
        head, *lines = block.split("\n")
        yield f"{head}\n", lines


def _finding(entry: Entry, report: Report) -> str:
    finding = entry.finding
    unsure = "not knowable yet: " if finding.outcome == "not-knowable" else ""
    place = _place(entry, report)
    fix = f"<br>**fix:** {markup.text(finding.fix)}" if finding.fix else ""
    return (
        f"- {_MARKS[entry.weight]} **{finding.rule}** {markup.code(finding.subject)}{place}: "
        f"{unsure}{markup.text(finding.message)}{fix}"
    )


def _place(entry: Entry, report: Report) -> str:
    if entry.place is None:
        return ""
    file = report.called(entry.place.file) or entry.place.file
    return f" at {markup.code(f'{file}:{entry.place.line}:{entry.place.column}')}"


def _waived(entry: Entry) -> str:
    finding = entry.finding
    accepted = markup.text(entry.accepted)
    return f"- **{finding.rule}** {markup.code(finding.subject)}: {accepted}"


def _fitting(sections: Iterable[tuple[str, Sequence[str]]], room: int) -> Iterator[str]:
    """The sections as far as there is room; each says how many lines it had to leave out."""
    for heading, lines in sections:
        left = room - len(heading) - len(f"\n- … and {len(lines)} more") - 2
        if left < 0:
            return
        kept: list[str] = []
        for line in lines:
            left -= len(line) + 1
            if left < 0:
                kept.append(f"- … and {len(lines) - len(kept)} more")
                break
            kept.append(line)
        part = (heading + "\n".join(kept)).rstrip("\n")
        room -= len(part) + 2
        yield part


def _footer(report: Report) -> str:
    counts = ", ".join(f"{count} {outcome}" for outcome, count in report.counts.items())
    return (
        f"{counts}. Judged for {report.as_of}; USD without tax. `gpuinfra explain RULE` says why."
    )

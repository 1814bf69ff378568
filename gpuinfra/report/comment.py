"""Markdown for a pull request comment and for a CI step summary."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from gpuinfra.records import record
from gpuinfra.report import markup, money_table, quote_diff, summary
from gpuinfra.report.checkout import source_name
from gpuinfra.report.partial_check import BOUND
from gpuinfra.report.problems import markdown_list
from gpuinfra.report.report import LONGEST_NAME, Report, ReportEntry, cut
from gpuinfra.report.rule_address import linked_name
from gpuinfra.report.user_inputs import sentence
from gpuinfra.rules import FabricVerdict

if TYPE_CHECKING:
    from gpuinfra.fixes import Fix

T = TypeVar("T")

MAX_COMMENT_LENGTH: Final = 65_536 - 512
"""GitHub's limit of a comment in characters, less the link to the report that our pipelines add:
https://github.com/orgs/community/discussions/27190"""

_NAME: Final = 200
"""The maximum shown length of a stack's name."""

_MARKS: Final = {"error": "❌", "warning": "⚠️"}


def write(report: Report, limit: int = MAX_COMMENT_LENGTH) -> str:
    """Return the comment, at most `limit` characters long; it begins with a constant marker."""
    head = [
        markup.marker("check", source_name(report.source, report.root)),
        _headline(report),
        *_influence_lines(report),
    ]
    head += [*_stop_lines(report), _money(report)]
    foot = [_footer(report)]
    characters_left = limit + 1 - sum(len(part) + 2 for part in (*head, *foot))
    body = list(_fitting_sections(_sections(report), characters_left))
    return "\n\n".join([*head, *body, *foot]) + "\n"


def _influence_lines(report: Report) -> Iterator[str]:
    influence_lines = sentence(report)
    if influence_lines:
        yield markup.text(influence_lines)


def _headline(report: Report) -> str:
    mark = "✅" if report.ok else "❌"
    name = markup.code(report.name[:_NAME])
    return f"### {mark} gpuinfra check: {name}: {summary.ending(report)}"


def _stop_lines(report: Report) -> Iterator[str]:
    """Yield why only a part was judged."""
    if report.stop_reason is not None:
        yield markdown_list(report.stop_reason.error)
        yield f"{BOUND[0].upper()}{BOUND[1:]}."


def _money(report: Report) -> str:
    """Return the table of totals."""
    if report.quote is None:
        return "No quote was made."
    return money_table.write(report.quote, report.caps, is_partial=report.stop_reason is not None)


@record(kw_only=False)
class _Section:
    """A heading with the text before its lines, the number of lines, and an iterator of them."""

    heading: str
    count: int
    lines: Iterable[str]


def _sections(report: Report) -> Iterator[_Section]:
    """Yield each section that has content; its lines are generated on demand."""
    unpriced = report.quote.unpriced if report.quote else ()
    kinds = report.not_judged_counts
    yield _section("Findings", report.failing_findings, lambda entry: _finding(entry, report))
    yield _section("Proposed fixes", proposed_fixes(report), lambda fix: f"- {markup.prose(fix)}")
    yield from _cost_difference_sections(report)
    yield _section("Price unknown", unpriced, lambda line: f"- {markup.text(cut(line))}")
    yield _section("Fabric", report.fabric, _fabric_line)
    yield _section("Waived", report.waived_findings, _waiver_text)
    name = f"Not checked: {len(report.not_judged)}"
    yield _section(name, list(kinds), lambda kind: _kind(*kind, kinds[kind]))


def _drop_repeated_fixes(fixes: "Sequence[Fix]") -> "Sequence[Fix]":
    if not fixes:
        return ()
    from gpuinfra.fixes.fix import without_repeated_fixes  # noqa: PLC0415  (only where there are fixes)

    return without_repeated_fixes(fixes)


def proposed_fixes(report: Report) -> tuple[str, ...]:
    """Return each fix: its edits, its change of cost and fabric, and the findings it fixes."""
    return tuple(map(_fix_line, _drop_repeated_fixes(report.fixes)))


def _fix_line(fix: "Fix") -> str:
    rules = ", ".join(dict.fromkeys(rule for rule, _ in fix.settled_findings))
    effect = "the whole check passes with it" if fix.passes_check else f"fixes {rules}"
    return f"{cut(str(fix))}: {effect}"


def _fabric_line(proof: FabricVerdict) -> str:
    return f"- {markup.text(cut(f'{proof.name}: {summary.fabric(proof)}'))}"


def _section(name: str, items: Sequence[T], write: Callable[[T], str]) -> _Section:
    return _Section(f"#### {name}\n\n", len(items), map(write, items))


def _kind(kind: str, reason: str, count: int) -> str:
    return f"- {count} × {markup.code(cut(kind, LONGEST_NAME))}: {markup.text(cut(reason))}"


def _cost_difference_sections(report: Report) -> Iterator[_Section]:
    """Yield the cost difference from the base: the headline, and a section per table."""
    comparison = report.comparison
    if comparison is None:
        return
    since = (
        f"#### Since {markup.code(report.base)}: {markup.text(quote_diff.headline(comparison))}"
    )
    yield _Section(since, 1, [""])
    for block in quote_diff.as_markdown(comparison):
        head, *lines = block.split("\n")
        yield _Section(f"{head}\n", max(1, len(lines)), lines or [""])


def _finding(entry: ReportEntry, report: Report) -> str:
    fix = f"<br>**fix:** {markup.prose(entry.fix)}" if entry.fix else ""
    return (
        f"- {_MARKS[entry.weight]} {_rule_and_subject(entry)}"
        f"{_position_text(entry, report)}: {markup.prose(entry.message)}{fix}"
    )


def _position_text(entry: ReportEntry, report: Report) -> str:
    if entry.place is None:
        return ""
    file = report.relative_path(entry.place.file) or entry.place.file
    return f" at {markup.code(f'{file}:{entry.place.line}:{entry.place.column}')}"


def _waiver_text(entry: ReportEntry) -> str:
    accepted = markup.text(entry.waiver_text)
    return f"- {_rule_and_subject(entry)}: {accepted}"


def _rule_and_subject(entry: ReportEntry) -> str:
    return f"**{linked_name(entry.finding.rule)}** {markup.code(entry.short_subject)}"


def _fitting_sections(sections: Iterable[_Section], characters_left: int) -> Iterator[str]:
    """Yield the sections shortened to share the room; each says how many lines are omitted."""
    nonempty = [
        (section, list(_fitting_lines(section, characters_left)))
        for section in sections
        if section.count
    ]
    sizes = [_size(section.heading, lines) for section, lines in nonempty]
    for (section, lines), share in zip(nonempty, _shares(sizes, characters_left), strict=True):
        fitting_lines = lines
        if len(lines) < section.count or _size(section.heading, lines) > share:
            note = f"- … and {section.count} more"
            fitting_lines = list(_first_lines(lines, share - _size(section.heading, [note])))
            fitting_lines.append(f"- … and {section.count - len(fitting_lines)} more")
        if _size(section.heading, fitting_lines) <= share:
            yield (section.heading + "\n".join(fitting_lines)).rstrip("\n")


def _fitting_lines(section: _Section, characters_left: int) -> Iterator[str]:
    """Yield the lines of a section that fit into the whole comment."""
    for line in section.lines:
        if characters_left < 0:
            return
        characters_left -= len(line) + 1
        yield line


def _first_lines(lines: Iterable[str], characters_left: int) -> Iterator[str]:
    for line in lines:
        characters_left -= len(line) + 1
        if characters_left < 0:
            return
        yield line


def _size(heading: str, lines: Iterable[str]) -> int:
    """Return how long a section is, with the empty line after it."""
    return len(heading) + sum(len(line) + 1 for line in lines) + 1


def _shares(sizes: Sequence[int], total: int) -> list[int]:
    """Return each section's share of the room: its size, or an equal part of what is left."""
    shares = [0] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda section_index: sizes[section_index])
    for done, section_index in enumerate(order):
        shares[section_index] = min(sizes[section_index], total // (len(order) - done))
        total -= shares[section_index]
    return shares


def _footer(report: Report) -> str:
    return (
        f"{summary.rule_counts_text(report)}. Checked for {report.as_of}; "
        "without tax or support plans. `gpuinfra explain RULE` shows the reasons for a rule."
    )

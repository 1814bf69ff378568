"""GitHub annotations, written as workflow commands.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts (what is escaped)
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from gpuinfra.errors import GpuinfraError, printable
from gpuinfra.report import summary
from gpuinfra.report.checkout import relative
from gpuinfra.report.partial_check import BOUND
from gpuinfra.report.problems import problem_line, problems_of
from gpuinfra.report.report import LONGEST_NAME, Report, ReportEntry, cut
from gpuinfra.report.rule_address import more_about
from gpuinfra.report.user_inputs import sentence

Kind = Literal["error", "warning", "notice"]

MAX_ANNOTATIONS: Final = 10
"""The maximum number of annotations of a kind that GitHub shows per step."""


def write(report: Report, max_annotations: int = MAX_ANNOTATIONS) -> str:
    """Return one command per finding, errors first, and a plain line with the result.

    `max_annotations` is how many of a kind there may be.
    """
    head = list(_influence_annotations(report))
    stopped = list(islice(_stop_commands(report), max_annotations // 2))
    errors = [entry for entry in report.failing_findings if entry.weight == "error"]
    warnings = [entry for entry in report.failing_findings if entry.weight == "warning"]
    lines = [
        *stopped,
        *head,
        *_kind("error", errors, report, max_annotations - len(stopped)),
        *_kind("warning", warnings, report, max_annotations),
        *_kind("notice", report.waived_findings, report, max_annotations - len(head)),
        *_not_checked_annotations(report),
    ]
    name = printable(cut(report.name, LONGEST_NAME))
    return "\n".join([*lines, f"gpuinfra check: {name}: {summary.ending(report)}", ""])


def error_annotations(error: GpuinfraError, root: Path) -> Iterator[str]:
    """Yield an annotation for each problem of an error."""
    for problem in problems_of(error):
        at = problem.position
        place = {}
        if at is not None:
            file = relative(at.file, root) or at.file
            place = {"file": file, "line": str(at.line), "col": str(at.column)}
        yield command("error", {**place, "title": "gpuinfra"}, problem_line(problem))


def _stop_commands(report: Report) -> Iterator[str]:
    """Yield why only a part was judged."""
    if report.stop_reason is not None:
        yield from error_annotations(report.stop_reason.error, report.root)


def _influence_annotations(report: Report) -> Iterator[str]:
    words = "; ".join(filter(None, (BOUND if report.stop_reason else "", sentence(report))))
    if words:
        yield command("notice", {"title": "gpuinfra"}, printable(words))


def _kind(
    kind: Kind, entries: Sequence[ReportEntry], report: Report, most_entries: int = MAX_ANNOTATIONS
) -> Iterator[str]:
    """Yield the commands of one kind; above GitHub's limit, the last counts the omitted ones."""
    is_cut = len(entries) > most_entries
    for entry in entries[: most_entries - 1 if is_cut else most_entries]:
        yield _annotation(kind, entry, report)
    if is_cut:
        left_out_count = len(entries) - most_entries + 1
        yield command(
            kind, {"title": "gpuinfra"}, f"… and {left_out_count} more: see the step summary"
        )


def _annotation(kind: Kind, entry: ReportEntry, report: Report) -> str:
    place = {}
    position = report.position_of(entry)
    if position is not None:
        file, at = position
        place = {"file": file}
        place |= {} if at is None else {"line": str(at.line), "col": str(at.column)}
    words = printable(entry.sentence)
    if entry.fix:
        words += f"\nfix: {printable(entry.fix)}\nmore: {more_about(entry.finding.rule)}"
    proposed = report.fix_of(entry)
    if proposed is not None:
        words += f"\nproposed: {cut(str(proposed))}"
    if entry.is_waived:
        words += f"\n{printable(entry.waiver_text)}"
    return command(kind, {**place, "title": f"gpuinfra {entry.finding.rule}"}, words)


def _not_checked_annotations(report: Report) -> Iterator[str]:
    count = len(report.not_judged)
    if count:
        kinds = sorted({judged.type for judged in report.not_judged})
        kind_names = ", ".join(
            printable(cut(kind, LONGEST_NAME)) for kind in kinds[:MAX_ANNOTATIONS]
        )
        words = f"{count} not checked: {kind_names}"
        more = (
            f" and {len(kinds) - MAX_ANNOTATIONS} more types"
            if len(kinds) > MAX_ANNOTATIONS
            else ""
        )
        yield command("warning", {"title": "gpuinfra"}, f"{words}{more}")


def command(kind: Kind, properties: dict[str, str], words: str) -> str:
    """Return a workflow command with its properties."""
    settings = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{kind} {settings}::{_data(words)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(printable(text)).replace(":", "%3A").replace(",", "%2C")

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
from gpuinfra.units.message_merging import first_in_words

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
        file_position = problem.position
        file_properties = {}
        if file_position is not None:
            file = relative(file_position.file, root) or file_position.file
            file_properties = {
                "file": file,
                "line": str(file_position.line),
                "col": str(file_position.column),
            }
        yield command("error", {**file_properties, "title": "gpuinfra"}, problem_line(problem))


def _stop_commands(report: Report) -> Iterator[str]:
    """Yield why only a part was judged."""
    if report.stop_reason is not None:
        yield from error_annotations(report.stop_reason.error, report.root)


def _influence_annotations(report: Report) -> Iterator[str]:
    influence_text = "; ".join(
        filter(None, (BOUND if report.stop_reason else "", sentence(report)))
    )
    if influence_text:
        yield command("notice", {"title": "gpuinfra"}, printable(influence_text))


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
    file_properties = {}
    position = report.position_of(entry)
    if position is not None:
        file, file_position = position
        file_properties = {"file": file}
        file_properties |= (
            {}
            if file_position is None
            else {"line": str(file_position.line), "col": str(file_position.column)}
        )
    annotation_text = printable(entry.sentence)
    if entry.fix:
        annotation_text += f"\nfix: {printable(entry.fix)}\nmore: {more_about(entry.finding.rule)}"
    proposed = report.fix_of(entry)
    if proposed is not None:
        annotation_text += f"\nproposed: {cut(str(proposed))}"
    if entry.is_waived:
        annotation_text += f"\n{printable(entry.waiver_text)}"
    return command(
        kind, {**file_properties, "title": f"gpuinfra {entry.finding.rule}"}, annotation_text
    )


def _not_checked_annotations(report: Report) -> Iterator[str]:
    count = len(report.not_judged)
    if count:
        kinds = sorted({unjudged_type.type for unjudged_type in report.not_judged})
        names = [printable(cut(kind, LONGEST_NAME)) for kind in kinds]
        listed_names = first_in_words(names, MAX_ANNOTATIONS, others="more types")
        yield command("warning", {"title": "gpuinfra"}, f"{count} not checked: {listed_names}")


def command(kind: Kind, properties: dict[str, str], message: str) -> str:
    """Return a workflow command with its properties."""
    settings = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{kind} {settings}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(printable(text)).replace(":", "%3A").replace(",", "%2C")

"""Several sources judged in one call: one document in each format, and a summary line."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gpuinfra.errors import GpuinfraError, printable
from gpuinfra.records import record
from gpuinfra.report import comment, error_report, github, junit, markup, sarif
from gpuinfra.report.checkout import checkout, source_name
from gpuinfra.report.report import LONGEST_NAME, Report, cut
from gpuinfra.report.summary import count_or_empty
from gpuinfra.units import format_count

_LEVELS: Final = ("error", "warning", "note")
_MIN_SOURCE_LENGTH: Final = 2_000
"""The least room in characters that a source gets in Markdown."""


@record
class SourceResult:
    """The result for one of several sources: its report, or the error that prevented it."""

    source: Path
    result: Report | GpuinfraError

    @property
    def name(self) -> str:
        """The source as it was given, shortened if it is long."""
        return printable(cut(str(self.source), LONGEST_NAME))

    @property
    def exit_code(self) -> int:
        """The exit code of a check of this source alone."""
        return self.result.exit_code


def exit_code(source_results: Sequence[SourceResult]) -> int:
    """Return the worst exit code of all sources."""
    return max(result.exit_code for result in source_results)


def ending(source_results: Sequence[SourceResult]) -> str:
    """Return the summary: sources that pass, fail or were not judged, and the findings of all."""
    reports = [result.result for result in source_results if isinstance(result.result, Report)]
    good = sum(report.ok for report in reports)
    weights = Counter(
        entry.weight
        for report in reports
        for entry in report.failing_findings
        if not entry.finding.is_deferred
    )
    bad, unjudged = len(source_results) - good, len(source_results) - len(reports)
    unjudged_text = f" ({unjudged} not judged)" if unjudged else ""
    parts = (
        f"{good} PASS" if good else "",
        f"{bad} FAIL{unjudged_text}" if bad else "",
        count_or_empty(weights["error"], "error"),
        count_or_empty(weights["warning"], "warning"),
        f"{waived} waived"
        if (waived := sum(len(report.waived_findings) for report in reports))
        else "",
    )
    return f"{format_count(len(source_results), 'source')}: {', '.join(filter(None, parts))}"


def writers(
    source_results: Sequence[SourceResult], version: str, limit: int = comment.MAX_COMMENT_LENGTH
) -> Mapping[str, Callable[[], str]]:
    """Return the writers of one document for all sources, by format, except JSON and table."""
    return {
        "sarif": lambda: _as_sarif(source_results, version),
        "junit": lambda: _as_junit(source_results),
        "github": lambda: _as_github(source_results),
        "markdown": lambda: as_markdown(source_results, limit),
    }


def as_markdown(
    source_results: Sequence[SourceResult], limit: int = comment.MAX_COMMENT_LENGTH
) -> str:
    """Return one comment of at most about `limit` characters, shared equally by the sources."""
    mark = "✅" if exit_code(source_results) == 0 else "❌"
    names = (source_name(result.source, checkout(result.source)) for result in source_results)
    head = (
        markup.marker("check", ", ".join(names)),
        f"## {mark} gpuinfra check: {ending(source_results)}",
    )
    limit = min(limit, comment.MAX_COMMENT_LENGTH)
    characters_per_source = (limit - sum(map(len, head)) - 8) // len(source_results)
    parts = [_markdown_of(result, characters_per_source) for result in source_results]
    lines, size = list(head), sum(map(len, head))
    for part in parts:
        if size + len(part) > limit - 200:
            left_out_count = len(parts) - len(lines) + len(head)
            lines.append(f"… and {format_count(left_out_count, 'source')} more")
            break
        lines.append(part)
        size += len(part) + 2
    return "\n\n".join(lines) + "\n"


def _markdown_of(result: SourceResult, characters: int) -> str:
    """Return the Markdown of one source, without the marker of a comment of its own."""
    if isinstance(result.result, Report):
        text = comment.write(result.result, max(characters, _MIN_SOURCE_LENGTH))
    else:
        text = error_report.as_markdown(result.result, result.source)
    _, _, body_text = text.partition("\n\n")
    return body_text.strip()


def _as_github(source_results: Sequence[SourceResult]) -> str:
    """Return the annotations of all sources, which share the limit of one GitHub step."""
    entries_per_source = max(2, github.MAX_ANNOTATIONS // len(source_results))
    texts = (
        github.write(result.result, entries_per_source)
        if isinstance(result.result, Report)
        else error_report.as_github(result.result, checkout(result.source))
        for result in source_results
    )
    return "".join((*texts, f"gpuinfra check: {ending(source_results)}\n"))


def _as_junit(source_results: Sequence[SourceResult]) -> str:
    """Return one suite for each source."""
    return junit.document(
        [
            junit.suite(result.result)
            if isinstance(result.result, Report)
            else error_report.junit_suite(result.result, result.name)
            for result in source_results
        ]
    )


def _as_sarif(source_results: Sequence[SourceResult], version: str) -> str:
    """Return one SARIF run with an invocation for each source: code scanning limits the runs.

    https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit
    https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html (run.invocations,
    resultProvenance.invocationIndex)
    """
    runs = [_sarif_run(result, version) for result in source_results]
    results = [
        {**sarif_result, "provenance": {"invocationIndex": number}}
        for number, run in enumerate(runs)
        for sarif_result in run["results"]
    ]
    invocations = [
        {**invocation, "properties": {"source": result.name, **run.get("properties", {})}}
        for result, run in zip(source_results, runs, strict=True)
        for invocation in run["invocations"]
    ]
    if len(results) > sarif.MAX_RESULTS:
        results.sort(key=lambda sarif_result: _LEVELS.index(sarif_result["level"]))
        omission = sarif.left_out(len(results) - sarif.MAX_RESULTS)
        first = invocations[0]
        first["toolExecutionNotifications"] = [
            *first.get("toolExecutionNotifications", ()),
            *omission,
        ]
    full = max(runs, key=lambda run: len(run["tool"]["driver"].get("rules", ())))
    names = ", ".join(result.name for result in source_results)
    run = {
        **full,
        "automationDetails": {"id": f"gpuinfra/{cut(names, LONGEST_NAME)}/"},
        "invocations": invocations,
        "results": results[: sarif.MAX_RESULTS],
    }
    run.pop("properties", None)
    return json.dumps({"$schema": sarif.SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def _sarif_run(result: SourceResult, version: str) -> dict[str, Any]:
    if isinstance(result.result, Report):
        return {
            **sarif.sarif_run(result.result, version),
            "results": list(sarif.results(result.result)),
        }
    return error_report.sarif_run(result.result, checkout(result.source), version)

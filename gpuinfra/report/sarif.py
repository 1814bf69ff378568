"""SARIF 2.1.0 for code scanning.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html
https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
"""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from gpuinfra.errors import Position, Problem, printable
from gpuinfra.report import markup
from gpuinfra.report.checkout import relative
from gpuinfra.report.partial_check import BOUND
from gpuinfra.report.problems import problem_line, problems_of
from gpuinfra.report.report import LONGEST_NAME, Report, ReportEntry, cut
from gpuinfra.report.rule_address import page_of
from gpuinfra.report.user_inputs import influence_phrases
from gpuinfra.rules import RULES, WAIVERS, Rule
from gpuinfra.rules.waivers import short_name
from gpuinfra.units import format_count

if TYPE_CHECKING:
    from gpuinfra.fixes import Fix

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
ROOT: Final = "%SRCROOT%"
MAX_RESULTS: Final = 25_000
"""Code scanning refuses a run with more results.

https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit
"""

_MOST_KINDS: Final = 100
LEVELS: Final = {"mandatory": "error", "advisory": "warning", "disabled": "none"}
_INDEX: Final = {rule.id: index for index, rule in enumerate(RULES)}
FINGERPRINT: Final = "gpuinfraFinding/v1"


def write(report: Report, version: str) -> str:
    """Return violated and not-knowable findings, with waived ones as suppressed.

    Of more than code scanning takes, those that refuse come first, and a notification says how
    many are left out.
    """
    # A line per result, each encoded by itself: a million of them fit into memory as text only.
    lines = ",\n".join(map(_json, results(report)))
    document_text = f'{_json(sarif_run(report, version))[:-1]}, "results": [\n{lines}\n]}}'
    return f'{{"$schema": "{SCHEMA}", "version": "2.1.0", "runs": [{document_text}]}}\n'


def results(report: Report) -> Iterator[dict[str, Any]]:
    """Yield the results of a run, those that refuse first and no more than MOST."""
    return (_result(entry, report) for entry in _all_entries(report)[:MAX_RESULTS])


def _all_entries(report: Report) -> tuple[ReportEntry, ...]:
    return (*report.failing_findings, *report.waived_findings)


def sarif_run(report: Report, version: str) -> dict[str, Any]:
    """Return the run of a report without its results."""
    return {
        "tool": {"driver": _driver(version)},
        "automationDetails": {"id": f"gpuinfra/{cut(report.name, LONGEST_NAME)}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            ROOT: {"description": {"text": "the root of the checkout that was judged"}}
        },
        "invocations": [
            {
                "executionSuccessful": report.stop_reason is None,
                "exitCode": report.exit_code,
                "toolExecutionNotifications": [
                    *_partial_check_notifications(report),
                    *left_out(max(0, len(_all_entries(report)) - MAX_RESULTS)),
                    *_not_checked_notifications(report),
                ],
            }
        ],
        "properties": {
            "asOf": report.as_of.isoformat(),
            "counts": report.counts,
            **(
                {"influences": list(influence_phrases(report))}
                if influence_phrases(report)
                else {}
            ),
        },
    }


def _json(value: Any) -> str:
    """Return JSON in ASCII, which keeps control characters escaped."""
    return json.dumps(value)


def _driver(version: str) -> dict[str, Any]:
    return {
        "name": "gpuinfra",
        "version": version,
        "rules": [_descriptor(rule) for rule in (*RULES, WAIVERS)],
    }


def _descriptor(rule: Rule) -> dict[str, Any]:
    fix = rule.fix_on(None)
    return {
        "id": rule.id,
        "name": rule.id.title().replace("-", ""),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "helpUri": page_of(rule) or rule.source,
        "help": {
            "text": f"{rule.why}\n\nThe fix: {fix}",
            "markdown": f"{markup.prose(rule.why)}\n\n**Fix:** {markup.prose(fix)}",
        },
        "defaultConfiguration": {"level": LEVELS[rule.level], "enabled": rule.level != "disabled"},
        "properties": {
            "tags": [rule.family],
            "problem.severity": "error" if rule.level == "mandatory" else "warning",
        },
    }


def notification(problem: Problem, root: Path) -> dict[str, Any]:
    """Return a problem with its place, where that is in the checkout."""
    file_position = problem.position
    name = relative(file_position.file, root) if file_position else None
    content: dict[str, Any] = {"level": "error", "message": {"text": problem_line(problem)}}
    if file_position is not None and name is not None:
        region = {"startLine": file_position.line, "startColumn": file_position.column}
        sarif_location = {"artifactLocation": {"uri": name, "uriBaseId": ROOT}, "region": region}
        content["locations"] = [{"physicalLocation": sarif_location}]
    return content


def _result(entry: ReportEntry, report: Report) -> dict[str, Any]:
    finding = entry.finding
    fix = f". Fix: {entry.fix}" if entry.fix else ""
    proposed = report.fix_of(entry)
    if proposed is not None:
        fix = f"{fix}. Proposed: {cut(str(proposed))}"
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": _INDEX.get(finding.rule, len(_INDEX)),
        "kind": "fail",
        "level": entry.weight,
        "message": {"text": _escape_message(f"{entry.sentence}{fix}")},
        "locations": [_location(entry, report)],
        "partialFingerprints": {FINGERPRINT: _fingerprint(entry, report)},
        "properties": {"outcome": finding.outcome, "subject": entry.subject},
    }
    changes = None if proposed is None else _changes(proposed, report)
    if changes is not None:
        result["fixes"] = [changes]
    if entry.is_waived:
        result["suppressions"] = [_suppression(entry, report)]
    return result


def _changes(fix: "Fix", report: Report) -> dict[str, Any] | None:
    """Return a fix as one replacement in the stack file; None if it changes no text."""
    from gpuinfra.report.fix_replacement import replacement  # noqa: PLC0415  (only where there are fixes)

    change = replacement(report.text, fix)
    if change is None:
        return None
    region = {
        "startLine": change.start[0],
        "startColumn": change.start[1],
        "endLine": change.end[0],
        "endColumn": change.end[1],
    }
    replaced = {"deletedRegion": region, "insertedContent": {"text": change.text}}
    return {
        "description": {"text": _escape_message(cut(str(fix)))},
        "artifactChanges": [
            {
                "artifactLocation": _physical_location(report.source, report)["artifactLocation"],
                "replacements": [replaced],
            }
        ],
    }


def _suppression(entry: ReportEntry, report: Report) -> dict[str, Any]:
    """Return a waiver as a suppression, with its position in a file."""
    suppression = {
        "kind": "external",
        "status": "accepted",
        "justification": _escape_message(entry.waiver_text),
    }
    position = entry.accepted_at
    if position is None:
        return suppression
    return {
        **suppression,
        "location": {"physicalLocation": _physical_location(position.file, report, position)},
    }


def _location(entry: ReportEntry, report: Report) -> dict[str, Any]:
    """Return the position in the file, or the source as a whole and the resource's URN.

    Code scanning takes no result without a file: the source itself stands for one.
    """
    if entry.place is not None:
        return {"physicalLocation": _physical_location(entry.place.file, report, entry.place)}
    subject = entry.subject
    kind = {"kind": "resource"} if subject.startswith("urn:") else {}
    logical = {"name": short_name(subject), "fullyQualifiedName": subject, **kind}
    return {
        "physicalLocation": _physical_location(report.source, report),
        "logicalLocations": [logical],
    }


def _physical_location(
    file: Path | str, report: Report, file_position: Position | None = None
) -> dict[str, Any]:
    relative_path = report.relative_path(file)
    artifact = (
        {"uri": Path(file).absolute().as_uri()}
        if relative_path is None
        else {"uri": quote(relative_path), "uriBaseId": ROOT}
    )
    if file_position is None:
        return {"artifactLocation": artifact}
    region = {"startLine": file_position.line, "startColumn": file_position.column}
    return {"artifactLocation": artifact, "region": region}


def _fingerprint(entry: ReportEntry, report: Report) -> str:
    """Return a hash that stays the same when lines move and amounts change."""
    file = report.relative_path(report.source) or report.source.name
    parts = (file, report.name, entry.finding.rule, entry.finding.subject, str(entry.serial))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _partial_check_notifications(report: Report) -> Iterator[dict[str, Any]]:
    if report.stop_reason is not None:
        for problem in problems_of(report.stop_reason.error):
            yield notification(problem, report.root)
        yield _message(f"{report.stop_reason.text}; {BOUND}")


def _not_checked_notifications(report: Report) -> Iterator[dict[str, Any]]:
    kinds = list(report.not_judged_counts.items())
    for (kind, reason), count in kinds[:_MOST_KINDS]:
        yield _message(f"not checked: {count} of type {cut(kind, LONGEST_NAME)}: {cut(reason)}")
    if len(kinds) > _MOST_KINDS:
        yield _message(f"not checked: {len(kinds) - _MOST_KINDS} more types")


def left_out(count: int) -> Iterator[dict[str, Any]]:
    """Yield the notification with the number of omitted results."""
    if count:
        left_out = format_count(count, "result is", "results are")
        yield _message(f"{left_out} omitted; `gpuinfra check --format json` has all")


def _message(text: str) -> dict[str, Any]:
    return {"level": "warning", "message": {"text": _escape_message(text)}}


def _escape_message(text: str) -> str:
    """Return a message with links and placeholders escaped (3.11.5, 3.11.6)."""
    plain_text = printable(text)
    if "](" in plain_text:
        plain_text = re.sub(r"([\\\[\]])", r"\\\1", plain_text)
    return re.sub(r"\{(\d+)\}", r"{{\1}}", plain_text)

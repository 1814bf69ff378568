"""JUnit XML: one test case per rule and subject.

https://github.com/testmoapp/junitxml
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from gpuinfra.errors import printable
from gpuinfra.records import record
from gpuinfra.report.partial_check import BOUND
from gpuinfra.report.problems import location_text, problem_line, problems_of
from gpuinfra.report.report import LONGEST_NAME, Report, ReportEntry, cut
from gpuinfra.report.rule_address import more_about
from gpuinfra.report.user_inputs import sentence
from gpuinfra.rules import RULES
from gpuinfra.rules.rule import GRAVITY
from gpuinfra.units import format_count

Attributes = Iterable[tuple[str, object]]
Answer = tuple[str, Attributes, str]
Case = tuple[Attributes, Answer | None]

_FAMILIES: Final = {rule.id: rule.family for rule in RULES}


MAX_CASES: Final = 10_000
"""How many cases are written: GitLab reads no report of 30 MB, or of 250,000 nodes.

https://docs.gitlab.com/ci/testing/unit_test_reports/
https://gitlab.com/gitlab-org/gitlab/-/issues/507482
"""

COUNT_ATTRIBUTES: Final = ("tests", "failures", "errors")
"""The counters of a document's suites."""

_MOST_KINDS: Final = 100


@record
class Suite:
    """The cases of one source: the lines of its element, and how many cases end how."""

    counts: Mapping[str, int]
    lines: Sequence[str]


def write(report: Report) -> str:
    """Return all findings of one source."""
    return document([suite(report)])


def document(suites: Sequence[Suite]) -> str:
    """Return the document of several suites."""
    totals = [(key, sum(suite.counts[key] for suite in suites)) for key in COUNT_ATTRIBUTES]
    return "\n".join(
        (
            '<?xml version="1.0" encoding="UTF-8"?>',
            _open("testsuites", [("name", "gpuinfra check"), *totals]),
            *(line for suite in suites for line in suite.lines),
            "</testsuites>",
            "",
        )
    )


def suite(report: Report) -> Suite:
    """Return all findings: violated is a failure, not-knowable an error, if they fail the check.

    What is advised is skipped and said: a runner takes any failure for the verdict.
    Of very many, those that need action come first, and a property says how many are left out.
    """
    entries = report.entries
    if len(entries) > MAX_CASES:
        entries = tuple(sorted(entries, key=_order)[:MAX_CASES])
    left_out_count = len(report.entries) - len(entries)
    cases: list[Case] = [*_partial_check_cases(report)]
    cases += [(_case(entry, report), _answer(entry, report)) for entry in entries]
    kinds = [answer[0] for _, answer in cases if answer]
    totals = (
        ("tests", len(cases)),
        ("failures", kinds.count("failure")),
        ("errors", kinds.count("error")),
        ("skipped", kinds.count("skipped")),
    )
    lines = [
        _open("testsuite", [("name", cut(report.name, LONGEST_NAME)), *totals]),
        *_properties(report, left_out_count),
    ]
    for attributes, answer in cases:
        if answer is None:
            lines.append(_open("testcase", attributes, "/"))
        else:
            lines += [_open("testcase", attributes), _element(*answer), "</testcase>"]
    return Suite(counts=dict(totals), lines=[*lines, "</testsuite>"])


def _partial_check_cases(report: Report) -> Iterator[Case]:
    """Yield a case in error for each problem that left only a part to judge."""
    if report.stop_reason is None:
        return
    for problem in problems_of(report.stop_reason.error):
        name = location_text(problem) or (
            "program" if report.stop_reason.is_program else "preview"
        )
        message = [("message", f"{problem_line(problem)}; {BOUND}")]
        yield [("classname", "gpuinfra"), ("name", name), ("time", "0")], ("error", message, "")


def _order(entry: ReportEntry) -> tuple[bool, bool, int]:
    finding = entry.finding
    return (entry.is_waived, not finding.refuses, GRAVITY.index(finding.outcome))


def _case(entry: ReportEntry, report: Report) -> list[tuple[str, object]]:
    finding = entry.finding
    again = f" ({entry.serial + 1})" if entry.serial else ""
    attributes: list[tuple[str, object]] = [
        ("classname", f"gpuinfra.{_FAMILIES.get(finding.rule, 'waivers')}"),
        ("name", f"{finding.rule}: {entry.subject}{again}"),
        ("time", "0"),
    ]
    position = report.position_of(entry)
    if position is not None:
        file, file_position = position
        attributes += [
            ("file", file),
            *([] if file_position is None else [("line", file_position.line)]),
        ]
    return attributes


def _answer(entry: ReportEntry, report: Report) -> Answer | None:
    """Return a case's result element, its attributes and its text; None if it passed."""
    finding = entry.finding
    details_text = f"\nmore: {more_about(finding.rule)}"
    fix = f"\nfix: {printable(entry.fix)}{details_text}" if entry.fix else details_text
    proposed = report.fix_of(entry)
    if proposed is not None:
        fix = f"{fix}\nproposed: {cut(str(proposed))}"
    if entry.is_waived:
        return "skipped", [("message", entry.waiver_text)], ""
    if finding.outcome == "fine":
        return None
    if finding.outcome in {"not-applicable", "noted"}:
        return "skipped", [("message", entry.message)], ""
    if not finding.refuses:
        return (
            "skipped",
            [("message", f"{finding.level}, {finding.outcome}: {entry.sentence}")],
            "",
        )
    attributes = [("message", entry.sentence), ("type", f"{finding.outcome}, {finding.level}")]
    kind = "error" if finding.outcome == "not-knowable" else "failure"
    return kind, attributes, f"{printable(entry.sentence)}{fix}"


def _properties(report: Report, left_out_count: int) -> Iterator[str]:
    property_text = sentence(report)
    properties: list[tuple[str, object]] = [("influences", property_text)] if property_text else []
    properties.append(("as-of", report.as_of))
    if left_out_count:
        properties.append(
            (
                "left-out",
                (
                    f"{format_count(left_out_count, 'finding')}; "
                    "`gpuinfra check --format json` has all"
                ),
            )
        )
    kinds = list(report.not_judged_counts.items())
    for (kind, reason), count in kinds[:_MOST_KINDS]:
        property_text = f"{count} of type {cut(kind, LONGEST_NAME)}: {cut(reason)}"
        properties.append(("not-judged", property_text))
    if len(kinds) > _MOST_KINDS:
        properties.append(("not-judged", f"{len(kinds) - _MOST_KINDS} more types"))
    yield "<properties>"
    for name, value in properties:
        yield _open("property", [("name", name), ("value", value)], "/")
    yield "</properties>"


def _open(name: str, attributes: Attributes, end: str = "") -> str:
    attributes_text = "".join(
        f" {key}={quoteattr(_xml_safe(str(value)))}" for key, value in attributes
    )
    return f"<{name}{attributes_text}{end}>"


def _element(name: str, attributes: Attributes, text: str) -> str:
    """Return an element whose text is escaped."""
    start = _open(name, attributes, "" if text else "/")
    body = "\n".join(escape(_xml_safe(line)) for line in text.split("\n"))
    return f"{start}{body}</{name}>" if text else start


def _xml_safe(text: str) -> str:
    """Return text with characters escaped that control a terminal or that XML 1.0 forbids.

    https://www.w3.org/TR/xml/#charsets
    """
    forbidden = "[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    return re.sub(forbidden, lambda match: f"\\u{ord(match[0]):04x}", printable(text))

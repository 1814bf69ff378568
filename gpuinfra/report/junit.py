"""JUnit XML: one test case per rule and subject.

https://github.com/testmoapp/junitxml
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from gpuinfra.errors import printable
from gpuinfra.report.judged import Entry, Report
from gpuinfra.rules import RULES

Attributes = Iterable[tuple[str, object]]

_FAMILIES: Final = {rule.id: rule.family for rule in RULES}


def write(report: Report) -> str:
    """Every finding: violated fails, not knowable is an error where it refuses."""
    cases = [(_case(entry, report), _answer(entry)) for entry in report.entries]
    kinds = [answer[0] for _, answer in cases if answer]
    totals = (
        ("tests", len(cases)),
        ("failures", kinds.count("failure")),
        ("errors", kinds.count("error")),
        ("skipped", kinds.count("skipped")),
    )
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        _open("testsuites", [("name", "gpuinfra check"), *totals]),
        _open("testsuite", [("name", report.name), *totals]),
        *_properties(report),
    ]
    for attributes, answer in cases:
        if answer is None:
            lines.append(_open("testcase", attributes, "/"))
        else:
            lines += [_open("testcase", attributes), _element(*answer), "</testcase>"]
    return "\n".join([*lines, "</testsuite>", "</testsuites>", ""])


def _case(entry: Entry, report: Report) -> list[tuple[str, object]]:
    finding = entry.finding
    again = f" ({entry.serial + 1})" if entry.serial else ""
    attributes: list[tuple[str, object]] = [
        ("classname", f"gpuinfra.{_FAMILIES.get(finding.rule, 'waivers')}"),
        ("name", f"{finding.rule}: {finding.subject}{again}"),
        ("time", "0"),
    ]
    if entry.place is not None:
        file = report.called(entry.place.file) or entry.place.file
        attributes += [("file", file), ("line", entry.place.line)]
    return attributes


def _answer(entry: Entry) -> tuple[str, Attributes, str] | None:
    """The element that says how a case ended, its attributes and its text; None when fine."""
    finding = entry.finding
    fix = f"\nthe way out: {printable(finding.fix)}" if finding.fix else ""
    if entry.waived:
        return "skipped", [("message", entry.accepted)], ""
    if finding.outcome == "fine":
        return None
    if finding.outcome == "not-applicable":
        return "skipped", [("message", finding.message)], ""
    unsure = finding.outcome == "not-knowable" and finding.level == "mandatory"
    attributes = [("message", entry.words), ("type", f"{finding.outcome}, {finding.level}")]
    return "error" if unsure else "failure", attributes, f"{printable(entry.words)}{fix}"


def _properties(report: Report) -> Iterator[str]:
    yield "<properties>"
    yield _open("property", [("name", "as-of"), ("value", report.as_of)], "/")
    for (kind, reason), count in report.uncovered.items():
        value = f"{count} of type {kind}: {reason}"
        yield _open("property", [("name", "not-judged"), ("value", value)], "/")
    yield "</properties>"


def _open(name: str, attributes: Attributes, end: str = "") -> str:
    said = "".join(f" {key}={quoteattr(_legal(str(value)))}" for key, value in attributes)
    return f"<{name}{said}{end}>"


def _element(name: str, attributes: Attributes, text: str) -> str:
    """An element; every end of CDATA and every tag in its text is only text."""
    start = _open(name, attributes, "" if text else "/")
    body = "\n".join(escape(_legal(line)) for line in text.split("\n"))
    return f"{start}{body}</{name}>" if text else start


def _legal(text: str) -> str:
    """Text with everything escaped that a terminal may obey or XML 1.0 forbids.

    https://www.w3.org/TR/xml/#charsets
    """
    forbidden = "[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    return re.sub(forbidden, lambda one: f"\\u{ord(one[0]):04x}", printable(text))

"""What stopped a check before it had a verdict, as a document in every format."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from gpuinfra.errors import CloudError, GpuinfraError, InputError, Problem, printable
from gpuinfra.report import markup
from gpuinfra.report.checkout import relative
from gpuinfra.report.sarif import ROOT, SCHEMA

MOST: Final = 100
"""How many problems a document has."""


def in_json(error: GpuinfraError) -> dict[str, Any]:
    """An error as docs/json.md has it."""
    return {
        "error": {
            "exit_code": error.exit_code,
            "message": printable(str(error)),
            "problems": error.problems if isinstance(error, InputError) else (),
            "refusals": error.refusals if isinstance(error, CloudError) else (),
        }
    }


def as_sarif(error: GpuinfraError, root: Path, version: str) -> str:
    """A run that was not successful: each problem as a notification with its place.

    https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html#_Toc34317556
    """
    notes = [_notification(problem, root) for problem in _problems(error)]
    run = {
        "tool": {"driver": {"name": "gpuinfra", "version": version}},
        "invocations": [
            {
                "executionSuccessful": False,
                "exitCode": error.exit_code,
                "toolConfigurationNotifications": notes,
            }
        ],
        "results": [],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def as_junit(error: GpuinfraError) -> str:
    """One test case in error for each problem."""
    problems = list(_problems(error))
    count = f'tests="{len(problems)}" failures="0" errors="{len(problems)}"'
    cases = (
        f'<testcase classname="gpuinfra" name={quoteattr(_place(problem) or "input")}>'
        f"<error message={quoteattr(printable(problem.message))}>{escape(_words(problem))}</error>"
        "</testcase>"
        for problem in problems
    )
    head = f'<testsuites name="gpuinfra check" {count}>\n<testsuite name="input" {count}>'
    lines = ('<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>")
    return "\n".join((*lines, "</testsuites>", ""))


def as_github(error: GpuinfraError, root: Path) -> str:
    """An annotation for each problem."""
    return "".join(f"{line}\n" for line in _commands(error, root))


def as_markdown(error: GpuinfraError, source: str) -> str:
    """A comment that says what has to be mended first; found again by its marker."""
    title = f"### {markup.code(source)}: not checked"
    return "\n\n".join((markup.marker("check", source), title, _listed(error), ""))


def of_command(error: GpuinfraError, command: str) -> str:
    """What stopped a command whose result was to be Markdown."""
    return "\n\n".join((f"### {markup.code(command)}: no result", _listed(error), ""))


def _listed(error: GpuinfraError) -> str:
    """The problems as a list."""
    return "\n".join(
        f"- {markup.code(_place(problem))} {markup.text(_words(problem))}"
        for problem in _problems(error)
    )


def writers(
    error: GpuinfraError, source: Path, root: Path, version: str
) -> Mapping[str, Callable[[], str]]:
    """What writes an error in each of the formats that are no table."""
    return {
        "sarif": lambda: as_sarif(error, root, version),
        "junit": lambda: as_junit(error),
        "github": lambda: as_github(error, root),
        "markdown": lambda: as_markdown(error, str(source)),
    }


def _problems(error: GpuinfraError) -> Iterator[Problem]:
    """The problems of an error; the error itself where it has none."""
    if isinstance(error, InputError):
        yield from error.problems[:MOST]
        left = len(error.problems) - MOST
        if left > 0:
            yield Problem(message=f"… and {left} more")
        return
    if isinstance(error, CloudError):
        for refusal in error.refusals:
            yield Problem(message=f"refused: {refusal.what}: {refusal.why}", fix=refusal.fix)
        return
    yield Problem(message=str(error))


def _words(problem: Problem) -> str:
    """A problem in a line."""
    parts = (
        problem.message,
        f"value: {problem.value}" if problem.value else "",
        f"did you mean {problem.suggestion!r}?" if problem.suggestion else "",
        f"allowed: {problem.allowed}" if problem.allowed else "",
        f"fix: {problem.fix}" if problem.fix else "",
    )
    return printable("; ".join(part for part in parts if part))


def _place(problem: Problem) -> str:
    at = problem.position
    return f"{printable(at.file)}:{at.line}:{at.column}" if at else ""


def _notification(problem: Problem, root: Path) -> dict[str, Any]:
    at = problem.position
    name = relative(at.file, root) if at else None
    shown: dict[str, Any] = {"level": "error", "message": {"text": _words(problem)}}
    if at is not None and name is not None:
        region = {"startLine": at.line, "startColumn": at.column}
        place = {"artifactLocation": {"uri": name, "uriBaseId": ROOT}, "region": region}
        shown["locations"] = [{"physicalLocation": place}]
    return shown


def _commands(error: GpuinfraError, root: Path) -> Iterator[str]:
    from gpuinfra.report.github import command  # noqa: PLC0415  (only for this format)

    for problem in _problems(error):
        at = problem.position
        place = {}
        if at is not None:
            file = relative(at.file, root) or at.file
            place = {"file": file, "line": str(at.line), "col": str(at.column)}
        yield command("error", {**place, "title": "gpuinfra"}, _words(problem))

"""What stopped a check before it had a verdict, as a document in every format."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from gpuinfra.errors import CloudError, GpuinfraError, InputError, printable
from gpuinfra.report import markup
from gpuinfra.report.problems import in_words, listed, place_of, problems_of
from gpuinfra.report.sarif import SCHEMA, notification


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
    notes = [notification(problem, root) for problem in problems_of(error)]
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
    problems = list(problems_of(error))
    count = f'tests="{len(problems)}" failures="0" errors="{len(problems)}"'
    cases = (
        f'<testcase classname="gpuinfra" name={quoteattr(place_of(problem) or "input")}>'
        f"<error message={quoteattr(printable(problem.message))}>"
        f"{escape(in_words(problem))}</error></testcase>"
        for problem in problems
    )
    head = f'<testsuites name="gpuinfra check" {count}>\n<testsuite name="input" {count}>'
    lines = ('<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>")
    return "\n".join((*lines, "</testsuites>", ""))


def as_github(error: GpuinfraError, root: Path) -> str:
    """An annotation for each problem."""
    from gpuinfra.report.github import of_error  # noqa: PLC0415  (only for this format)

    return "".join(f"{line}\n" for line in of_error(error, root))


def as_markdown(error: GpuinfraError, source: str) -> str:
    """A comment that says what has to be mended first; found again by its marker."""
    title = f"### {markup.code(source)}: not checked"
    return "\n\n".join((markup.marker("check", source), title, listed(error), ""))


def of_command(error: GpuinfraError, command: str) -> str:
    """What stopped a command whose result was to be Markdown."""
    return "\n\n".join((f"### {markup.code(command)}: no result", listed(error), ""))


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

"""The error that stopped a check before its verdict, as a document in every format."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from gpuinfra.errors import (
    ChangedFileError,
    CloudError,
    GpuinfraError,
    InputError,
    RefusedError,
    printable,
)
from gpuinfra.report import junit, markup
from gpuinfra.report.checkout import checkout, source_name
from gpuinfra.report.problems import location_text, markdown_list, problem_line, problems_of
from gpuinfra.report.sarif import SCHEMA, notification

ERROR_VERDICT: Final = "FAIL, 1 error"
"""The verdict on a source that is refused before the rules judge it."""


def error_as_json(error: GpuinfraError) -> dict[str, Any]:
    """Return an error as in docs/json.md."""
    return {
        "error": {
            "exit_code": error.exit_code,
            "message": printable(str(error)),
            "problems": error.problems if isinstance(error, InputError) else (),
            "refusals": error.refusals if isinstance(error, CloudError) else (),
        }
    }


def as_sarif(error: GpuinfraError, root: Path, version: str) -> str:
    """Return an unsuccessful run with each problem as a notification and its location.

    https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html#_Toc34317556
    """
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [sarif_run(error, root, version)]}
    return json.dumps(document, indent=1) + "\n"


def sarif_run(error: GpuinfraError, root: Path, version: str) -> dict[str, Any]:
    """Return the unsuccessful run of an error."""
    notes = [notification(problem, root) for problem in problems_of(error)]
    return {
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


def as_junit(error: GpuinfraError) -> str:
    """Return one test case with an error for each problem."""
    return junit.document([junit_suite(error)])


def junit_suite(error: GpuinfraError, name: str = "input") -> junit.Suite:
    """Return the suite of an error, which has one case for each problem."""
    problems = list(problems_of(error))
    totals = {"tests": len(problems), "failures": 0, "errors": len(problems)}
    counts = " ".join(f'{key}="{count}"' for key, count in totals.items())
    cases = (
        f'<testcase classname="gpuinfra" name={quoteattr(location_text(problem) or "input")}>'
        f"<error message={quoteattr(printable(problem.message))}>"
        f"{escape(problem_line(problem))}</error></testcase>"
        for problem in problems
    )
    head = f"<testsuite name={quoteattr(name)} {counts}>"
    return junit.Suite(counts=totals, lines=[head, *cases, "</testsuite>"])


def as_github(error: GpuinfraError, root: Path) -> str:
    """Return an annotation for each problem."""
    from gpuinfra.report.github import error_annotations  # noqa: PLC0415  (only for this format)

    return "".join(f"{line}\n" for line in error_annotations(error, root))


def as_markdown(error: GpuinfraError, source: Path) -> str:
    """Return a comment that lists the problems to fix; it begins with the marker of a verdict."""
    ending = ERROR_VERDICT if is_verdict(error) else "not checked"
    title = f"### ❌ gpuinfra check: {markup.code(str(source))}: {ending}"
    marker = markup.marker("check", source_name(source, checkout(source)))
    return "\n\n".join((marker, title, markdown_list(error), ""))


def is_verdict(error: GpuinfraError) -> bool:
    """Return whether an error is a refusal of the source, for example by its lock."""
    return isinstance(error, RefusedError) and not isinstance(error, ChangedFileError)


def command_error_comment(error: GpuinfraError, command: str) -> str:
    """Return the error of a command whose result was to be Markdown."""
    return "\n\n".join((f"### {markup.code(command)}: no result", markdown_list(error), ""))


def writers(
    error: GpuinfraError, source: Path, root: Path, version: str
) -> Mapping[str, Callable[[], str]]:
    """Return the functions that write an error in each format, except tables and JSON."""
    return {
        "sarif": lambda: as_sarif(error, root, version),
        "junit": lambda: as_junit(error),
        "github": lambda: as_github(error, root),
        "markdown": lambda: as_markdown(error, source),
    }

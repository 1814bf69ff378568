"""Pipeline files for CI systems that check a stack."""

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from gpuinfra import __version__
from gpuinfra.errors import InputError, Problem
from gpuinfra.report.ci.requirement import is_installable

_FOLDER: Final = Path(__file__).parent


_PROGRAM_ONLY_PREFIX: Final = "@PROGRAM@ "
"""Begins the lines that only a pipeline for a Pulumi program has."""


def installable(*, of_program: bool) -> str:
    """Return the default package that a pipeline installs: the commit of this gpuinfra.

    https://packaging.python.org/en/latest/specifications/direct-url/

    Raises:
        InputError: it came from no place that a runner can reach.
    """
    extra = "all" if of_program else "report"
    try:
        came = json.loads(distribution("gpuinfra").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        came = {}
    if "vcs_info" in came:
        vcs, commit = came["vcs_info"]["vcs"], came["vcs_info"]["commit_id"]
        return f"gpuinfra[{extra}] @ {vcs}+{came['url']}@{commit}"
    message = (
        "a pipeline has to be told where it installs gpuinfra from: it is on no package index, "
        "and this one was not installed from git"
    )
    raise InputError([_requirement_problem(message, "", extra)])


def checked_requirement(text: str, *, of_program: bool) -> str:
    """Return what a pipeline installs, after checking that it has a form that pip takes.

    Raises:
        InputError: it has none.
    """
    if is_installable(text.strip()):
        return text.strip()
    message = "--install is not a pip requirement for gpuinfra"
    extra = "all" if of_program else "report"
    raise InputError([_requirement_problem(message, text or "''", extra)])


def _requirement_problem(message: str, value: str, extra: str) -> Problem:
    """Return the problem of a requirement that a pipeline can't install, or that is missing."""
    return Problem(
        message=message,
        value=value,
        allowed=f"what pip on the runners can install with the extra {extra}: a git+https:// "
        "address, or a wheel in the repository",
        fix=f"add --install 'gpuinfra[{extra}] @ git+https://…', or run pip wheel --no-deps in a "
        f"checkout, commit the wheel, and add --install './gpuinfra-{__version__}-py3-none-any.whl"
        f"[{extra}]'",
    )


def pipeline(
    system: str, stack: str, install: str, *, of_program: bool = False, options: str = ""
) -> str:
    """Return the pipeline file of a CI system.

    Args:
        system: github or gitlab.
        stack: the stack file or its folder, from the root of the checkout.
        install: what pip installs there.
        of_program: whether it is the folder of a Pulumi program, which an engine previews.
        options: of the check and the report of a program, with its configuration, as in a shell.
    """
    lines = (_FOLDER / f"{system}.yml").read_text(encoding="utf-8").splitlines(keepends=True)
    kept_lines = (line for line in lines if of_program or _PROGRAM_ONLY_PREFIX not in line)
    text = "".join(kept_lines).replace(_PROGRAM_ONLY_PREFIX, "")
    text = text.replace("@CHECKED@", '"$@" ' if of_program else "")
    for mark, value in (("@STACK@", stack), ("@INSTALL@", install), ("@OPTIONS@", options)):
        # GitLab replaces variables within values: https://docs.gitlab.com/ci/variables/
        pipeline_value = value.replace("$", "$$") if system == "gitlab" else value
        text = text.replace(mark, json.dumps(pipeline_value, ensure_ascii=False), 1)
    return text

"""The files that `gpuinfra init` writes beside a stack file; existing files are not replaced."""

import shlex
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from gpuinfra.cli.program_options import note_configuration, options_to_configure
from gpuinfra.cli.views.render import note
from gpuinfra.errors import InputError, shown_path

PIPELINES: Final = {"github": ".github/workflows/gpuinfra.yml", "gitlab": ".gitlab-ci.yml"}
ALTERNATIVE_PATH: Final = {".gitlab-ci.yml": ".gitlab/gpuinfra.yml"}
"""The pipeline file to write if the default exists; the default must then include it."""

ACCESS_NEEDED: Final = "its runners need access to that"


def write_pipeline(system: str, folder: Path, install: str, *, of_program: bool) -> None:
    """Write the pipeline file of a CI system into the checkout that contains the folder."""
    from gpuinfra.report.checkout import checkout, relative  # noqa: PLC0415
    from gpuinfra.report.ci import pipeline  # noqa: PLC0415  (a starter alone needs no rules)
    from gpuinfra.report.ci.requirement import local_path  # noqa: PLC0415

    root = checkout(folder)
    folder_in_repository = relative(folder, root)
    if folder_in_repository is None:
        root, folder_in_repository = folder, "."
    pipeline_path = root / PIPELINES[system]
    options = shlex.join(options_to_configure(folder, of_program))
    text = pipeline(system, folder_in_repository, install, of_program=of_program, options=options)
    alternative = ALTERNATIVE_PATH.get(PIPELINES[system])
    if alternative is not None and pipeline_path.exists():
        write_new_file(root / alternative, text, "pipeline")
        note(f"add to {pipeline_path}: include: [{{local: {alternative}}}]")
    else:
        write_new_file(pipeline_path, text, "pipeline")
    path = local_path(install)
    missing = path and not (root / path).exists()
    need = f"commit {path}, which is not in the checkout yet" if missing else ACCESS_NEEDED
    note(f"the pipeline installs {install}: {need}")
    if of_program:
        note_configuration(folder, PIPELINES[system])


def requirement_of(system: str | None, install: str | None, *, of_program: bool) -> str:
    """Return the pip requirement that CI installs: the checked one of --install, or the default.

    Empty without a CI system.

    Raises:
        InputError: it has no form that pip takes, or there is no default.
        click.UsageError: --install is given without a CI system.
    """
    if system is None:
        if install is not None:
            raise click.UsageError(f"--install is for a pipeline: add --ci {'|'.join(PIPELINES)}")
        return ""
    from gpuinfra.report.ci import (  # noqa: PLC0415  (a starter alone needs no rules)
        checked_requirement,
        installable,
    )

    if install is None:
        return installable(of_program=of_program)
    return checked_requirement(install, of_program=of_program)


def write_new_file(target: Path, text: str, content: str, aim: str = "") -> None:
    """Write a new file; print its path, and its purpose if one is given.

    Raises:
        InputError: there is one, or it can't be written.
    """
    with write_errors(content, target):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with target.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            raise existing_file_error(target, content) from None
    note(f"wrote {shown_path(target)}{f', {aim}' if aim else ''}")


@contextmanager
def write_errors(content: str, path: Path, fix: str = "use a writable folder") -> Generator[None]:
    """Report an error of writing a file or a folder as a problem.

    Raises:
        InputError: it can't be written.
    """
    try:
        yield
    except OSError as error:
        raise InputError.of(
            f"the {content} can't be written: {error.strerror}", value=str(path), fix=fix
        ) from None


def existing_file_error(target: Path, content: str, fix: str = "") -> InputError:
    """Return the error for a file that already exists."""
    return InputError.of(
        f"a {content} already exists, and init never overwrites one",
        value=str(target),
        fix=fix or "use another folder, or move the file away first",
    )

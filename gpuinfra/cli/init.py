"""`gpuinfra init`: a commented starter, and the file by which CI judges it."""

import re
from pathlib import Path

import click

from gpuinfra import __version__
from gpuinfra.cli.render import note
from gpuinfra.errors import InputError, Problem
from gpuinfra.stackfile import FILE_NAME
from gpuinfra.stackfile.starter import STARTERS, starter

PIPELINES = {"github": ".github/workflows/gpuinfra.yml", "gitlab": ".gitlab-ci.yml"}
BESIDE = {".gitlab-ci.yml": ".gitlab/gpuinfra.yml"}
"""Where a pipeline goes when the file it would be is there: that one has to include it."""


@click.command("init")
@click.argument("folder", default=".", type=click.Path(path_type=Path, file_okay=False))
@click.option("--name", default=None, help="The stack's name; default the folder's.")
@click.option(
    "--cloud",
    type=click.Choice(list(STARTERS)),
    default="aws",
    show_default=True,
    help="Cloud of the machines.",
)
@click.option(
    "--ci",
    type=click.Choice(list(PIPELINES)),
    default=None,
    help="Also write the file that checks the stack in this system; a stack.yaml may exist.",
)
@click.option(
    "--install",
    default=f"gpuinfra=={__version__}",
    show_default=True,
    help="What pip installs in CI: a release, a wheel or git+https://…",
)
def command(folder: Path, name: str | None, cloud: str, ci: str | None, install: str) -> None:
    """Write a commented stack.yaml into FOLDER; never over one that is there."""
    target = folder / FILE_NAME
    if ci is None or not target.exists():
        _put(target, starter(name or _name(folder), cloud), "stack file")
    if ci is not None:
        _pipeline(ci, folder, install)
    note(f"next: gpuinfra check {folder}   then: gpuinfra cost {folder}")


def _pipeline(system: str, folder: Path, install: str) -> None:
    """Write the file of a CI system into the checkout that holds the folder."""
    from gpuinfra.report.ci import pipeline  # noqa: PLC0415  (a starter alone needs no rules)
    from gpuinfra.report.places import checkout, relative  # noqa: PLC0415

    root = checkout(folder)
    inside = relative(folder, root)
    if inside is None:
        root, inside = folder, "."
    place = root / PIPELINES[system]
    beside = BESIDE.get(PIPELINES[system])
    if beside is not None and place.exists():
        _put(root / beside, pipeline(system, inside, install), "pipeline")
        note(f"add to {place}: include: [{{local: {beside}}}]")
    else:
        _put(place, pipeline(system, inside, install), "pipeline")
    note(
        f"it installs {install}: make sure that your runners can reach it, or set another "
        "with --install"
    )


def _put(target: Path, text: str, what: str) -> None:
    """Write a new file.

    Raises:
        InputError: there is one, or it can't be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        problem = Problem(
            message=f"a {what} already exists, and init never overwrites one",
            value=str(target),
            fix="use another folder, or move the file away first",
        )
        raise InputError([problem]) from None
    except OSError as error:
        problem = Problem(
            message=f"the {what} can't be written: {error.strerror}",
            value=str(target),
            fix="use a writable folder",
        )
        raise InputError([problem]) from None
    note(f"wrote {target}")


def _name(folder: Path) -> str:
    """The folder's name as a stack's name: lower case, letters, digits and hyphens."""
    kept = re.sub("[^a-z0-9]", "-", folder.resolve().name.lower())
    name = kept.strip("-").lstrip("0123456789-")[:40].strip("-")
    return name if len(name) > 1 else "my-stack"

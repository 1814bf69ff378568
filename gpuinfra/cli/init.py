"""`gpuinfra init`: a commented starter, and the file by which CI judges it."""

from pathlib import Path

import click

from gpuinfra import __version__
from gpuinfra.cli.render import note
from gpuinfra.errors import InputError, Problem
from gpuinfra.stackfile import FILE_NAME
from gpuinfra.stackfile.defaults import stack_name
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
    help="Where its machines stand.",
)
@click.option(
    "--ci",
    type=click.Choice(list(PIPELINES)),
    default=None,
    help="Also write the file by which this system judges the stack; a stack.yaml may be there.",
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
        _put(target, starter(name or stack_name(folder) or "my-stack", cloud), "stack file")
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
    note(f"it installs {install}: see that your runners find it, or name another by --install")


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
            message=f"there is a {what} already, and init never overwrites one",
            value=str(target),
            fix="name another folder, or move the file away first",
        )
        raise InputError([problem]) from None
    except OSError as error:
        problem = Problem(
            message=f"the {what} can't be written: {error.strerror}",
            value=str(target),
            fix="name a folder you may write to",
        )
        raise InputError([problem]) from None
    note(f"wrote {target}")

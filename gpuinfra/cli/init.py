"""`gpuinfra init`: a commented starter."""

import re
from pathlib import Path

import click

from gpuinfra.cli.render import note
from gpuinfra.errors import InputError, Problem
from gpuinfra.stackfile import FILE_NAME
from gpuinfra.stackfile.starter import STARTERS, starter


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
def command(folder: Path, name: str | None, cloud: str) -> None:
    """Write a commented stack.yaml into FOLDER; never over one that is there."""
    target = folder / FILE_NAME
    text = starter(name or _name(folder), cloud)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        problem = Problem(
            message="there is a stack file already, and init never overwrites one",
            value=str(target),
            fix="name another folder, or move the file away first",
        )
        raise InputError([problem]) from None
    except OSError as error:
        problem = Problem(
            message=f"the stack file can't be written: {error.strerror}",
            value=str(target),
            fix="name a folder you may write to",
        )
        raise InputError([problem]) from None
    note(f"wrote {target}")
    note(f"next: gpuinfra check {folder}   then: gpuinfra cost {folder}")


def _name(folder: Path) -> str:
    """The folder's name as a stack's name: lower case, letters, digits and hyphens."""
    kept = re.sub("[^a-z0-9]", "-", folder.resolve().name.lower())
    name = kept.strip("-").lstrip("0123456789-")[:40].strip("-")
    return name if len(name) > 1 else "my-stack"

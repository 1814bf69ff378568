"""`gpuinfra migrate`: convert a stack file to the newest version of its schema."""

import sys
from pathlib import Path

import click

from gpuinfra.atomic_write import write_atomically
from gpuinfra.cli.new_files import write_errors
from gpuinfra.cli.source import source_argument
from gpuinfra.cli.views.render import note
from gpuinfra.errors import command_line
from gpuinfra.fixes.stack_file_edits import difference
from gpuinfra.stackfile import file_of
from gpuinfra.stackfile.files import text_in
from gpuinfra.stackfile.migrations import migrate_text


@click.command("migrate")
@source_argument
@click.option("--yes", is_flag=True, help="Write without confirmation.")
def command(source: Path, yes: bool) -> int:
    """Bring the stack file of SOURCE to the newest version; comments stay.

    Shows the difference, and asks before it writes.
    """
    path = file_of(source)
    text = text_in(path, "name a stack file or its folder")
    done = migrate_text(text, str(path))
    if not done.steps:
        click.echo(f"{path} is version {done.version}, the newest")
        return 0
    click.echo(difference(text, done.text, path.name, f"version {done.version}"))
    for step in done.steps:
        click.echo(f"version {step.version}: {step.summary}")
    if not yes and not _is_confirmed():
        return 1
    with write_errors("stack file", path):
        write_atomically(path, done.text.encode())
    click.echo(f"wrote {path}")
    note(f"next: {command_line('check', path)}")
    return 0


def _is_confirmed() -> bool:
    """Return whether the user at the terminal answers yes; False without a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        note("not written: add --yes to write it without confirmation")
        return False
    return click.confirm("write it?", default=False, err=True)

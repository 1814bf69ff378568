"""`gpuinfra report`: one HTML page of any SOURCE, to look at and to pass on."""

from datetime import datetime
from pathlib import Path
from typing import Any, Final

import click

from gpuinfra.cli import any_source, outputs
from gpuinfra.cli.source import plan_options, source_argument
from gpuinfra.cli.views.layout import wrapped
from gpuinfra.cli.views.render import clean
from gpuinfra.errors import InputError
from gpuinfra.report.summary import ending

DEFAULT: Final = "report.html"


@click.command("report")
@source_argument
@click.option(
    "--output",
    default=DEFAULT,
    show_default=True,
    metavar="FILE",
    help="Write the page to this file; - prints it.",
)
@plan_options
@any_source.options
def command(
    source: Path, output: str, as_of: datetime | None, rung: tuple[str, ...], **options: Any
) -> int:
    """Write one HTML page of SOURCE: verdict, money, ladders, machines, network, unknowns.

    SOURCE is a stack file, a preview, a state or a program, as for check. The page needs no
    network and no JavaScript. The exit code is 0 once it is written: the verdict is on the
    page, and is the exit code of check.
    """
    checked = any_source.any_of(source, as_of, rung, options)
    from gpuinfra.api.reporting import html_report  # noqa: PLC0415  (after SOURCE is read)

    page = html_report(checked)
    if output == "-":
        click.echo(page, nl=False)
        return 0
    problems = list(outputs.put(Path(output), page))
    if problems:
        raise InputError(problems)
    click.echo(wrapped(clean(f"{output}: {ending(checked.report)}"), "  "))
    return 0

"""`gpuinfra report`: one HTML page of any SOURCE, to look at and to pass on."""

from datetime import datetime
from pathlib import Path
from typing import Any, Final

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.api.results import CheckResult
from gpuinfra.cli import any_source, outputs
from gpuinfra.cli.source import parse_rungs, plan_options, source_argument
from gpuinfra.cli.views.layout import wrapped
from gpuinfra.cli.views.render import clean
from gpuinfra.engine.contract import TargetName
from gpuinfra.errors import InputError, Problem
from gpuinfra.report.summary import ending

DEFAULT: Final = "report.html"


@click.command("report")
@source_argument
@click.option(
    "-o",
    "--output",
    default=DEFAULT,
    show_default=True,
    metavar="FILE",
    help="Write the page to this file; - prints it.",
)
@plan_options
@click.option(
    "--target",
    type=click.Choice(["sandbox", "cloud"]),
    help="Show the rungs that are deployed in this target.",
)
@any_source.options
def command(
    source: Path,
    output: str,
    as_of: datetime | None,
    rung: tuple[str, ...],
    target: TargetName | None,
    **options: Any,
) -> int:
    """Write one HTML page of SOURCE: verdict, money, ladders, machines, network, unknowns.

    SOURCE is a stack file, a preview, a state or a program, as for check. The page needs no
    network and no JavaScript. The exit code is 0 once it is written: the verdict is on the
    page, and is the exit code of check.
    """
    checked = any_source.any_of(source, as_of, rung, options)
    from gpuinfra.api.reporting import html_report  # noqa: PLC0415  (after SOURCE is read)

    if target is None:
        page = html_report(checked)
    else:
        deployed = _as_deployed(checked, target)
        page = html_report(deployed, kept=deployed.rungs.keys() - parse_rungs(rung).keys())
    if output == "-":
        click.echo(page, nl=False)
        return 0
    problems = list(outputs.put(Path(output), page))
    if problems:
        raise InputError(problems)
    click.echo(wrapped(clean(f"{output}: {ending(checked.report)}"), "  "))
    return 0


def _as_deployed(checked: CheckResult, target: TargetName) -> StackCheck:
    """The stack file on the rungs of the last up.

    Raises:
        InputError: SOURCE is no stack file, nothing of it is deployed, or it has lost such a rung.
    """
    if not isinstance(checked, StackCheck):
        fix = "remove --target"
        raise InputError([Problem(message="--target goes with a stack file", fix=fix)])
    from gpuinfra.api.preparing import on_kept_rungs  # noqa: PLC0415  (starts the engine)

    deployed, standing = on_kept_rungs(checked, target)
    if standing is None or not standing.resources:
        message = f"nothing of this stack is deployed in the {target}"
        raise InputError([Problem(message=message, fix="remove --target")])
    return deployed

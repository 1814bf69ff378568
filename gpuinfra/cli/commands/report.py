"""`gpuinfra report`: write a self-contained HTML page about any SOURCE."""

import re
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.api.results import CheckResult
from gpuinfra.cli import any_source, outputs
from gpuinfra.cli.source import parse_rungs, plan_options, source_argument
from gpuinfra.cli.views.render import show_line
from gpuinfra.engine.contract import TargetName
from gpuinfra.errors import InputError
from gpuinfra.report.summary import banner

if TYPE_CHECKING:
    from gpuinfra.api.pulumi_files import PulumiCheck
    from gpuinfra.fixes import Fix

GENERATOR: Final = 'name="generator" content="gpuinfra '
"""The generator tag in the head of a page that gpuinfra wrote."""


@click.command("report")
@source_argument
@click.option(
    "-o",
    "--output",
    default=None,
    metavar="FILE",
    help="Write the page to this file, over an earlier page; - prints it. "
    "[default: the stack's name and .html, in the current folder]",
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
    output: str | None,
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
    checked = any_source.check_source(source, as_of, rung, options)
    from gpuinfra.api.reporting import html_report  # noqa: PLC0415  (after SOURCE is read)

    if target is None:
        page = html_report(checked, fixes=_fixes(checked))
    else:
        deployed = _as_deployed(checked, target)
        deployed_workloads = deployed.rungs.keys() - parse_rungs(rung).keys()
        page = html_report(deployed, kept=deployed_workloads, fixes=_fixes(deployed))
    if output == "-":
        click.echo(page, nl=False)
        return 0
    file = Path(output or f"{_NOT_IN_NAMES.sub('-', checked.report.name)}.html")
    _refuse_foreign(file)
    _refuse_format(file)
    problems = list(outputs.write_file(file, page))
    if problems:
        raise InputError(problems)
    show_line(f"wrote {file}: {banner(checked.report)}")
    if sys.stdout.isatty():
        click.echo(f"open it: {file.resolve().as_uri()}")
    return 0


_NOT_IN_NAMES: Final = re.compile(r"[^\w.-]+")


def _fixes(check_result: "StackCheck | PulumiCheck") -> "tuple[Fix, ...]":
    """Return the fixes of a failing SOURCE, as `check` shows them."""
    if check_result.verdict.ok:
        return ()
    if not isinstance(check_result, StackCheck):
        from gpuinfra.cli.commands.check_pulumi_file import fixes_of  # noqa: PLC0415  (only where something refuses)

        return fixes_of(check_result, None)
    from gpuinfra.cli.commands.check_fix import quick  # noqa: PLC0415  (only where something refuses)

    return quick(check_result)


def _refuse_foreign(file: Path) -> None:
    """Refuse to overwrite a file that gpuinfra did not write.

    Raises:
        InputError: it is something else.
    """
    try:
        old_text = file.read_text("utf-8", "replace") if file.is_file() else ""
    except OSError:
        return
    if old_text and GENERATOR not in old_text:
        message = "the file exists, and gpuinfra did not write it"
        fix = "move it away, or name another file: --output FILE"
        raise InputError.of(message, value=str(file), fix=fix)


def _refuse_format(file: Path) -> None:
    """Refuse a file name with the extension of another format.

    Raises:
        InputError: it does.
    """
    if _OTHER_FORMAT.fullmatch(file.suffix) and file.suffix.lower() not in {".html", ".htm"}:
        raise InputError.of(
            f"the report is an HTML page, not a {file.suffix} file",
            value=str(file),
            allowed="a name that ends with .html",
            fix=f"--output {file.with_suffix('.html')}; a browser prints the page to PDF",
        )


_OTHER_FORMAT: Final = re.compile(r"\.[A-Za-z]{2,5}")


def _as_deployed(check_result: CheckResult, target: TargetName) -> StackCheck:
    """Return the stack file planned on the rungs of the last `up`.

    Raises:
        InputError: SOURCE is no stack file, nothing of it is deployed, or it has lost such a rung.
    """
    if not isinstance(check_result, StackCheck):
        fix = "remove --target"
        raise InputError.of("--target requires a stack file", fix=fix)
    from gpuinfra.api.preparing import plan_on_kept_rungs  # noqa: PLC0415  (starts the engine)

    deployed, status = plan_on_kept_rungs(check_result, target)
    if status is None or not status.resources:
        message = f"nothing of this stack is deployed in the {target}"
        raise InputError.of(message, fix="remove --target")
    return deployed

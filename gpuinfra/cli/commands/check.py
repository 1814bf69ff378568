"""`gpuinfra check`: judge a stack file or Pulumi's output by the rules, offline."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpuinfra.api.source_kinds import is_pulumi_file, rung_not_accepted
from gpuinfra.cli import (
    any_source,
    cost_baseline,
    fix_options,
    outputs,
    program_options,
    waiver_options,
)
from gpuinfra.cli.each_source import select_sources
from gpuinfra.cli.options import Detail, details
from gpuinfra.cli.source import load, plan_options, sources_argument
from gpuinfra.cli.views.check_table import MOST_SUBJECTS, show_judged
from gpuinfra.cli.views.render import note
from gpuinfra.clouds import CLOUDS
from gpuinfra.cost import Quote
from gpuinfra.errors import GpuinfraError, InputError, lock_update
from gpuinfra.lock import FILE_NAME
from gpuinfra.report import Report
from gpuinfra.report.report import first_names
from gpuinfra.rules import most_days
from gpuinfra.today import today

if TYPE_CHECKING:
    from gpuinfra.api.checking import StackCheck


@click.command("check")
@sources_argument
@outputs.options
@plan_options
@program_options.check_settings_options
@fix_options.options
@waiver_options.options
@program_options.options
@cost_baseline.option
@details("--all", "--quiet", "--verbose")
def command(
    sources: tuple[Path, ...],
    format_: str,
    output: tuple[str, ...],
    as_of: datetime | None,
    rung: tuple[str, ...],
    detail: Detail,
    **options: Any,
) -> int:
    """Judge each SOURCE by the rules: offline, no credentials, no Pulumi.

    SOURCE is a stack file, or what `pulumi preview --json --show-sames` or `pulumi stack export`
    wrote; or the folder of a Pulumi program without a stack file, whose code is then run for a
    preview in the sandbox. Several are judged each by itself; the worst one's exit code counts.
    """
    chosen_outputs = outputs.from_options(format_, output)
    options["waiver_options"] = waiver_options.from_options(options)
    options["fix_options"] = fix_options.from_options(options)
    options["detail"] = detail
    selection = select_sources(sources, options, rung)
    judge = partial(_judge, chosen_outputs, as_of)
    if len(selection.sources) > 1:
        from gpuinfra.cli.commands import check_several  # noqa: PLC0415  (seldom needed)

        return check_several.check(selection, chosen_outputs, judge)
    source = selection.sources[0]
    try:
        judged = judge(source, options, rung)
        outputs.deliver(chosen_outputs, judged)
    except GpuinfraError as error:
        outputs.write_error(chosen_outputs, error, source)
        raise
    return judged.report.exit_code


def _judge(
    chosen_outputs: Sequence[outputs.OutputOptions],
    as_of: datetime | None,
    source: Path,
    options: dict[str, Any],
    rung: tuple[str, ...],
) -> outputs.CheckOutput:
    """Judge any SOURCE."""
    program = program_options.from_options(source, options)
    if program is None and not is_pulumi_file(source):
        return _stack_file(source, chosen_outputs, as_of, rung, options)
    if program is None and rung:
        raise InputError([rung_not_accepted(rung[0], "remove --rung")])
    from gpuinfra.cli.commands import check_pulumi_file  # noqa: PLC0415  (a stack file needs none of it)

    day = as_of.date() if as_of else today()
    table_text = outputs.is_table_alone(chosen_outputs)
    check_options = check_pulumi_file.CheckOptions(
        day=day, shows_verdict_first=table_text, **options
    )
    if program is None:
        return check_pulumi_file.check(source, check_options)
    from gpuinfra.cli.commands import check_program  # noqa: PLC0415  (a file needs none of it)

    return check_program.check(program, check_options, rung)


def _stack_file(
    source: Path,
    chosen_outputs: Sequence[outputs.OutputOptions],
    as_of: datetime | None,
    rung: tuple[str, ...],
    options: Mapping[str, Any],
) -> outputs.CheckOutput:
    """Judge a stack file."""
    any_source.refuse_check_settings(options)
    program_options.note_other_program(source)
    searched = fix_options.load(source, as_of, rung, options["fix_options"], chosen_outputs)
    loaded, look, is_shown = searched.stack_check, searched.search_quickly, searched.showed_fix
    accepted = options["waiver_options"]
    if accepted is not None and _write_waivers(loaded, accepted):
        if loaded.source.valid_lock is not None:
            update_command = lock_update(source)
            note(f"{FILE_NAME} no longer matches; write it again: {update_command}")
        loaded, look = load(source, as_of=as_of, rung=rung, lock="silent"), tuple
        is_shown = False

    def quote(folder: Path) -> Quote:
        _refuse_unlike(folder)
        return load(folder, as_of=as_of, rung=rung, lock="silent").quote

    compared = _with_cost_difference(loaded.report, loaded, options["base"], quote)
    later = outputs.is_table_alone(chosen_outputs)
    compared = compared if later else fix_options.with_fixes(compared, look)
    detail, looks_for_fixes = options["detail"], options["fix_options"] is not None
    is_table_in_file = any(output.format == "table" and output.file for output in chosen_outputs)
    is_told = is_shown and not is_table_in_file and detail == "normal" and options["base"] is None

    def table() -> None:
        if not is_told:
            show(
                loaded,
                detail,
                compared,
                looks_for_fixes=looks_for_fixes,
                look=look if later else None,
            )

    return outputs.CheckOutput(
        report=compared, table=table, document=lambda: report(loaded, compared)
    )


def _with_cost_difference(
    report: Report, stack_check: "StackCheck", than: str | None, quote: Callable[[Path], Quote]
) -> Report:
    """Return the report with the cost difference from its base, if one is named."""
    if than is None:
        return report
    since = cost_baseline.comparison(
        than, stack_check.document.path, stack_check.quote, quote, source_kind="stack"
    )
    return replace(report, base=than, comparison=since)


def _write_waivers(stack_check: "StackCheck", accepted: waiver_options.WaiverOptions) -> bool:
    """Write waivers for failing findings into the stack file; return whether any were added."""
    from gpuinfra.cli.commands import check_waive  # noqa: PLC0415  (few runs write)

    days = most_days(stack_check.stack.rules)
    waiver_place = check_waive.WaiverPlace(
        path=stack_check.document.path, max_days=days, owner=stack_check.stack.owner
    )
    return check_waive.write(stack_check.report, accepted, waiver_place)


def _refuse_unlike(folder: Path) -> None:
    if is_pulumi_file(folder):
        raise InputError.of(
            "a stack file can only be compared with a stack file",
            value=str(folder),
            fix="use a stack file or a git revision",
        )


def report(stack_check: "StackCheck", compared: Report | None = None) -> dict[str, object]:
    """Return the verdict as documented in docs/json.md."""
    from gpuinfra.cli.views.verdict_json import verdict_fields  # noqa: PLC0415  (only as JSON)

    return {
        **verdict_fields(compared or stack_check.report),
        "locked": stack_check.source.valid_lock is not None,
    }


def show(
    stack_check: "StackCheck",
    detail: Detail = "normal",
    report: Report | None = None,
    *,
    looks_for_fixes: bool = False,
    look: fix_options.FindFixes | None = None,
) -> None:
    """Print the findings with their place and fix, the totals, the verdict, and fixes.

    Args:
        stack_check: the judgement.
        detail: how much is shown.
        report: the judgement with more in it.
        looks_for_fixes: whether --fix was given.
        look: finds the fixes once the verdict is printed; None where the report has them.
    """
    show_judged(
        report or stack_check.report,
        stack_check.plan_notes,
        detail=detail,
        looks_for_fixes=looks_for_fixes,
        look=look,
        earlier_notes=(
            *_model_misfits(stack_check),
            *_several_clouds(stack_check),
            *stack_check.open_notes,
            *stack_check.spot_notes,
            *stack_check.plan.disk_loss_notes,
        ),
    )


def _model_misfits(stack_check: "StackCheck") -> Iterator[str]:
    """Yield models that arguments of pools name and that their GPUs can't hold."""
    if any(pool.args for pool in stack_check.stack.inference.values()):
        from gpuinfra.planning.container_models import model_misfits  # noqa: PLC0415  (few pools have any)

        yield from model_misfits(stack_check.stack, stack_check.plan)


def _several_clouds(stack_check: "StackCheck") -> Iterator[str]:
    """Yield a note if regions of several clouds are listed and no cloud is set."""
    default_values = {default.key: default.value for default in stack_check.document.defaults}
    if default_values.get("where.cloud") == "any":
        from gpuinfra.catalog import cloud_with  # noqa: PLC0415  (most name their cloud)

        regions = stack_check.stack.where.regions
        each_region = (f"{cloud_with(region, CLOUDS)} {region}" for region in regions)
        region_names = first_names(each_region, MOST_SUBJECTS)
        yield f"where: {region_names}: each workload goes to the cheapest"

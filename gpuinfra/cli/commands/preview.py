"""`gpuinfra preview`: the changes of an `up`, judged by the policy packs."""

from datetime import datetime
from pathlib import Path

import click

from gpuinfra.api.findings_in_file import with_file_locations
from gpuinfra.api.preparing import preview_request
from gpuinfra.api.resource_workloads import workload_finder
from gpuinfra.cli.commands.up import refuse
from gpuinfra.cli.options import EACH_RESOURCE, Detail, details
from gpuinfra.cli.source import format_options, load, plan_options, source_argument
from gpuinfra.cli.target_options import existing_target, existing_target_option, images_option
from gpuinfra.cli.views.cost_change_table import change_to_stack, outcome_as_json
from gpuinfra.cli.views.outcome import live, show_outcome
from gpuinfra.cli.views.render import show_json
from gpuinfra.engine import lifecycle


@click.command("preview")
@source_argument
@existing_target_option
@format_options
@plan_options
@images_option
@details("--verbose", "--quiet", verbose=EACH_RESOURCE)
def command(
    source: Path,
    target: str | None,
    format_: str,
    as_of: datetime | None,
    rung: tuple[str, ...],
    update_images: bool,
    detail: Detail,
) -> int:
    """Preview the changes of `up` for SOURCE, checked by the policy packs; changes nothing.

    A violated rule or cap stops it before it starts, as it does `up`.
    """
    loaded = load(source, as_of=as_of, rung=rung)
    name = existing_target(target, loaded.document, detail)
    prepared_stack = preview_request(loaded, name, update_images=update_images)
    loaded, cost_change = (
        prepared_stack.check,
        change_to_stack(prepared_stack.status, prepared_stack.check),
    )
    if prepared_stack.request is None:
        return refuse(loaded, format_, detail, verb="preview", movement=cost_change)
    with live("previewing", detail) as on_event:
        outcome = with_file_locations(lifecycle.preview(prepared_stack.request, on_event), loaded)
    if format_ == "json":
        show_json(outcome_as_json(outcome, cost_change))
    else:
        show_outcome(
            outcome,
            name,
            workload_finder(loaded.document),
            movement=cost_change,
            check=loaded,
            detail=detail,
        )
    return outcome.exit_code

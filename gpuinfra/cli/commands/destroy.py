"""`gpuinfra destroy`: delete all deployed resources."""

from pathlib import Path

import click

from gpuinfra.api.checking import read_despite_faults
from gpuinfra.api.preparing import buckets_deleted_with_content
from gpuinfra.api.resource_workloads import workload_finder
from gpuinfra.api.targets import bare_request, state_request
from gpuinfra.cli.commands.up import refuse_json_prompt
from gpuinfra.cli.confirmation import confirm
from gpuinfra.cli.options import EACH_RESOURCE, Detail, details
from gpuinfra.cli.source import format_options, source_argument
from gpuinfra.cli.target_options import existing_target, existing_target_option, unlock_option
from gpuinfra.cli.views.cost_change_table import change_between, change_of_run, outcome_as_json
from gpuinfra.cli.views.outcome import live, show_outcome
from gpuinfra.cli.views.render import note, show_json
from gpuinfra.engine import lifecycle


@click.command("destroy")
@source_argument
@existing_target_option
@format_options
@unlock_option
@click.option(
    "--yes",
    is_flag=True,
    help="Don't ask for confirmation; required for the cloud when not interactive.",
)
@details("--verbose", "--quiet", verbose=EACH_RESOURCE)
def command(
    source: Path, target: str | None, format_: str, unlock: bool, yes: bool, detail: Detail
) -> int:
    """Delete all deployed resources of SOURCE."""
    document = read_despite_faults(source)
    name = existing_target(target, document, detail)
    request = state_request(document, name)
    if unlock:
        lifecycle.unlock(request)
    status_before = lifecycle.current_status(request)
    has_resources = status_before is not None and (
        status_before.resources or status_before.pending
    )
    if not has_resources and format_ != "json":
        if detail != "quiet":
            click.echo(f"{document.stack.name} [{name}]: no resources, nothing to destroy")
        return 0
    request = bare_request(document, name) if has_resources else request
    for cloud, names in buckets_deleted_with_content(status_before).items():
        note(f"{cloud} deletes these buckets with all their objects: {', '.join(names)}")
    all_gone = change_between(status_before, None, document)
    if name == "cloud" and not yes:
        refuse_json_prompt(format_)
        with live("looking") as on_event:
            previewed = lifecycle.destroy(request, on_event, preview_only=True)
        show_outcome(
            previewed, name, workload_finder(document), movement=all_gone, is_preview=True
        )
        confirm("delete all of this?", "nothing was deleted")
    with live("destroying", detail) as on_event:
        outcome = lifecycle.destroy(request, on_event)
    cost_change = change_of_run(outcome, all_gone, request, status_before, document)
    if format_ == "json":
        show_json(outcome_as_json(outcome, cost_change))
    else:
        show_outcome(outcome, name, workload_finder(document), movement=cost_change, detail=detail)
    return outcome.exit_code

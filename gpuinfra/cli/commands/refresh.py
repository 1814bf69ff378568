"""`gpuinfra refresh`: read the deployed resources again into the state."""

from pathlib import Path

import click

from gpuinfra.api.checking import read_despite_faults
from gpuinfra.api.deployed_cost import RefreshedResources
from gpuinfra.api.resource_workloads import workload_finder
from gpuinfra.api.targets import bare_request
from gpuinfra.cli.options import EACH_RESOURCE, Detail, details
from gpuinfra.cli.source import format_options, source_argument
from gpuinfra.cli.target_options import existing_target, existing_target_option, unlock_option
from gpuinfra.cli.views.cost_change_table import change_between, outcome_as_json
from gpuinfra.cli.views.outcome import live, show_outcome
from gpuinfra.cli.views.render import show_json
from gpuinfra.engine import lifecycle

DRIFT_EXIT_CODE = 1


@click.command("refresh")
@source_argument
@existing_target_option
@format_options
@unlock_option
@click.option("--preview", "preview_only", is_flag=True, help="Show the drift, keep the state.")
@click.option(
    "--clear-pending",
    is_flag=True,
    help="Forget pending creations of an interrupted run; first check whether they exist.",
)
@details("--verbose", "--quiet", verbose=EACH_RESOURCE)
def command(
    source: Path,
    target: str | None,
    format_: str,
    unlock: bool,
    preview_only: bool,
    clear_pending: bool,
    detail: Detail,
) -> int:
    """Read the deployed resources of SOURCE again, and show changes made outside of Pulumi.

    With --preview it exits 1 on drift.
    """
    document = read_despite_faults(source)
    name = existing_target(target, document, detail)
    request = bare_request(document, name)
    if unlock:
        lifecycle.unlock(request)
    status_before, refreshed = lifecycle.current_status(request), RefreshedResources()
    with live("reading", detail) as on_event:
        outcome = lifecycle.refresh(
            request,
            on_event,
            preview_only=preview_only,
            clear_pending=clear_pending,
            on_read=refreshed,
        )
    cost_change = change_between(
        status_before, refreshed.with_refreshed_properties(status_before), document
    )
    drifted = preview_only and outcome.ok and not outcome.is_unchanged
    if format_ == "json":
        show_json(outcome_as_json(outcome, cost_change))
    else:
        shown_detail: Detail = "normal" if drifted and detail == "quiet" else detail
        shown_change = cost_change if outcome.ok else None
        show_outcome(
            outcome, name, workload_finder(document), movement=shown_change, detail=shown_detail
        )
    return DRIFT_EXIT_CODE if drifted else outcome.exit_code

"""`gpuinfra refresh`: read what stands anew."""

from pathlib import Path

import click

from gpuinfra.cli.outcome import live, show_outcome
from gpuinfra.cli.render import show_json
from gpuinfra.cli.source import format_options, load, source_argument
from gpuinfra.cli.target import named, request, target_option
from gpuinfra.engine import lifecycle


@click.command("refresh")
@source_argument
@target_option
@format_options
@click.option("--preview", "preview_only", is_flag=True, help="Show the drift, keep the state.")
def command(source: Path, target: str | None, format_: str, preview_only: bool) -> int:
    """Read what stands of SOURCE anew, and show what changed behind Pulumi's back."""
    loaded = load(source)
    name = named(target, loaded)
    asked = request(loaded, name, judged=False)
    with live("reading") as on_event:
        outcome = lifecycle.refresh(asked, on_event, preview_only=preview_only)
    if format_ == "json":
        show_json(outcome)
    else:
        show_outcome(outcome, name)
    return outcome.exit_code

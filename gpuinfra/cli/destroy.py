"""`gpuinfra destroy`: delete all that stands."""

from pathlib import Path

import click

from gpuinfra.api.checking import salvaged
from gpuinfra.api.preparing import emptied
from gpuinfra.api.targets import bare_request
from gpuinfra.cli.outcome import live, show_outcome
from gpuinfra.cli.render import note, show_json
from gpuinfra.cli.source import format_options, source_argument
from gpuinfra.cli.target import named, target_option, unlock_option
from gpuinfra.cli.up import confirm, refuse_to_ask
from gpuinfra.engine import lifecycle


@click.command("destroy")
@source_argument
@target_option
@format_options
@unlock_option
@click.option(
    "--yes",
    is_flag=True,
    help="Don't ask for confirmation; required for the cloud when not interactive.",
)
def command(source: Path, target: str | None, format_: str, unlock: bool, yes: bool) -> int:
    """Delete all that stands of SOURCE."""
    document = salvaged(source)
    name = named(target, document)
    asked = bare_request(document, name)
    if unlock:
        lifecycle.unlock(asked)
    for cloud, names in emptied(lifecycle.standing(asked)).items():
        note(f"{cloud} deletes these buckets with all their objects: {', '.join(names)}")
    if name == "cloud" and not yes:
        refuse_to_ask(format_)
        with live("looking") as on_event:
            show_outcome(lifecycle.destroy(asked, on_event, preview_only=True), name)
        confirm("delete all of this?")
    with live("destroying") as on_event:
        outcome = lifecycle.destroy(asked, on_event)
    if format_ == "json":
        show_json(outcome)
    else:
        show_outcome(outcome, name)
    return outcome.exit_code

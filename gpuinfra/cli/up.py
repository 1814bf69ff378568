"""`gpuinfra up`: create or change what the stack file says, behind the gates of the cap."""

from datetime import datetime
from pathlib import Path

import click

from gpuinfra.cli.check import show as show_check
from gpuinfra.cli.outcome import live, show_outcome
from gpuinfra.cli.render import money, note, show_json
from gpuinfra.cli.source import Loaded, format_options, load, plan_options, source_argument
from gpuinfra.cli.target import kept_rungs, named, request, target_option, unlock_option
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Outcome


@click.command("up")
@source_argument
@target_option
@format_options
@plan_options
@click.option("--yes", is_flag=True, help="Don't ask; needed for the cloud when nobody watches.")
@unlock_option
def command(
    source: Path,
    target: str | None,
    format_: str,
    as_of: datetime | None,
    rung: tuple[str, ...],
    yes: bool,
    unlock: bool,
) -> int:
    """Create or change what SOURCE says; a violated rule or cap stops it before it starts."""
    loaded = load(source, as_of=as_of, rung=rung)
    name = named(target, loaded)
    bare = request(loaded, name, judged=False)
    if unlock:
        lifecycle.unlock(bare)
    rungs = {**kept_rungs(lifecycle.standing(bare)), **loaded.rungs}
    if rungs != loaded.rungs:
        kept = tuple(f"{workload}={label}" for workload, label in rungs.items())
        loaded = load(source, as_of=as_of, rung=kept)
    if not loaded.verdict.ok:
        show_check(loaded, everything=False)
        return loaded.verdict.exit_code
    asked = request(loaded, name)
    if name == "cloud" and not yes:
        with live("previewing") as on_event:
            preview = lifecycle.preview(asked, on_event)
        show_outcome(preview, name)
        if not preview.ok:
            return preview.exit_code
        confirm("go on?")
    with live("going up") as on_event:
        outcome = lifecycle.up(asked, on_event)
    show(outcome, loaded, name, format_)
    return outcome.exit_code


def confirm(question: str) -> None:
    """Ask; anything but yes ends the command like Ctrl-C."""
    click.confirm(question, abort=True)


def show(outcome: Outcome, loaded: Loaded, name: str, format_: str) -> None:
    """What came of it, and what it costs now."""
    if format_ == "json":
        show_json(outcome)
        return
    show_outcome(outcome, name)
    if outcome.ok and loaded.quote.per_hour is not None:
        ceiling = money(loaded.quote.per_hour.ceiling)
        where = (
            "in the sandbox nothing is billed; in the cloud" if name == "sandbox" else "at list"
        )
        note(f"{where} it would cost at most ${ceiling} an hour; see it: gpuinfra status")
    for key, value in outcome.outputs.items() if outcome.ok else ():
        click.echo(f"{key}: {value}")

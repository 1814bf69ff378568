"""`gpuinfra up`: create or update a stack's resources if rules and caps allow it."""

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.api.findings_in_file import with_file_locations
from gpuinfra.api.preparing import PLAN_REFUSED, prepare
from gpuinfra.api.resource_workloads import workload_finder
from gpuinfra.cli.commands import refusal_hints
from gpuinfra.cli.commands.check import report
from gpuinfra.cli.commands.check import show as show_check
from gpuinfra.cli.confirmation import confirm
from gpuinfra.cli.options import EACH_RESOURCE, Detail, details
from gpuinfra.cli.source import format_options, load, plan_options, source_argument
from gpuinfra.cli.target_options import images_option, target_name, target_option, unlock_option
from gpuinfra.cli.views import cost_change_table
from gpuinfra.cli.views.cost_change_table import change_of_run, change_to_stack, outcome_as_json
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.login_instructions import login_instructions
from gpuinfra.cli.views.outcome import drop_shown_warnings, live, show_outcome
from gpuinfra.cli.views.render import clean, moment_text, note, show_json
from gpuinfra.cost.cost_rate_changes import CostMovement
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Outcome, PolicyFinding, Verb
from gpuinfra.errors import InputError, command_line

NOTHING_BUILT = "nothing was built"
ADDRESSES = {"": "url", " queue": "queueUrl", " bucket": "bucketName"}
"""The outputs that are shown without -v, by the word that follows the name."""


@click.command("up")
@source_argument
@target_option
@format_options
@plan_options
@click.option(
    "--yes",
    is_flag=True,
    help="Don't ask for confirmation; required for the cloud when not interactive.",
)
@click.option("--skip-preview", is_flag=True, help="Sandbox only: skip the preview.")
@images_option
@unlock_option
@details("--verbose", "--quiet", verbose=EACH_RESOURCE)
def command(
    source: Path,
    target: str | None,
    format_: str,
    as_of: datetime | None,
    rung: tuple[str, ...],
    yes: bool,
    skip_preview: bool,
    update_images: bool,
    unlock: bool,
    detail: Detail,
) -> int:
    """Create or update the resources of SOURCE; a violated rule or cap stops it first."""
    with _nothing_built_if_interrupted():
        loaded = load(source, as_of=as_of, rung=rung)
        name = target_name(target, loaded.document)
        requested_workloads = set(loaded.rungs)
        prepared_stack = prepare(
            loaded,
            name,
            unlock=unlock,
            accepted=yes,
            update_images=update_images,
            accept_hint="add --yes",
        )
    loaded, request = prepared_stack.check, prepared_stack.request
    if request is None:
        return refuse(loaded, format_, detail, verb="up")
    for line in kept_rungs(loaded, requested_workloads, name) if detail != "quiet" else ():
        note(line)
    change = change_to_stack(prepared_stack.status, loaded)
    must_ask = name == "cloud" and not yes
    previewed_findings: Sequence[PolicyFinding] = ()
    if must_ask:
        refuse_json_prompt(format_)
    if name == "cloud" or not skip_preview:
        with live("previewing", detail) as on_event:
            preview = with_file_locations(lifecycle.preview(request, on_event), loaded)
        if must_ask or not preview.ok:
            preview_detail: Detail = "normal" if must_ask and detail == "quiet" else detail
            show(preview, loaded, name, format_, change, preview_detail)
            previewed_findings = preview.findings
        if not preview.ok:
            note_nothing_built(format_)
            return preview.exit_code
    if must_ask:
        confirm("go on?", NOTHING_BUILT)
    with live("building", detail) as on_event:
        outcome = with_file_locations(lifecycle.up(request, on_event), loaded)
    outcome = without_previewed_warnings(outcome, previewed_findings)
    done = change_of_run(
        outcome, change, request, prepared_stack.status, loaded.document, loaded.as_of
    )
    show(outcome, loaded, name, format_, done, detail)
    return outcome.exit_code


@contextmanager
def _nothing_built_if_interrupted() -> Generator[None]:
    """Let a Ctrl-C before the first resource say so."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(NOTHING_BUILT) from None


def without_previewed_warnings(
    outcome: Outcome, previewed_findings: Sequence[PolicyFinding]
) -> Outcome:
    """Return an outcome without the warnings that its preview already showed."""
    keys = {(finding.policy, finding.urn, finding.message) for finding in previewed_findings}
    return drop_shown_warnings(
        outcome, lambda finding: (finding.policy, finding.urn, finding.message) in keys
    )


def kept_rungs(
    stack_check: StackCheck, requested_workloads: Collection[str], target: str
) -> Iterator[str]:
    """Yield a note for each workload that stays on the rung of the last `up` below its first."""
    for group in stack_check.plan.groups:
        deployed_label = stack_check.rungs.get(group.name)
        if deployed_label is None or group.name in requested_workloads or not group.active_rung:
            continue
        first = group.rungs[0].label
        arguments = (
            "up",
            stack_check.document.path,
            "--target",
            target,
            "--rung",
            f"{group.name}={first}",
        )
        yield (
            f"{group.name} stays on {deployed_label}, the rung of the last `gpuinfra up`;"
            f" back to {first}: {command_line(*arguments)}"
        )


def refuse(
    stack_check: StackCheck,
    format_: str,
    detail: Detail,
    *,
    verb: Verb,
    movement: CostMovement | None = None,
) -> int:
    """Print the rules' verdict instead of an outcome, and return the exit code.

    `movement` is the rate change that the run would have made, where that is known.
    """
    if format_ == "json":
        json_content = {
            "verb": verb,
            "ending": "refused",
            "reason": PLAN_REFUSED,
            "check": report(stack_check),
        }
        show_json(
            json_content
            if movement is None
            else {**json_content, "money": cost_change_table.movement_json(movement)}
        )
        return stack_check.verdict.exit_code
    if movement is not None and detail != "quiet":
        cost_change_table.show(movement)
        cost_change_table.show_fallbacks(stack_check)
    show_check(stack_check, detail)
    if verb == "up":
        note_nothing_built(format_)
    return stack_check.verdict.exit_code


def note_nothing_built(format_: str) -> None:
    """Say that an up was refused before it built anything."""
    if format_ != "json":
        note(NOTHING_BUILT)


def refuse_json_prompt(format_: str) -> None:
    """Refuse JSON output where the command would ask for confirmation.

    Raises:
        InputError: JSON output where a confirmation is needed.
    """
    if format_ == "json":
        fix = "add --yes, after a gpuinfra preview"
        raise InputError.of("--json can't ask for confirmation before it changes a cloud", fix=fix)


def show(
    outcome: Outcome,
    stack_check: StackCheck,
    name: str,
    format_: str,
    movement: CostMovement | None,
    detail: Detail,
) -> None:
    """Print the outcome, the new cost, the outputs and the next commands."""
    if format_ == "json":
        show_json(outcome_as_json(outcome, movement))
        return
    show_outcome(
        outcome,
        name,
        workload_finder(stack_check.document),
        movement=movement,
        check=stack_check if outcome.ok or outcome.verb == "preview" else None,
        detail=detail,
        below=lambda: _show_next_steps(outcome, stack_check, name, detail),
    )


def _show_next_steps(outcome: Outcome, stack_check: StackCheck, name: str, detail: Detail) -> None:
    """Print the outputs and next commands; after a failure, the commands that help."""
    target_arguments = (stack_check.document.path, "--target", name)
    if not outcome.ok:
        if outcome.verb == "up" and not outcome.is_unchanged:
            note(f"some resources were created: {command_line('status', *target_arguments)}")
            note(f"delete them: {command_line('destroy', *target_arguments)}")
        for line in refusal_hints.next_commands(outcome, stack_check, name):
            note(line)
    elif outcome.verb == "up":
        if name == "sandbox":
            note("nothing is billed in the sandbox")
        note(f"what is deployed: {command_line('status', *target_arguments)}")
        flatten = leaf_values if detail == "verbose" else addresses
        for key, value in flatten(outcome.outputs):
            click.echo(wrap_text(f"{key}: {clean(str(value))}", "    "))
        for line in (
            login_instructions(stack_check.plan.groups, outcome.outputs) if name == "cloud" else ()
        ):
            click.echo(wrap_text(clean(line), "    "))


def addresses(outputs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the outputs that a user needs: addresses, queues, buckets, end times."""
    for path, value in leaf_values(outputs):
        address_words = [kind for kind, output in ADDRESSES.items() if path.endswith(f".{output}")]
        name = path.split(".")[1:2]
        if name and address_words and value:
            yield f"{name[0]}{address_words[0]}", value
        elif name and path.startswith("ends."):
            yield f"{name[0]} ends", moment_text(value)


def leaf_values(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the leaves of nested outputs, each with its path."""
    if not isinstance(value, Mapping):
        yield path, value
        return
    for key, item in value.items():
        yield from leaf_values(item, f"{path}.{key}" if path else str(key))

"""Preview, up, refresh and destroy of a stack on the Pulumi engine, with typed outcomes."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pulumi.automation import errors as automation_errors  # noqa: TID253

from gpuinfra.engine import interrupt, run_ending, stack_settings, stack_state
from gpuinfra.engine.contract import (
    Ending,
    OnProgress,
    Outcome,
    Pack,
    ReadCallback,
    RunRequest,
    StackStatus,
    Verb,
)
from gpuinfra.engine.events import RunRecord
from gpuinfra.engine.incomplete_fleets import unfilled_fleets
from gpuinfra.engine.opened_stack import NotDeployedError, OpenedStack, open_stack
from gpuinfra.engine.program import TARGET_OUTPUT
from gpuinfra.engine.scaled_sizes import scaled_sets
from gpuinfra.errors import EngineError, GpuinfraError
from gpuinfra.sandbox.inventory import reopen_creates

STATE_KEY_PREFIXES = ("gpuinfra:rung.", "gpuinfra:images")
"""The prefixes of configuration keys that record the deployed rung of each workload and the time
of its image lookup."""

_LAST_EVENTS = 5.0
"""Seconds to wait for the events still under way when the engine has ended."""


def preview(request: RunRequest, on_event: OnProgress | None = None) -> Outcome:
    """Preview the changes of an up, checked by the packs; changes nothing."""
    with open_stack(request, create=True) as session:
        options = _pack_options(request.packs, session.folder)
        return _run(
            "preview",
            session,
            on_event,
            session.stack.preview,
            {**options, **_replace_option(session)},
        )


def up(request: RunRequest, on_event: OnProgress | None = None) -> Outcome:
    """Create or update the program's resources without a preview.

    Keeps the request's configuration in its `work_dir`. What an earlier run left half done is
    continued; operations with an unknown outcome are in the outcome's `work_left`. Sizes that the
    cloud changes by itself, and an update would set back, are read first.
    """
    with open_stack(request, create=True) as session:
        options = _pack_options(request.packs, session.folder)
        stack_settings.save_settings(request)
        if urns := scaled_sets(session.before):
            sizes = _run("refresh", session, None, session.stack.refresh, {"target": urns})
            if sizes.ending != "fine":
                return replace(sizes, verb="up")
        return _run(
            "up", session, on_event, session.stack.up, {**options, **_replace_option(session)}
        )


def refresh(
    request: RunRequest,
    on_event: OnProgress | None = None,
    *,
    preview_only: bool = False,
    clear_pending: bool = False,
    on_read: ReadCallback | None = None,
) -> Outcome:
    """Read the deployed resources and update the state; packs are not run.

    The active rungs of the stack stay in its configuration.

    Args:
        request: the stack.
        on_event: called with each event.
        preview_only: only show the difference.
        clear_pending: forget creations that an interrupted run left open, after a user has
            looked whether they exist.
        on_read: called with each refreshed resource.
    """
    try:
        with open_stack(request, create=False) as session:
            _keep_record(session)
            if preview_only:
                call = session.stack.preview_refresh
                return _run("refresh", session, on_event, call, {}, on_read)
            options = {"clear_pending_creates": clear_pending}
            return _run("refresh", session, on_event, session.stack.refresh, options, on_read)
    except NotDeployedError:
        return Outcome(verb="refresh", ending="fine")


def destroy(
    request: RunRequest, on_event: OnProgress | None = None, *, preview_only: bool = False
) -> Outcome:
    """Delete all resources without running the program; none at all is a success."""
    try:
        with open_stack(request, create=False) as session:
            _keep_record(session)
            call = session.stack.preview_destroy if preview_only else session.stack.destroy
            return _run("destroy", session, on_event, call, {})
    except NotDeployedError:
        return Outcome(verb="destroy", ending="fine")


def current_status(request: RunRequest) -> StackStatus | None:
    """Return the status of the stack's state; None if there is no such stack."""
    try:
        with open_stack(request, create=False) as session:
            return stack_state.read_status(request, session.stack, session.before)
    except NotDeployedError:
        return None


def unlock(request: RunRequest) -> None:
    """Unlock a stack that a killed run left locked; not while that run still works."""
    try:
        with open_stack(request, create=False) as session:
            session.stack.cancel()
    except NotDeployedError:
        return


def _replace_option(session: OpenedStack) -> dict[str, list[str]]:
    """Return the option that replaces resources which found no capacity the last time."""
    urns = unfilled_fleets(session.before)
    return {"replace": urns} if urns else {}


def _keep_record(session: OpenedStack) -> None:
    """Write the last run's configuration into this run's settings, unless the request has it.

    The configuration of the last run is the stack's record: a run without it would forget
    the stack's active rungs, and the next up would build it otherwise.
    """
    stored = {
        key: value
        for key, value in stack_state.last_configuration(session.stack).items()
        if key.startswith(STATE_KEY_PREFIXES) and key not in session.request.config
    }
    if stored:
        stack_settings.lay_out(
            replace(session.request, config={**stored, **session.request.config}), session.folder
        )


def _run(
    verb: Verb,
    session: OpenedStack,
    on_event: OnProgress | None,
    call: Callable[..., Any],
    options: Mapping[str, Any],
    on_read: ReadCallback | None = None,
) -> Outcome:
    is_sandbox = session.request.target.name == "sandbox"
    if is_sandbox and session.before.ids_of_pending_creates:
        reopen_creates(session.before.ids_of_pending_creates)
    record = RunRecord(on_event, local_plugins=is_sandbox, on_read=on_read)
    failed: str | None = None
    began = time.monotonic()

    def engine() -> None:
        try:
            call(on_event=record.read, color="never", **options)
        finally:
            session.program.settle()

    try:
        interrupt.run(engine, session.command, session.program.stop, record.report_message)
    except automation_errors.ConcurrentUpdateError as error:
        raise run_ending.locked_error(str(error)) from error
    except automation_errors.CommandError as error:
        failed = str(error)
        record.complete.wait(_LAST_EVENTS)
    _raise_ours(record, session.program.failure)
    ending, reason, cloud_refusals = run_ending.ending_of(
        record,
        failed=failed,
        failure=session.program.failure,
        interrupted=session.command.interrupted,
    )
    return Outcome(
        verb=verb,
        ending=ending,
        reason=reason,
        changes=record.changes,
        steps=record.resource_steps,
        diagnostics=run_ending.readable_diagnostics(
            record.diagnostics, interrupted=session.command.interrupted
        ),
        findings=tuple(record.findings),
        refusals=cloud_refusals,
        outputs={key: value for key, value in record.outputs.items() if key != TARGET_OUTPUT},
        seconds=time.monotonic() - began,
        work_left=_pending_texts(verb, session, ending),
    )


def _raise_ours(record: RunRecord, failure: Exception | None) -> None:
    """Raise gpuinfra's own errors in the program and faults of the display."""
    if record.broken is not None:
        raise record.broken
    if isinstance(failure, GpuinfraError):
        raise failure


def _pending_texts(verb: Verb, session: OpenedStack, ending: Ending) -> tuple[str, ...]:
    if verb == "preview" or (ending == "fine" and not session.before.pending):
        return ()
    return tuple(
        stack_state.pending_text(pending)
        for pending in stack_state.Snapshot.exported_from(session.stack).pending
    )


PACK_FILE = "PulumiPolicy.yaml"


def _pack_options(packs: Sequence[Pack], folder: Path) -> dict[str, list[str]]:
    """Return the Automation API's options for packs, after writing their configuration files.

    Raises:
        EngineError: a pack's folder is not one.
    """
    if not packs:
        return {}
    configs = []
    for number, pack in enumerate(packs):
        if not (pack.folder / PACK_FILE).is_file():
            raise EngineError(
                f"{pack.folder} is not a policy pack: it has no {PACK_FILE}",
                fix="use the folder that has it",
            )
        file = folder / f"pack-{number}.json"
        file.write_text(json.dumps(pack.config), encoding="utf-8")
        configs.append(str(file))
    return {
        "policy_packs": [str(pack.folder.resolve()) for pack in packs],
        "policy_pack_configs": configs,
    }

"""Preview, up, destroy and status of a stack file on the Pulumi engine."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from types import MappingProxyType

from gpuinfra.api import checking, preparing, targets
from gpuinfra.api.findings_in_file import with_file_locations
from gpuinfra.api.preparing import BuildResult, StatusResult
from gpuinfra.api.reading import day_of
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import OnProgress, Outcome
from gpuinfra.source import Source

EMPTY: Mapping[str, str] = MappingProxyType({})


def preview(
    source: Source | Path | str,
    target: str | None = None,
    *,
    as_of: date | None = None,
    rungs: Mapping[str, str] = EMPTY,
    update_images: bool = False,
    on_event: OnProgress | None = None,
) -> BuildResult:
    """Preview the changes of an `up`, checked by the policy packs; changes nothing.

    Nothing starts where the rules refuse the stack file.

    Args:
        source: a stack file, its folder, or a loaded source.
        target: "sandbox" or "cloud"; by default the file's own `target`.
        as_of: the day prices are judged for, by default today.
        rungs: rungs of the ladder by workload; others stay as the last up left them.
        update_images: look up the newest machine images instead of keeping the pinned ones.
        on_event: called with each event of the engine.

    Raises:
        InputError: the stack file is wrong, or no target is named.
        RefusedError: the lock does not match.
        EngineError: there is no Pulumi engine, or it failed.
        SandboxError: the sandbox lost resources of this stack.
    """
    check = checking.check_stack(source, dict(rungs), day_of(as_of))
    name = targets.target_name(target, check.document)
    prepared_stack = preparing.preview_request(check, name, update_images=update_images)
    if prepared_stack.request is None:
        return prepared_stack.refused_result("preview")
    outcome = with_file_locations(
        lifecycle.preview(prepared_stack.request, on_event), prepared_stack.check
    )
    return BuildResult(check=prepared_stack.check, target=name, outcome=outcome)


def up(
    source: Source | Path | str,
    target: str | None = None,
    *,
    as_of: date | None = None,
    rungs: Mapping[str, str] = EMPTY,
    update_images: bool = False,
    unlock: bool = False,
    replace_other: bool = False,
    skip_preview: bool = False,
    on_event: OnProgress | None = None,
) -> BuildResult:
    """Create or update a stack without confirmation; with the target "cloud" it costs money.

    Nothing starts where the rules refuse the stack file, or where the preview does not end well.

    Args:
        source: a stack file, its folder, or a loaded source.
        target: "sandbox" or "cloud"; by default the file's own `target`.
        as_of: the day prices are judged for, by default today.
        rungs: rungs of the ladder by workload; others stay as the last up left them.
        update_images: look up the newest machine images instead of keeping the pinned ones.
        unlock: first free the stack that a killed run left locked.
        replace_other: replace another stack file's resources of the same name in the sandbox.
        skip_preview: sandbox only: do not preview first.
        on_event: called with each event of the engine.

    Raises:
        InputError: the stack file is wrong, no target is named, or another file's stack exists.
        RefusedError: the lock does not match, or has images without an id.
        EngineError: there is no Pulumi engine, or it failed.
        SandboxError: the sandbox lost resources of this stack.
    """
    check = checking.check_stack(source, dict(rungs), day_of(as_of))
    name = targets.target_name(target, check.document)
    prepared_stack = preparing.prepare(
        check, name, unlock=unlock, accepted=replace_other, update_images=update_images
    )
    if prepared_stack.request is None:
        return prepared_stack.refused_result()
    if name == "cloud" or not skip_preview:
        outcome = with_file_locations(
            lifecycle.preview(prepared_stack.request, on_event), prepared_stack.check
        )
        if not outcome.ok:
            return BuildResult(check=prepared_stack.check, target=name, outcome=outcome)
    outcome = with_file_locations(
        lifecycle.up(prepared_stack.request, on_event), prepared_stack.check
    )
    return BuildResult(check=prepared_stack.check, target=name, outcome=outcome)


def destroy(
    source: Source | Path | str,
    target: str | None = None,
    *,
    unlock: bool = False,
    preview_only: bool = False,
    on_event: OnProgress | None = None,
) -> Outcome:
    """Delete a stack without confirmation, even if its stack file has faults.

    Args:
        source: a stack file, its folder, or a loaded source.
        target: "sandbox" or "cloud"; by default the file's own `target`.
        unlock: first free the stack that a killed run left locked.
        preview_only: show what would be deleted, and delete nothing.
        on_event: called with each event of the engine.

    Raises:
        InputError: the stack file has no readable name, or no target is named.
        EngineError: there is no Pulumi engine, or it failed.
    """
    document = (
        source.document if isinstance(source, Source) else checking.read_despite_faults(source)
    )
    request = targets.bare_request(document, targets.target_name(target, document))
    if unlock:
        lifecycle.unlock(request)
    return lifecycle.destroy(request, on_event, preview_only=preview_only)


def status(
    source: Source | Path | str,
    target: str | None = None,
    *,
    as_of: date | None = None,
    rungs: Mapping[str, str] = EMPTY,
) -> StatusResult:
    """Read a stack's deployed resources from its state, and price them.

    Args:
        source: a stack file, its folder, or a loaded source.
        target: "sandbox" or "cloud"; by default the file's own `target`.
        as_of: the day prices are judged for, by default today.
        rungs: rungs of the ladder by workload, for the check of the stack file.

    Raises:
        InputError: the stack file is wrong, or no target is named.
        EngineError: there is no Pulumi engine, or it failed.
        SandboxError: the sandbox lost resources of this stack.
    """
    check = checking.check_stack(source, dict(rungs), day_of(as_of), lock="silent")
    return preparing.status_of(check, targets.target_name(target, check.document))

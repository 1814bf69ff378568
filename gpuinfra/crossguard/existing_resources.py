"""The existing resources, from the stack's state that the Pulumi CLI exports."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds import account_of, credentials_of, outlives_its_delete, zone_of
from gpuinfra.clouds.deleted_with import Removed, is_left_behind
from gpuinfra.crossguard.region import region_of
from gpuinfra.errors import EngineError
from gpuinfra.model import Resource
from gpuinfra.pulumi_files.property_values import Values
from gpuinfra.pulumi_files.resource_entries import PROVIDERS, created_in
from gpuinfra.records import record
from gpuinfra.rules.waivers import short_name
from gpuinfra.urns import project_of, stack_of, type_of

_SECONDS: Final = 120
_HALF_WRITTEN: Final = "failed to load checkpoint"
_TRIES: Final = 6
_PAUSE_SECONDS: Final = 0.1
"""While the engine writes a state in a folder, a reader finds it empty, rarely and briefly
("failed to load checkpoint: EOF"):
https://github.com/pulumi/pulumi/blob/master/pkg/backend/diy/state.go, saveCheckpoint"""
_REPLACED: Final = "pendingReplacement"
"""The mark of what was deleted, to be made anew; or is retained, and left for a new one:
https://github.com/pulumi/pulumi/blob/master/pkg/resource/deploy/step.go (DeleteStep.Apply)"""
_UNFINISHED_OPERATIONS: Final = frozenset({"creating", "updating"})
"""Not what is being imported: the state has what the program wants of it, not what stands. It
counts as new, unless its import ended before the first look:
https://github.com/pulumi/pulumi/blob/master/pkg/resource/deploy/step_generator.go"""


@record
class ExistingResource:
    """A resource that exists, or may exist, according to the state.

    Attributes:
        resource: as rules and prices read it.
        awaits_deletion: it was replaced, and waits to be deleted beside its replacement.
        pending_operation: creating or updating, when an interrupted run began that and its outcome
            is unknown; else empty.
        may_be_replaced: it may be replaced though no input of it changes: it is tainted, or its
            options tie it to a trigger or to another resource's replacement.
        replaced_on: property paths of its options; a change of any replaces it.
        retained: its options or its provider retain it on delete or replacement, or leave it to
            the delete of another resource, which may come first and does not bring it.
    """

    resource: Resource
    awaits_deletion: bool = False
    pending_operation: str = ""
    may_be_replaced: bool = False
    replaced_on: tuple[str, ...] = ()
    retained: bool = False

    @property
    def current(self) -> bool:
        """Whether the resource is current, neither replaced nor unfinished."""
        return not self.awaits_deletion and not self.pending_operation

    def with_unique_urn(self, number: int) -> Resource:
        """Return the resource under a unique URN, since several may exist under one."""
        if self.current:
            return self.resource
        unfinished = f"still {self.pending_operation}"
        state_text = "replaced, not yet deleted" if self.awaits_deletion else unfinished
        return replace(self.resource, urn=f"{self.resource.urn} ({state_text}: {number})")


def existing_resources(urn: str) -> tuple[ExistingResource, ...]:
    """Return the existing resources of the stack to which the URN belongs.

    Project and stack are taken from the URN: where the engine starts a pack through the
    language host, neither the environment nor the working folder tells them. The backend is the
    one that the engine uses itself (PULUMI_BACKEND_URL, or who is logged in).

    Raises:
        EngineError: the state cannot be read; nothing is known then, and nothing may be guessed.
    """
    organization = os.environ.get("PULUMI_ORGANIZATION") or "organization"
    name = f"{organization}/{project_of(urn)}/{stack_of(urn)}"
    return parse(_export(name))


def _export(name: str) -> str:
    """Return the stack's exported state, with secrets decrypted where possible.

    Without the passphrase, secret inputs stay unknown; that is safe, so no error. Nearly every
    state holds a secret, and each look is a process of its own: it asks for them at once.
    """
    command = [_cli(), "stack", "export", "--stack", name, "--non-interactive"]
    ran = _run_with_retries([*command, "--show-secrets"])
    if ran.returncode != 0 and _HALF_WRITTEN not in ran.stderr:
        ran = _run_with_retries(command)
    if ran.returncode == 0:
        return ran.stdout
    message = ran.stderr.strip().removeprefix("error: ") or f"exit code {ran.returncode}"
    raise EngineError(f"`pulumi stack export --stack {name}` failed: {message}")


def _run_with_retries(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command, and retry while the state is being written."""
    ran = _run_pulumi(command)
    for attempt in range(_TRIES - 1):
        if ran.returncode == 0 or _HALF_WRITTEN not in ran.stderr:
            break
        time.sleep(_PAUSE_SECONDS * 2**attempt)
        ran = _run_pulumi(command)
    return ran


def _run_pulumi(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603  # the user's own CLI and a URN of the engine's
            command, capture_output=True, encoding="utf-8", timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineError(f"`pulumi stack export` did not run: {error}") from error


def _cli() -> str:
    """Return the path of the Pulumi CLI: from GPUINFRA_PULUMI, PATH or Pulumi's own folder."""
    configured_path = os.environ.get("GPUINFRA_PULUMI")
    home = Path(os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi")
    for cli_path in (configured_path, "pulumi", home / "bin" / "pulumi"):
        path = cli_path and shutil.which(cli_path)
        if path:
            return str(path)
    raise EngineError("`pulumi` is not on PATH, so the stack's state can't be read")


def parse(text: str) -> tuple[ExistingResource, ...]:
    """Return the resources of an exported deployment, and its unfinished operations.

    Components, providers, resources that the stack only reads, and those that were deleted to
    be replaced are left out, unless they are retained.

    Raises:
        EngineError: the text is no exported deployment of a version that is known.
    """
    try:
        exported = json.loads(text)
        version, deployment = exported["version"], exported["deployment"]
        deployment = {} if deployment is None else deployment
        entries = deployment.get("resources") or []
        operations = deployment.get("pending_operations") or []
        if version not in {3, 4}:
            raise EngineError(f"the stack's state has version {version}; supported: 3 and 4")
        providers = {
            f"{entry['urn']}::{entry.get('id', '')}": unwrap_value(entry.get("inputs") or {})
            for entry in entries
            if entry["type"].startswith(PROVIDERS)
        }
        by_urn = {entry["urn"]: entry for entry in entries}
        return (
            *(
                ExistingResource(
                    resource=_resource(entry, providers),
                    awaits_deletion=bool(entry.get("delete") or entry.get(_REPLACED)),
                    may_be_replaced=_may_be_replaced(entry),
                    replaced_on=tuple(map(str, entry.get("replaceOnChanges") or ())),
                    retained=_is_retained(entry, by_urn),
                )
                for entry in _managed_entries(entries, by_urn)
            ),
            *(
                ExistingResource(
                    resource=_resource(operation["resource"], providers),
                    pending_operation=operation["type"],
                )
                for operation in operations
                if operation["type"] in _UNFINISHED_OPERATIONS
                for _ in _managed_entries([operation["resource"]], by_urn)
            ),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EngineError(f"the stack's state can't be read: {error!r}") from error


def _may_be_replaced(entry: Mapping[str, Any]) -> bool:
    """Return whether a resource may be replaced without a change of its inputs.

    A change of its trigger replaces it, from 0 and false too; no policy is shown the new value:
    https://github.com/pulumi/pulumi/blob/master/proto/pulumi/analyzer.proto
    """
    failed = entry.get("initErrors") and entry.get("replaceOnChanges")  # maybe of that, too
    has_trigger = entry.get("replacementTrigger") is not None
    return has_trigger or bool(entry.get("taint") or entry.get("replaceWith") or failed)


def _is_retained(entry: Mapping[str, Any], by_urn: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether a resource stays when it is deleted, by itself or with another one."""

    def holder(urn: str) -> Removed:
        return _removed(by_urn[urn]) if urn in by_urn else Removed(type=type_of(urn))

    removed = _removed(entry)
    return removed.kept or is_left_behind(removed, holder)


def _removed(entry: Mapping[str, Any]) -> Removed:
    places = tuple(unwrap_value(entry.get(key) or {}) for key in ("inputs", "outputs"))
    return Removed(
        type=entry["type"],
        places=places,
        kept=bool(entry.get("retainOnDelete") or outlives_its_delete(entry["type"], *places)),
        holder=entry.get("deletedWith") or "",
        provider=entry.get("provider") or "",
    )


def _managed_entries(
    entries: Iterable[Mapping[str, Any]], by_urn: Mapping[str, Mapping[str, Any]]
) -> Iterable[Mapping[str, Any]]:
    return (
        entry
        for entry in entries
        if entry.get("custom")
        and not entry.get("external")
        and (not entry.get(_REPLACED) or _is_retained(entry, by_urn))
        and not entry["type"].startswith(PROVIDERS)
    )


def _resource(entry: Mapping[str, Any], providers: Mapping[str, dict[str, Any]]) -> Resource:
    inputs = unwrap_value(entry.get("inputs") or {})
    outputs = unwrap_value(entry.get("outputs") or {})
    if "id" in entry:
        outputs["id"] = entry["id"]
    reference = entry.get("provider") or ""
    provider = providers.get(reference, {})
    dependencies = entry.get("propertyDependencies") or {}
    return Resource(
        urn=entry["urn"],
        type=entry["type"],
        name=short_name(entry["urn"]),
        inputs=inputs,
        outputs=outputs,
        relations={key: tuple(urns or ()) for key, urns in dependencies.items()},
        parent=entry.get("parent"),
        region=region_of(entry["type"], inputs, outputs, provider),
        zone=zone_of(entry["type"], provider),
        account=account_of(entry["type"], provider, inputs, outputs),
        credentials=credentials_of(
            entry["type"], reference.rpartition("::")[0], provider, inputs, outputs
        ),
        depends_on=tuple(entry.get("dependencies") or ()),
        created=created_in(entry),
    )


def unwrap_value(value: Any) -> Any:
    """Return a state file's value as the engine shows it to a policy, with secrets unwrapped.

    A secret that could not be decrypted is `UNKNOWN`; Pulumi's own keys are left out.
    """
    return Values(preview=False).plain_value(value)

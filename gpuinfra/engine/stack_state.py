"""Reading of a stack's state: resources, pending operations, outputs."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Self

from pulumi import automation  # noqa: TID253

from gpuinfra.engine.contract import Pending, RunRequest, StackStatus, StateResource
from gpuinfra.engine.events import PROVIDER_TYPE, STACK_TYPE, reveal_value
from gpuinfra.engine.program import TARGET_OUTPUT
from gpuinfra.model import Resource
from gpuinfra.pulumi_special_values import SECRET, SIGNATURE
from gpuinfra.urns import name_of


class Snapshot:
    """An export of a stack's state, with secrets in plain text: never print it as is."""

    def __init__(self, deployment: Mapping[str, Any]) -> None:
        self.entries: list[dict[str, Any]] = deployment.get("resources") or []
        self.open: list[dict[str, Any]] = deployment.get("pending_operations") or []

    @classmethod
    def exported_from(cls, stack: automation.Stack) -> Self:
        """Return the exported state of a stack."""
        return cls(stack.export_stack().deployment or {})

    @property
    def outputs(self) -> dict[str, Any]:
        """The stack's outputs, secrets hidden."""
        root = next((entry for entry in self.entries if entry["type"] == STACK_TYPE), {})
        return dict(reveal_value(root.get("outputs") or {}))

    @property
    def pending(self) -> tuple[Pending, ...]:
        """The pending operations of an interrupted run."""
        return tuple(
            Pending(
                urn=operation["resource"]["urn"],
                type=operation["resource"]["type"],
                operation=operation["type"],
            )
            for operation in self.open
        )

    @property
    def ids_of_pending_creates(self) -> dict[str, frozenset[str]]:
        """The ids that the state has of each resource whose create is pending, by URN."""
        return {
            pending.urn: frozenset(
                entry["id"] for entry in self.entries if entry["urn"] == pending.urn
            )
            for pending in self.pending
            if pending.operation == "creating"
        }

    @property
    def resources(self) -> tuple[StateResource, ...]:
        """The resources of the state, without providers and the stack itself."""
        regions = {
            f"{entry['urn']}::{entry.get('id', '')}": unwrap_secrets(
                entry.get("inputs") or {}
            ).get("region")
            for entry in self.entries
            if entry["type"].startswith(PROVIDER_TYPE)
        }
        return tuple(
            _state_resource(entry, regions)
            for entry in self.entries
            if entry["type"] != STACK_TYPE and not entry["type"].startswith(PROVIDER_TYPE)
        )


def last_configuration(stack: automation.Stack) -> dict[str, str]:
    """Return the configuration of the last run that could change the state."""
    last = next(iter(stack.history(page_size=1, show_secrets=False)), None)
    return {key: config_value.value for key, config_value in last.config.items()} if last else {}


def read_status(request: RunRequest, stack: automation.Stack, snapshot: Snapshot) -> StackStatus:
    """Return the deployed resources, and the configuration of the last run that changed them."""
    last = next(iter(stack.history(page_size=1, show_secrets=False)), None)
    ended = last.end_time if last else None
    return StackStatus(
        project=request.project,
        target=request.target.name,
        resources=snapshot.resources,
        pending=snapshot.pending,
        outputs={key: value for key, value in snapshot.outputs.items() if key != TARGET_OUTPUT},
        config={key: config_value.value for key, config_value in last.config.items()}
        if last
        else {},
        updated=ended.replace(tzinfo=UTC) if ended else None,
    )


def unwrap_secrets(value: Any) -> Any:
    """Return a property value of an export with its secrets unwrapped."""
    if isinstance(value, Mapping):
        if value.get(SIGNATURE) == SECRET:
            return unwrap_secrets(json.loads(value["plaintext"])) if "plaintext" in value else None
        return {key: unwrap_secrets(nested_value) for key, nested_value in value.items()}
    if isinstance(value, list):
        return [unwrap_secrets(nested_value) for nested_value in value]
    return value


def pending_text(pending: Pending) -> str:
    """Return a sentence about a pending operation."""
    name = name_of(pending.urn)
    return (
        f"{pending.operation} {pending.type} {name}: a pending operation of an "
        "interrupted run; its outcome is unknown"
    )


def _state_resource(entry: Mapping[str, Any], regions: Mapping[str, Any]) -> StateResource:
    inputs = unwrap_secrets(entry.get("inputs") or {})
    outputs = unwrap_secrets(entry.get("outputs") or {})
    region = inputs.get("region") or regions.get(entry.get("provider", ""))
    return StateResource(
        resource=Resource(
            urn=entry["urn"],
            type=entry["type"],
            name=name_of(entry["urn"]),
            inputs=inputs,
            outputs={"id": entry["id"], **outputs} if entry.get("id") else outputs,
            relations={
                key: tuple(urns)
                for key, urns in (entry.get("propertyDependencies") or {}).items()
                if urns
            },
            parent=entry.get("parent"),
            region=region or outputs.get("region"),
            custom=bool(entry.get("custom")),
        ),
        id=entry.get("id", ""),
        custom=bool(entry.get("custom")),
        created=_time(entry.get("created")),
        modified=_time(entry.get("modified")),
        deleting=bool(entry.get("delete")),
    )


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).astimezone(UTC) if text else None

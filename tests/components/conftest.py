"""Registers programs without an engine and shows what reached it."""

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

import pulumi
import pytest
from pulumi.runtime import mocks, rpc
from pulumi.runtime.proto.source_pb2 import StackTrace
from pulumi.runtime.stack import run_pulumi_func

from gpuinfra.clouds import region_of
from gpuinfra.components import register
from gpuinfra.components.program import program
from gpuinfra.graph import ResourceGraph
from gpuinfra.model import Resource
from gpuinfra.source import Source
from gpuinfra.stackfile import loads
from tests.components import mocked
from tests.components.exactness import Called, complaints

GOLDEN = Path(__file__).parents[1] / "golden"
SCRIPTS = ("userData", "metadataStartupScript", "customData", "startup-script")
"""Inputs that hold a start-up script, in each cloud's words."""


@dataclass(frozen=True, kw_only=True)
class Registered:
    """One resource as it reached the engine."""

    urn: str
    type: str
    name: str
    parent: str
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    relations: dict[str, tuple[str, ...]]
    provider: str
    aliases: tuple[str, ...]
    protect: bool
    options: dict[str, Any]
    after: tuple[str, ...]
    """The resources that have to stand first, by name."""

    def relating(self) -> dict[str, Any]:
        """What ties it to others and to its parent, by name; nothing that is empty."""
        facts = {
            "options": self.options,
            "after": sorted(self.after),
            "relations": {
                key: sorted(urn.rpartition("::")[2] for urn in urns)
                for key, urns in self.relations.items()
                if urns
            },
            "provider": self.provider.rpartition("::")[0].rpartition("::")[2],
            "aliases": list(self.aliases),
            "protect": self.protect,
        }
        return {key: value for key, value in facts.items() if value}


@dataclass
class Record:
    """All that a program registered, in order; and the look-ups it made."""

    resources: list[Registered] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)
    declared: list[tuple[ResourceGraph, Mapping[str, str]]] = field(default_factory=list)
    """The graphs that were handed to the engine, with the names of their components by key."""

    def registered(self) -> dict[Called, Registered]:
        """The resources by what they are called."""
        return {
            (resource.parent.rpartition("::")[2], resource.type, resource.name): resource
            for resource in self.resources
        }

    def of(self, name: str) -> Registered:
        """The only resource of a name."""
        (only,) = [resource for resource in self.resources if resource.name == name]
        return only

    def rows(self) -> tuple[Resource, ...]:
        """The resources as rules and prices read them, ours and the engine's own left out."""
        return tuple(
            Resource(
                urn=resource.urn,
                type=resource.type,
                name=resource.name,
                inputs=resource.inputs,
                outputs=resource.outputs,
                relations=resource.relations,
                parent=resource.parent or None,
                region=region_of(resource.type, resource.inputs),
                custom=not resource.type.startswith(("gpuinfra:", "pulumi:")),
            )
            for resource in self.resources
        )

    def names(self) -> list[dict[str, Any]]:
        """The names that may never change without an alias, sorted."""
        rows = [
            {
                "type": resource.type,
                "name": resource.name,
                "parent": resource.parent.split("::")[-1],
            }
            for resource in self.resources
        ]
        return sorted(rows, key=lambda row: (row["parent"], row["type"], row["name"]))

    def golden(self) -> list[dict[str, Any]]:
        """What a golden file keeps of it, sorted.

        It is only kept where the engine got exactly what components declared.
        """
        assert list(self.not_as_declared()) == []
        return sorted(
            (
                {
                    "type": resource.type,
                    "name": resource.name,
                    "parent": resource.parent.split("::")[-1],
                    "inputs": shortened(resource.inputs),
                    **resource.relating(),
                }
                for resource in self.resources
            ),
            key=lambda row: (row["type"], row["name"]),
        )

    def not_as_declared(self) -> Iterator[str]:
        """Where the engine got another resource, input, relation or option than is declared."""
        registered = self.registered()
        graphs = [graph for graph, _ in self.declared]
        for graph, parents in self.declared:
            yield from complaints(graph, parents, registered, graphs)
        names = {
            resource.name for graph, _ in self.declared for resource in graph.resources.values()
        }
        yield from (
            f"{resource.name} is not declared"
            for resource in self.resources
            if resource.parent and resource.name not in names
        )


def whole_numbers(value: Any) -> Any:
    """Numbers as they were given: on the engine's wire every number is a float."""
    if isinstance(value, dict):
        return {key: whole_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [whole_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def shortened(value: Any) -> Any:
    """Inputs without the start-up script, which has golden files of its own."""
    if isinstance(value, Mapping):
        return {
            key: "the start-up script" if key in SCRIPTS else shortened(item)
            for key, item in value.items()
        }
    return [shortened(item) for item in value] if isinstance(value, list) else value


class Cloud(mocks.Mocks):
    """Answers as the providers would."""

    def __init__(self, record: Record) -> None:
        self.record = record

    def call(self, args: mocks.MockCallArgs) -> dict[str, Any]:
        self.record.calls.append((args.token, args.args))
        return mocked.answer(args)

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        return mocked.made(args)


class Monitor(mocks.MockMonitor):
    """Keeps what the SDK sends for each resource, options included."""

    mocks: Cloud

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802
        answer = super().RegisterResource(request)
        if request.type != "pulumi:pulumi:Stack":
            self.mocks.record.resources.append(registered(request, answer, self.resources))
        return answer


def registered(request: Any, answer: Any, known: Mapping[str, Any]) -> Registered:
    options: dict[str, Any] = {}
    if request.ignoreChanges:
        options["ignoreChanges"] = list(request.ignoreChanges)
    if request.deleteBeforeReplace:
        options["deleteBeforeReplace"] = True
    if request.retainOnDelete:
        options["retainOnDelete"] = True
    if request.deletedWith:
        options["deletedWith"] = request.deletedWith.rpartition("::")[2]
    if request.replaceOnChanges:
        options["replaceOnChanges"] = list(request.replaceOnChanges)
    timeouts = {
        kind: value
        for kind in ("create", "update", "delete")
        if (value := getattr(request.customTimeouts, kind))
    }
    if timeouts:
        options["timeouts"] = timeouts
    if request.HasField("replacement_trigger"):
        trigger = request.replacement_trigger.list_value.values
        options["replacementTrigger"] = [item.string_value for item in trigger]
    return Registered(
        urn=answer.urn,
        type=request.type,
        name=request.name,
        parent=""
        if request.parent.split("::")[2:3] == ["pulumi:pulumi:Stack"]
        else request.parent,
        inputs=whole_numbers(rpc.deserialize_properties(request.object)),
        outputs=whole_numbers({"id": answer.id, **known[answer.urn].state}),
        relations={
            key: tuple(dependencies.urns)
            for key, dependencies in request.propertyDependencies.items()
        },
        provider=request.provider or "".join(request.providers.values()),
        aliases=tuple(
            alias.spec.name or alias.spec.type or alias.urn for alias in request.aliases
        ),
        protect=request.protect,
        options=options,
        after=tuple(dependency.rpartition("::")[2] for dependency in request.dependencies),
    )


def run(
    program: Callable[[], Any],
    config: Mapping[str, str] | None = None,
    clouds: tuple[str, ...] = ("aws",),
    *,
    preview: bool = False,
) -> Record:
    """Register a program's resources, and wait for all of them.

    `config` is in the namespace gpuinfra, where it names no other.
    """
    for cloud in clouds:
        mocked.provider_of(cloud).load()
    record, settings = Record(), pulumi.runtime.settings
    cloud = Cloud(record)
    settings.SETTINGS.rpc_manager.clear()
    settings.SETTINGS.outputs.clear()
    settings.set_root_resource(None)
    monitor = Monitor(cloud)
    mocks.set_mocks(cloud, project="project", stack="dev", preview=preview, monitor=monitor)
    named = {k if ":" in k else f"gpuinfra:{k}": v for k, v in (config or {}).items()}
    pulumi.runtime.set_all_config(named)

    def once() -> None:
        program()

    async def whole() -> None:
        with (
            mock.patch.object(register.RegisteredResources, "add_all", kept(record)),
            # Which line made a resource: it takes a quarter of the time, and no test reads it.
            mock.patch.object(pulumi.runtime.resource, "_get_stack_trace", StackTrace),
        ):
            await run_pulumi_func(once)
        exported = settings.get_root_resource().outputs
        record.outputs = await pulumi.Output.from_input(exported).future()

    asyncio.get_event_loop().run_until_complete(whole())
    return record


def kept(record: Record) -> Callable[..., None]:
    """`RegisteredResources.add_all`, which keeps what it is handed."""
    add_all = register.RegisteredResources.add_all

    def keep(self: register.RegisteredResources, graph: ResourceGraph, *given: Any) -> None:
        parents = {
            key: "" if resource is None else resource._name
            for key, resource in self.resources.items()
        }
        record.declared.append((graph, parents))
        add_all(self, graph, *given)

    return keep


@pytest.fixture
def record() -> Iterator[Callable[..., Record]]:
    yield run
    pulumi.runtime.set_all_config({})


NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
Registers = Callable[[str], Record]


@pytest.fixture
def registers(record: Callable[..., Record], monkeypatch: pytest.MonkeyPatch) -> Registers:
    """Register the resources of a stack file, at a moment that stays the same."""
    monkeypatch.setattr(register, "_now", lambda: NOW)
    return lambda text: record(program(Source(document=loads(text)), {}))


@pytest.fixture
def golden() -> Callable[[str, list[dict[str, Any]]], None]:
    def compare(name: str, rows: list[dict[str, Any]]) -> None:
        file = GOLDEN / f"{name}.json"
        if os.environ.get("GPUINFRA_GOLDEN") == "update":
            lines = ",\n".join(json.dumps(row, sort_keys=True) for row in rows)
            file.write_text(f"[\n{lines}\n]\n")

        assert rows == json.loads(file.read_text()), "if it is meant: make golden"

    return compare

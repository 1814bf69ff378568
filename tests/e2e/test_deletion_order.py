"""A destroy whose groups take their time: what their machines need stands until they are gone.

The engine deletes by depth: first what rests on the longest chain of others, last what rests on
none. A rule of a security group, which rests on little, so outlives a group that does not depend
on it, and a plain destroy shows few of the dependencies that are missing:
https://github.com/pulumi/pulumi/blob/master/pkg/resource/deploy/step_generator.go, ScheduleDeletes

That is no promise, so it is taken away here: in the state that the engine deletes by, whatever a
group does not hold is made to rest on it, and goes first.
"""

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from gpuinfra import sandbox, urns
from gpuinfra.clouds.declaring.children import BUCKET
from gpuinfra.engine import lifecycle
from gpuinfra.engine.opened_stack import open_stack
from gpuinfra.graph import Resource, ResourceGraph
from gpuinfra.sandbox.faults import InjectedFault
from tests.clouds.farewell import CLOUDS, Needs
from tests.e2e.lives import fine, left, request_of, up

pytestmark = [
    pytest.mark.e2e,
    # The SDKs' own import warnings: as errors they leave half a module behind.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pulumi_.*"),
]

DRAIN: Final = 4.0
"""Seconds that a group takes to go."""

LOOK: Final = 0.05
"""Seconds between two looks at what stands."""

HEAD: Final = """\
version: 1
name: drained
owner: ml-platform
prices: {accept_outdated: true}
"""
AWS: Final = f"""{HEAD}
where: {{cloud: aws, regions: [us-east-1]}}
training:
  trainer:
    instance: p4d.24xlarge
    nodes: 2
    checkpoints: {{bucket: data}}
    shared_storage: {{size: 1200GiB, throughput: 125, bucket: files, export: true}}
  gang: {{instance: p4d.24xlarge, nodes: 2, all_or_nothing: true, checkpoints: {{bucket: data}}}}
inference:
  chat:
    instance: g6.xlarge
    replicas: 1..2
    scale_on: {{gpu_utilization: 70%}}
    image: example/chat:1
    port: 80
  work:
    instance: g6.xlarge
    replicas: 0..2
    expected: 1
    scale_on: {{queue: {{messages_per_machine: 10}}}}
    image: example/work:1
    port: 80
buckets: {{data: {{}}, files: {{}}}}
"""
SMALL: Final = """
training:
  trainer:
    instance: {machine}
    nodes: 2
    fabric: none
    data: [{{bucket: data, prefix: tokens/}}]
    checkpoints: {{bucket: data, prefix: checkpoints/, every: 10m}}
inference:
  chat:
    instance: {machine}
    replicas: 2..3
    scale_on: {{gpu_utilization: 70%}}
    capacity: {{on_demand_base: 1, above: spot}}
    image: example/chat:1
    port: 8000
buckets: {{data: {{}}}}
"""
GCP: Final = f"""{HEAD}
where: {{cloud: gcp, regions: [us-central1]}}
{SMALL.format(machine="g2-standard-4")}"""
AZURE: Final = f"""{HEAD}
where: {{cloud: azure, regions: [eastus]}}
{SMALL.format(machine="Standard_NC4as_T4_v3")}"""
STACKS: Final[Mapping[str, str]] = {"aws": AWS, "gcp": GCP, "azure": AZURE}

State = dict[str, Any]
"""A resource as the engine's state has it."""

Goes = dict[str, set[str]]
"""URNs of groups, each with those of what goes before it."""


class Group(NamedTuple):
    """A group of machines, by URNs.

    Attributes:
        urn: its own.
        near: what stands in its component, and in those of the buckets that it uses.
        hurried: what of that it does not hold.
    """

    urn: str
    near: set[str]
    hurried: set[str]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_what_machines_need_stands_until_their_group_is_gone(
    cloud: str, tmp_path: Path, sandbox_home: Path
) -> None:
    needs, file = CLOUDS[cloud], built(cloud, tmp_path)
    groups = hurry(file, needs)

    early = drained(file, groups)

    assert early == {group.urn: group.hurried for group in groups}
    assert too_early(early, needs) == []
    assert left() == []


@pytest.mark.parametrize("cloud", CLOUDS)
def test_without_the_dependencies_of_groups_it_goes_before_them(
    cloud: str, tmp_path: Path, sandbox_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above sees what is missing, on each cloud."""
    needs = CLOUDS[cloud]
    add = ResourceGraph.add

    def bare(graph: ResourceGraph, resource: Resource) -> Resource:
        held = () if resource.type in needs.groups else resource.options.depends_on
        return add(graph, replace(resource, options=replace(resource.options, depends_on=held)))

    monkeypatch.setattr(ResourceGraph, "add", bare)
    file = built(cloud, tmp_path)
    groups = hurry(file, needs)

    early = drained(file, groups)

    assert {group for group, _ in too_early(early, needs)} == {group.urn for group in groups}


def built(cloud: str, folder: Path) -> Path:
    """The stack file of a cloud, of which all stands."""
    file = folder / "stack.yaml"
    file.write_text(STACKS[cloud])
    up(file, judged=False)
    return file


def too_early(early: Goes, needs: Needs) -> list[tuple[str, str]]:
    """Groups, each with what goes while its machines need it."""
    return [
        (group, resource)
        for group, gone in early.items()
        for resource in sorted(gone)
        if urns.type_of(resource) in needs.needed
    ]


def hurry(file: Path, needs: Needs) -> list[Group]:
    """Let all that a group does not hold go before it."""
    with open_stack(request_of(file, judged=False), create=False) as work:
        exported = work.stack.export_stack()
        states: list[State] = exported.deployment["resources"]
        groups = [_hurried(states, state) for state in states if state["type"] in needs.groups]
        states[:] = in_order(states)
        work.stack.import_stack(exported)
    return groups


def _hurried(states: list[State], group: State) -> Group:
    urn, held = group["urn"], reached(states, group["urn"])
    components = {group["parent"], *(key for key in held if urns.type_of(key) == BUCKET)}
    near = {
        state["urn"]: state
        for state in states
        # What the engine keeps itself stands in no cloud.
        if state.get("parent") in components and not state["type"].startswith("pulumi:")
    }
    free = [near[key] for key in near.keys() - held - {urn}]
    for state in free:
        state["dependencies"] = [*state.get("dependencies", ()), urn]
    # What is deleted with its group is left to it.
    hurried = {state["urn"] for state in free if state.get("deletedWith") != urn}
    return Group(urn, set(near), hurried)


def reached(states: list[State], urn: str) -> set[str]:
    """All that a resource rests on, directly or through others."""
    of = {state["urn"]: state for state in states}
    reached_keys: set[str] = set()
    waiting = [urn]
    while waiting:
        new = set(rests_on(of[waiting.pop()])) - reached_keys
        reached_keys |= new
        waiting += new
    return reached_keys


def rests_on(state: State) -> Iterator[str]:
    """What the engine deletes after a resource."""
    yield from state.get("dependencies") or ()
    for dependencies in (state.get("propertyDependencies") or {}).values():
        yield from dependencies or ()
    yield from (state[key] for key in ("parent", "deletedWith") if state.get(key))
    if state.get("provider"):
        yield state["provider"].rpartition("::")[0]


def in_order(states: list[State]) -> list[State]:
    """The same resources, each behind those that it rests on."""
    rests = {state["urn"]: tuple(rests_on(state)) for state in states}
    of = {state["urn"]: state for state in states}
    return [of[urn] for urn in TopologicalSorter(rests).static_order()]


def drained(file: Path, groups: list[Group]) -> Goes:
    """Destroy a stack whose groups take their time; gives what went while they still stood."""
    for kind in {urns.type_of(group.urn) for group in groups}:
        sandbox.faults.add(InjectedFault(kind="slow-delete", type=kind, seconds=DRAIN))
    early: Goes = {}
    with ThreadPoolExecutor(1) as elsewhere:
        destroyed = elsewhere.submit(lifecycle.destroy, request_of(file, judged=False))
        while not destroyed.done():
            stand = {record.urn for record in sandbox.existing_resources()}
            early |= {group.urn: group.near - stand for group in groups if group.urn in stand}
            time.sleep(LOOK)
    fine(destroyed.result())
    return early

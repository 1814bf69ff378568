"""Declared graphs for the witnesses: shared stacks on their first and last rung, golden cases."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from gpuinfra.graph import Archive, Resource, ResourceGraph
from gpuinfra.planning import choices, stack_graph
from gpuinfra.stackfile import StackDocument, loads
from tests.components.stack_documents import documents

GOLDEN: Final = Path(__file__).parents[1] / "golden"
CLOUDS: Final = ("aws:", "gcp:", "azure-native:")
MOCKED: Final = re.compile(r"(?<=arn:aws:)mock:[\w-]+|^[\w-]+-(?:id|principal)$")
"""Outputs as the mocks of tests/components make them up."""

RUNGS: Final = {"first": 0, "last": -1}

NOISE: Final = hashlib.shake_256(b"noise").digest(16384)
COMMAND: Final = "".join(
    chr(0x4E00 + (256 * high + low) % 20_000)
    for high, low in zip(NOISE[::2], NOISE[1::2], strict=True)
)
"""A command that user data has no room for, so that it is put into a bucket."""

WATCHED: Final = """\
version: 1
name: watched
owner: ml-platform
budget: {per_month: 900000, notify: [a@example.com]}
prices: {accept_outdated: true}
monitoring: {alarms: true}
where: {cloud: aws, regions: [us-east-1]}
training:
  block:
    instance: p5.48xlarge
    nodes: 2
    capacity: [{capacity-block: {reservation: cr-0123456789abcdef0, ends: 2026-12-01T11:30Z}}]
    checkpoints: {bucket: data}
    duration: 24h
  long: {gpu: "L4:1", command: COMMAND, checkpoints: {bucket: data}}
buckets: {data: {}}
"""

MAILED: Final = """\
version: 1
name: mailed
owner: ml-platform
budget:
  per_month: 900000
  billing_account: 01ABCD-234567-89EF01
  notify: [a@example.com]
prices: {accept_outdated: true}
where: {cloud: gcp, regions: [us-central1]}
training:
  dev: {gpu: "L4:1"}
"""


@cache
def shared() -> Mapping[str, StackDocument]:
    """The stacks by name; together they declare every type that gpuinfra declares."""
    return {
        **documents(),
        "watched": loads(WATCHED.replace("COMMAND", COMMAND)),
        "mailed": loads(MAILED),
    }


def graph(name: str, rung: str = "first") -> ResourceGraph:
    """What a stack declares with every workload on the rung; the caller may change it."""
    graph = _declared(name, rung)
    return replace(graph, resources=dict(graph.resources))


@cache
def _declared(name: str, rung: str) -> ResourceGraph:
    stack = shared()[name].stack
    rungs = {group.name: group.rungs[RUNGS[rung]].label for group in choices(stack).groups}
    return stack_graph(stack, choices(stack, rungs=rungs))


def golden() -> list[str]:
    """The golden cases that hold the inputs of resources."""
    return sorted(file.stem for file in GOLDEN.glob("*.json") if _rows(file.stem))


def golden_graph(name: str) -> ResourceGraph:
    """The resources of a golden case, with the inputs that reached the engine."""
    resources = {
        f"{row['type']} {row['name']}": Resource(
            f"{name}/{row['name']}", row["type"], row["name"], _inputs(row["inputs"])
        )
        for row in _rows(name)
    }
    return ResourceGraph(resources)


def _inputs(value: Any) -> Any:
    """Recorded inputs; outputs that the engine's mocks made up are symbols."""
    if isinstance(value, dict):
        return {
            key: Archive(dict.fromkeys(item, "")) if key == "code" else _inputs(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_inputs(item) for item in value]
    return (
        MOCKED.sub("${made up by the mocks of the tests}", value)
        if isinstance(value, str)
        else value
    )


def _rows(name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((GOLDEN / f"{name}.json").read_text())
    return [row for row in rows if "inputs" in row and row["type"].startswith(CLOUDS)]

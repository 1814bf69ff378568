"""What outside of the stack machines are declared with, in place of what the file names."""

from dataclasses import replace
from typing import Any
from unittest import mock

import pytest

from gpuinfra.graph import ResourceGraph
from gpuinfra.model import Group
from gpuinfra.planning import choices, observed_plan, stack_graph, with_facts
from gpuinfra.specs import Stack
from gpuinfra.stackfile import loads

HEAD = "version: 1\nname: lab\nowner: me\n"
AWS = "where: {cloud: aws, regions: [us-east-1]}\n"
GCP = "where: {cloud: gcp, regions: [us-central1]}\n"
AZURE = "where: {cloud: azure, regions: [eastus]}\n"
PLAIN = 'training: {t: {gpu: "T4:1"}}\n'
OWN = 'training: {{t: {{gpu: "T4:1", machine_image: "{}"}}}}\n'
BOOKED = "cr-0123456789abcdef0"
RESERVED = (
    "training: {t: {instance: p5.48xlarge, nodes: 2, duration: 5h, capacity: [{reserved: "
    f"{{reservation: {BOOKED}, placement_group: ours}}}}]}}}}\n"
)
POOL = (
    'inference: {p: {gpu: "T4:1", image: "a/b:1", port: 80, replicas: 1..2, '
    "scale_on: {gpu_utilization: 70%}}}\n"
)
IMAGE = "projects/evil/global/images/miner"
MARKET = {"publisher": "evil", "offer": "miner", "sku": "x", "version": "1.0.0"}


def judged(stack: Stack, graph: ResourceGraph | None = None) -> Group:
    """The group of a stack whose declared resources are these."""
    plan = choices(stack)
    whole = stack_graph(stack, plan) if graph is None else graph
    with mock.patch.object(observed_plan, "stack_graph", return_value=whole):
        return with_facts(stack, plan).groups[0]


def faults(group: Group) -> list[str]:
    return [fault.message for fault in group.faults if fault.rule == "launch-settings"]


def changed(stack: Stack, key: str, path: tuple[Any, ...], value: Any) -> ResourceGraph:
    """The declared graph with one input of one resource replaced."""
    graph = stack_graph(stack, choices(stack))
    was = graph.resources[key]
    graph.resources[key] = replace(was, inputs=_put(was.inputs, path, value))
    return graph


def _put(inside: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    if isinstance(inside, list | tuple):
        return [
            _put(item, path[1:], value) if i == path[0] else item for i, item in enumerate(inside)
        ]
    return {**inside, path[0]: _put(inside.get(path[0], {}), path[1:], value)}


TEMPLATE = "training.t/launch_template"
GROUP = "training.t/group"


@pytest.mark.parametrize(
    ("text", "key", "path", "value", "words"),
    [
        (AWS + PLAIN, TEMPLATE, ("imageId",), "ami-0bad", "image ami-0bad"),
        (AWS + POOL, "pool.p/launch_template", ("imageId",), "ami-0bad", "image ami-0bad"),
        (
            AWS + OWN.format("ami-0123456789abcdef0"),
            TEMPLATE,
            ("imageId",),
            "ami-0bad",
            "ami-0bad",
        ),
        (AWS + OWN.format("/own/image"), TEMPLATE, ("imageId",), "resolve:ssm:/evil", "/evil"),
        (
            AWS + RESERVED,
            TEMPLATE,
            ("capacityReservationSpecification", "capacityReservationTarget"),
            {"capacityReservationId": "cr-0bad"},
            "reservation cr-0bad",
        ),
        (
            AWS + PLAIN,
            TEMPLATE,
            ("capacityReservationSpecification", "capacityReservationTarget"),
            {"capacityReservationId": "cr-0bad"},
            "reservation cr-0bad; the stack file and its lock name none",
        ),
        (AWS + RESERVED, GROUP, ("placementGroup",), "theirs", "placement group theirs"),
        (AWS + RESERVED, GROUP, ("placementGroup",), None, "placement group none"),
        (AWS + PLAIN, GROUP, ("placementGroup",), "theirs", "placement group theirs"),
        (GCP + PLAIN, "training.t/template", ("disks", 0, "sourceImage"), IMAGE, IMAGE),
        (
            AZURE + PLAIN,
            "training.t/group",
            ("virtualMachineProfile", "storageProfile", "imageReference"),
            MARKET,
            "image evil:miner:x:1.0.0",
        ),
    ],
)
def test_what_the_file_does_not_name_is_refused(
    text: str, key: str, path: tuple[Any, ...], value: Any, words: str
) -> None:
    stack = loads(HEAD + text).stack
    assert faults(judged(stack)) == []

    messages = faults(judged(stack, changed(stack, key, path, value)))

    assert any(words in message for message in messages), messages


def test_the_question_that_a_pinned_image_answers_is_compared() -> None:
    stack = loads(HEAD + AWS + PLAIN).stack
    graph = stack_graph(stack, choices(stack))
    pin = graph.resources["training.t/image_pin"]
    kept = pin.inputs["input"]
    question = {**kept, "id": replace(kept["id"], known_value="resolve:ssm:/evil/image")}
    graph.resources[pin.key] = replace(pin, inputs={"input": question})

    assert "image resolve:ssm:/evil/image" in faults(judged(stack, graph))[0]


def test_what_resources_name_is_what_the_rung_says() -> None:
    stack = loads(HEAD + AWS + RESERVED).stack
    target = ("capacityReservationSpecification", "capacityReservationTarget")
    graph = changed(stack, TEMPLATE, target, {"capacityReservationId": "cr-0bad"})

    assert judged(stack).rung.reservation == BOOKED
    assert judged(stack, graph).rung.reservation == "cr-0bad"

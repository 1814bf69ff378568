"""The interpreter of graphs, and its table, held against the SDKs."""

import json
from pathlib import Path

import pulumi
import pytest
from pulumi._types import input_type_py_to_pulumi_names

from gpuinfra import clouds
from gpuinfra.clouds import CLOUDS
from gpuinfra.components.declared import outputs
from gpuinfra.components.register import arguments_class, register
from gpuinfra.errors import InputError, Problem
from gpuinfra.graph import (
    ComputedValue,
    Lookup,
    Options,
    Ref,
    Resource,
    ResourceGraph,
    RuntimeInput,
    Secret,
    concat,
    item,
)
from tests.components.conftest import GOLDEN

PLACED = {
    "aws": {"region", "tags"},
    "gcp": {"region", "labels", "userLabels"},
    "azure": {"location", "tags", "resourceGroupName"},
}
HOLDER = "azure-native:resources:ResourceGroup"
"""It is the group, and so is in none."""

ROLE = "aws:iam/role:Role"
QUEUE = "aws:sqs/queue:Queue"


def declared_types(cloud: str) -> dict[str, list[str]]:
    file = Path(clouds.__file__).parent / cloud / "data" / "declared.json"
    table: dict[str, list[str]] = json.loads(file.read_text())["types"]
    return table


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_table_of_places_and_marks_is_the_sdks(cloud: str) -> None:
    for token, listed in declared_types(cloud).items():
        takes = set(input_type_py_to_pulumi_names(arguments_class(token)).values())
        expected = PLACED[cloud] & takes
        if "userLabels" in expected:
            expected -= {"labels"}
        if token == HOLDER:
            expected -= {"resourceGroupName"}

        assert set(listed) == expected, (
            f"list them for {token} in clouds/{cloud}/data/declared.json"
        )


class Holder(pulumi.ComponentResource):
    def __init__(self, graph: ResourceGraph, given: dict[str, object]) -> None:
        super().__init__("gpuinfra:index:Stack", "holder")
        self.made = register(graph, {"stack": self}, given)


def graph(*resources: Resource) -> ResourceGraph:
    holder = ResourceGraph()
    holder.add(Resource("stack", "gpuinfra:index:Stack", "holder", {}))
    for resource in resources:
        holder.add(resource)
    return holder


def child(name: str, type_: str, inputs: dict[str, object], **options: object) -> Resource:
    return Resource(f"stack/{name}", type_, name, inputs, "stack", Options(**options))


def test_expressions_become_outputs_and_relations(record) -> None:
    dead = child("dead", QUEUE, {"tags": {"b_c": "kept"}})
    work = child(
        "work",
        QUEUE,
        {
            "redrivePolicy": concat("to ", dead["arn"]),
            "name": RuntimeInput("jobs"),
            "kmsMasterKeyId": Secret("k"),
        },
        depends_on=("stack/dead",),
        retain_on_delete=True,
        timeouts={"delete": "9m"},
    )
    seen = record(lambda: Holder(graph(dead, work), {"jobs": "night"}))
    made = seen.of("work")

    assert made.inputs["redrivePolicy"] == f"to {seen.of('dead').outputs['arn']}"
    assert made.inputs["name"] == "night"
    assert made.relations["redrivePolicy"] == (seen.of("dead").urn,)
    assert made.after == ("dead",)
    assert made.options == {"retainOnDelete": True, "timeouts": {"delete": "9m"}}
    assert made.parent == seen.of("holder").urn
    assert seen.of("dead").inputs["tags"] == {"b_c": "kept"}


def test_equal_look_ups_are_asked_once(record) -> None:
    account = Lookup("aws:index/getCallerIdentity:getCallerIdentity", {}, "accountId")
    queues = [child(f"q{n}", QUEUE, {"name": concat(account, f"-{n}")}) for n in range(3)]
    seen = record(lambda: Holder(graph(*queues), {}))

    assert sorted(
        resource.inputs["name"] for resource in seen.resources if resource.type == QUEUE
    ) == [
        "123456789012-0",
        "123456789012-1",
        "123456789012-2",
    ]
    assert len(seen.calls) == 1


def test_what_a_function_refuses_is_shown_without_a_traceback(record) -> None:
    def refuse(_: str) -> str:
        raise InputError([Problem(message="too small", allowed="more")])

    queue = child("work", QUEUE, {"name": ComputedValue(refuse, (RuntimeInput("jobs"),))})
    with pytest.raises(pulumi.RunError, match="too small; allowed: more"):
        record(lambda: Holder(graph(queue), {"jobs": pulumi.Output.from_input("x")}))


def test_outputs_of_a_component_are_resolved(record) -> None:
    from gpuinfra.clouds.build_spec import BucketOutputs

    shown: list[object] = []
    queue = child("work", QUEUE, {"name": "night"})
    made = BucketOutputs(bucket_name=Ref("stack/work", "name"), bucket_id=item(["a", "b"], 1))

    def program() -> None:
        read = outputs(Holder(graph(queue), {}).made, made)
        pulumi.Output.all(read.bucket_name, read.bucket_id).apply(shown.extend)
        assert read.key_id is None

    record(program)
    assert shown == ["night", "b"]


def test_a_reference_to_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="stack/work refers to stack/role"):
        graph(child("work", QUEUE, {"name": Ref("stack/role", "arn")}))
    with pytest.raises(ValueError, match="two resources have the key stack/work"):
        graph(child("work", QUEUE, {}), child("work", ROLE, {}))


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*.json")), ids=lambda file: file.stem)
def test_what_a_trigger_replaces_is_deleted_first(file: Path) -> None:
    """Policies are not shown whether a trigger changes, and would count each update's twice."""
    options = [row.get("options", {}) for row in json.loads(file.read_text())]
    triggered = [each for each in options if "replacementTrigger" in each]

    assert all(each.get("deleteBeforeReplace") for each in triggered)

"""The provider without an engine: its schema, and what it makes of the inputs of a program."""

import json
import os
from dataclasses import fields
from pathlib import Path

import pulumi
import pytest
from pulumi.provider.experimental.util import camel_case

from gpuinfra import provider
from gpuinfra.provider.components import ARGUMENTS, Components
from tests.components.conftest import run

SCHEMA = Path(provider.__file__).with_name("schema.json")
TRAINER = {"region": "us-east-1", "instance": "g6.8xlarge", "nodes": 2.0}
POOL = {
    "gpu": "T4:1",
    "replicas": 2.0,
    "scaleOn": {"gpu_utilization": "70%"},
    "port": 8000.0,
    "owner": "ml-platform",
}
SERVED = {
    "us-east-1": ("aws", "ami-0fedcba9876543210"),
    "us-central1": ("gcp", "projects/ours/global/images/ours-1"),
    "eastus": (
        "azure",
        "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/ours",
    ),
}
LATER = [pulumi.Output.from_input("hunter2"), pulumi.Output.secret("hunter2"), pulumi.UNKNOWN]


@pytest.fixture(scope="module")
def components():
    return Components()


@pytest.fixture
def refusal(components):
    """Why a component is not built."""

    def of(component, inputs):
        with pytest.raises(pulumi.InputPropertiesError) as caught:
            components.construct("trainer", f"gpuinfra:index:{component}", inputs)
        assert caught.value.errors == [], "the engine prints the value of an input that is named"
        assert "hunter2" not in caught.value.message
        return caught.value.message

    return of


def test_the_committed_schema_is_that_of_the_components(components):
    schema = json.dumps(json.loads(components.schema), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("GPUINFRA_GOLDEN") == "update":
        SCHEMA.write_text(schema)
    assert schema == SCHEMA.read_text(), "if it is meant: make golden"


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_the_package_takes_what_the_component_takes(kind):
    told = json.loads(SCHEMA.read_text())["resources"][f"gpuinfra:index:{kind.__name__}"]
    own = {field.name for field in fields(ARGUMENTS[kind])}
    more = {"tags", "customize"} | (
        {"network", "buckets", "keys"} if "image_id" in vars_of(kind) else set()
    )

    assert set(told["inputProperties"]) == {camel_case(name) for name in own | more}
    assert set(told["properties"]) == {camel_case(name) for name in vars_of(kind)}
    assert told["isComponent"]
    for input_property in told["inputProperties"].values():
        assert input_property["description"], "a docstring says what it is"


def vars_of(kind):
    """The annotated outputs of a component."""
    return {
        name
        for base in kind.__mro__
        if base.__module__.startswith("gpuinfra")
        for name in base.__annotations__
    }


def test_what_is_needed_at_once_is_plain_and_what_may_come_later_is_not():
    resources = json.loads(SCHEMA.read_text())
    cluster = resources["resources"]["gpuinfra:index:TrainingCluster"]["inputProperties"]
    network = resources["types"]["gpuinfra:index:Network"]["properties"]

    assert cluster["instance"]["plain"]
    assert cluster["nodes"]["type"] == "integer"
    assert cluster["fabric"]["type"] == "string"
    assert cluster["capacity"]["$ref"] == "pulumi.json#/Any"
    assert "plain" not in cluster["buckets"]["additionalProperties"]
    assert "plain" not in network["vpcId"]


@pytest.mark.parametrize(
    ("component", "name"),
    [
        ("TrainingCluster", "machineImage"),
        ("TrainingNode", "machineImage"),
        ("InferencePool", "machineImage"),
        ("InferencePool", "image"),
        ("InferencePool", "certificate"),
        ("DataBucket", "encryption"),
        ("DataBucket", "accessLogs"),
    ],
)
def test_images_keys_and_names_are_text_that_may_come_later(component, name):
    resource = json.loads(SCHEMA.read_text())["resources"][f"gpuinfra:index:{component}"]
    told = resource["inputProperties"][name]

    assert (told["type"], told.get("plain")) == ("string", None)
    assert "plain" not in resource["inputProperties"].get("keys", {}).get(
        "additionalProperties", {}
    )


@pytest.mark.parametrize("preview", [True, False], ids=["preview", "update"])
@pytest.mark.parametrize("region", ["us-east-1", "us-central1", "eastus"])
def test_what_may_come_later_is_built_by_the_provider_too(components, region, preview):
    cloud, image = SERVED[region]
    later = pulumi.UNKNOWN if preview else image
    inputs = {
        **POOL,
        "cloud": cloud,
        "region": region,
    }

    def program():
        inputs["machineImage"] = pulumi.Output.from_input(later)
        inputs["tags"] = {"team": pulumi.Output.from_input("research")}
        inputs["image"] = pulumi.Output.secret("ghcr.io/example/serve:1")
        components.construct("chat", "gpuinfra:index:InferencePool", inputs)

    seen = run(program, clouds=(cloud,), preview=preview)

    shown = json.dumps([resource.inputs for resource in seen.resources], default=str)
    assert "research" in shown
    assert (image in shown) is not preview


@pytest.mark.parametrize("later", LATER, ids=["output", "secret", "unknown"])
@pytest.mark.parametrize(
    ("path", "inputs"),
    [
        ("instance", lambda value: {"instance": value}),
        ("checkpoints.bucket", lambda value: {"checkpoints": {"bucket": value}}),
        ("data[0].prefix", lambda value: {"data": [{"bucket": "data", "prefix": value}]}),
        ("network", lambda value: {"network": value}),
        ("framework", lambda value: {"framework": value}),
    ],
)
def test_a_value_that_comes_too_late_is_refused_and_not_shown(path, inputs, later, refusal):
    message = refusal("TrainingCluster", {**TRAINER, **inputs(later)})

    assert message.startswith(f"{path} is needed before anything is built")


def test_an_unknown_input_is_refused(refusal):
    message = refusal(
        "TrainingCluster", {**TRAINER, "checkpoints": {"bucket": "a", "evry": "10m"}}
    )

    assert message == "unknown input checkpoints.evry; did you mean every?"


def test_a_missing_input_is_refused(components):
    with pytest.raises(pulumi.InputPropertyError) as caught:
        components.construct("trainer", "gpuinfra:index:TrainingCluster", {"nodes": 2.0})

    assert "region" in caught.value.reason


def test_arguments_that_do_not_fit_are_refused_in_the_component_s_words(refusal):
    message = refusal("TrainingCluster", {**TRAINER, "disk": "big", "capacity": "sport"})

    assert "training.trainer.disk" in message
    assert "did you mean spot" in message


def test_whole_numbers_arrive_as_such(refusal):
    message = refusal("TrainingNode", TRAINER)

    assert "given 2;" in message, "and not 2.0"

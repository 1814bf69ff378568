"""The tables of every cloud speak of inputs and types that exist."""

import re

import pytest

from gpuinfra.sandbox.plugin import schema
from gpuinfra.sandbox.plugin.aws.cloud import cloud as aws
from gpuinfra.sandbox.plugin.azure.cloud import cloud as azure
from gpuinfra.sandbox.plugin.cloud import Cloud
from gpuinfra.sandbox.plugin.facts import facts
from gpuinfra.sandbox.plugin.gcp.cloud import cloud as gcp

CLOUDS = [aws(), azure(), gcp()]
of_each_cloud = pytest.mark.parametrize("cloud", CLOUDS, ids=lambda cloud: cloud.package)


@of_each_cloud
def test_each_type_can_be_read(cloud: Cloud) -> None:
    kinds = [cloud.schema.type(token) for token in cloud.schema.tokens]

    assert all(kind is not None and kind.inputs for kind in kinds)


@of_each_cloud
def test_every_object_named_anywhere_has_a_shape(cloud: Cloud) -> None:
    tables, shapes = cloud.schema, cloud.schema.raw["$types"]
    forms = [
        prop["type"] for token in tables.tokens for prop in tables.raw[token]["inputs"].values()
    ]
    forms += [prop["type"] for shape in shapes.values() for prop in shape["properties"].values()]
    named = {name for form in forms for name in re.findall(r"object:([^<>|]+)", form)}

    assert named
    assert named <= shapes.keys()


@of_each_cloud
def test_defaults_are_inputs(cloud: Cloud) -> None:
    for token, values in cloud.defaults.items():
        kind = cloud.schema.type(token)
        assert kind is not None
        assert not values.keys() - kind.inputs.keys(), token


@pytest.mark.parametrize(
    ("package", "token"),
    [(package, token) for package in ("aws", "gcp") for token in facts(package, "needs")],
)
def test_every_need_is_about_inputs(package: str, token: str) -> None:
    kind = schema.load(package).type(token)
    assert kind is not None
    for _, keys in facts(package, "needs")[token]:
        unknown = [key for key in keys if key not in kind.inputs]
        assert len(unknown) < len(keys)

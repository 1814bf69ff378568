"""The Google Cloud tables speak of inputs and types that exist."""

import re
from typing import Any

import pytest

from gpuinfra.sandbox.plugin import schema
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.gcp import naming, outputs, references, refusals, replaces
from gpuinfra.sandbox.plugin.gcp.references import KINDS
from gpuinfra.sandbox.plugin.operation_context import OperationContext
from tests.sandbox.plugin.properties import property_at

GCP = schema.load("gcp")


@pytest.mark.parametrize("token", sorted(references.REFERENCES))
def test_every_reference_is_an_input_and_has_a_kind(token: str) -> None:
    for path, kind in references.REFERENCES[token].items():
        prop = property_at(GCP, token, path)
        assert prop is not None, path
        assert prop.type.startswith("array<") == path.endswith("[]"), path
        assert kind in KINDS, path


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_kind_is_made_by_types_of_the_tables(name: str) -> None:
    kind = KINDS[name]

    assert all(GCP.type(token) is not None for token in kind.types)
    assert bool(kind.scope) == bool(kind.collection)
    assert kind.scope or kind.key


def test_the_conditions_are_exactly_those_of_the_tables() -> None:
    listed = {token: {*GCP.raw[token].get("immutable_if", ())} for token in GCP.tokens}
    own = {"effectiveLabels"}  # of templates: their labels replace through it

    for token, paths in listed.items():
        assert replaces.CONDITIONS.get(token, {}).keys() - own == paths, token


def test_every_refusal_names_its_source() -> None:
    for rule in refusals.RULES:
        assert rule.source.startswith("https://")
        assert all(GCP.type(token) is not None for token in rule.tokens)


@pytest.mark.parametrize("token", GCP.tokens)
def test_every_type_can_stand_in_the_ledger(token: str) -> None:
    kind = GCP.type(token)
    assert kind is not None
    inputs: dict[str, Any] = {
        key: f"{key}-value" for key, prop in kind.inputs.items() if prop.type == "string"
    }
    inputs |= {"ipCidrRange": "10.0.0.0/24"} if "ipCidrRange" in kind.inputs else {}
    call = Call(token, "x", f"urn:pulumi:dev::p::{token}::x", inputs, "us-east1", lambda _: None)
    world = OperationContext(call, lambda _: [], lambda _: False)

    resource_id, made = outputs.create_outputs(kind, world)
    again = outputs.update_outputs(kind, world, resource_id, made)

    assert not re.search(r"[<>{}\s]", resource_id)
    assert made.keys() >= {*inputs, *kind.computed}
    changed = {key for key in made if made[key] != again.get(key)}
    assert changed <= {"updated", "updateTime"}


@pytest.mark.parametrize("token", GCP.tokens)
def test_every_name_is_unique_within_what_its_id_is_made_of(token: str) -> None:
    kind = GCP.type(token)
    rule = naming.rules(GCP)(token)
    assert kind is not None
    if rule is None:
        assert "name" not in kind.inputs
        return
    values = {key: f"the-{key}" for key in (*rule.scope, rule.key, "name")}

    assert rule.key in kind.inputs
    assert set(rule.scope) <= kind.inputs.keys()
    assert f"the-{rule.key}" in rule.taken_message.format_map(values)

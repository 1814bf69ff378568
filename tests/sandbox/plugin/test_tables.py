"""The AWS tables speak of inputs and types that exist."""

import pytest

from gpuinfra.sandbox.plugin import schema
from gpuinfra.sandbox.plugin.aws import outputs, references, refusals, replaces
from gpuinfra.sandbox.plugin.aws.references import KINDS
from gpuinfra.sandbox.plugin.contract import Call
from tests.sandbox.plugin.properties import property_at

AWS = schema.load("aws")


@pytest.mark.parametrize("token", sorted(references.REFERENCES))
def test_every_reference_is_an_input_and_has_a_kind(token: str) -> None:
    for path, kind in references.REFERENCES[token].items():
        assert property_at(AWS, token, path) is not None, path
        assert kind in KINDS, path


def test_every_kind_is_made_by_a_type_of_the_tables_or_found_by_a_call() -> None:
    for name, kind in KINDS.items():
        assert kind.operation or kind.type, name
        assert not kind.type or AWS.type(kind.type) is not None, name
        assert "{value}" in kind.message, name


@pytest.mark.parametrize("token", sorted(replaces.CONDITIONS))
def test_every_condition_stands_in_the_tables(token: str) -> None:
    kind = AWS.type(token)
    assert kind is not None
    listed = {*AWS.raw[token].get("immutable_if", ()), *kind.immutable}
    sources = {"cidrIpv6", "prefixListId", "referencedSecurityGroupId"}
    assert not set(replaces.CONDITIONS[token]) - listed - sources


def test_every_refusal_names_its_source() -> None:
    for rule in refusals.RULES:
        assert rule.source.startswith(("https://", "Describe"))
        assert all(AWS.type(token) is not None for token in rule.tokens)


@pytest.mark.parametrize("token", AWS.tokens)
def test_every_type_can_stand_in_the_ledger(token: str) -> None:
    kind = AWS.type(token)
    assert kind is not None
    inputs = {key: f"{key}-value" for key, prop in kind.inputs.items() if prop.type == "string"}
    call = Call(token, "x", f"urn:pulumi:dev::p::{token}::x", inputs, "us-east-1", lambda _: None)

    resource_id, made = outputs.create_outputs(kind, call)
    again = outputs.update_outputs(kind, call, resource_id, made)

    assert resource_id
    assert "<" not in resource_id
    assert inputs.items() <= made.items()
    changed = {key for key in made if made[key] != again.get(key)}
    assert changed <= set(outputs.changing(token))

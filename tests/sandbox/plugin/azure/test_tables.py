"""The Azure tables and rules speak of inputs and types that exist."""

import re
from typing import Any

import pytest

from gpuinfra.sandbox.plugin.azure import (
    ids,
    input_combinations,
    naming,
    references,
    refusals,
    uses,
)
from gpuinfra.sandbox.plugin.azure.lookups import INVOKES
from tests.sandbox.plugin.properties import property_at

TABLES = ids.tables()


@pytest.mark.parametrize("token", TABLES.tokens)
def test_every_slot_of_an_id_is_an_input_and_the_last_carries_the_name(token: str) -> None:
    kind, rule = TABLES.type(token), naming.naming(token)
    assert kind is not None
    assert rule is not None

    slots = ids.slots(kind.id_form)

    assert set(slots) - {"subscriptionId"} <= kind.inputs.keys()
    assert rule.key == slots[-1]
    assert ids.token_of(re.sub(r"<scope>", "/subscriptions/x", kind.id_form)) == token


@pytest.mark.parametrize("short", sorted(references.REFERENCES))
def test_every_reference_is_an_input_and_names_a_type_or_a_part_of_one(short: str) -> None:
    token = f"azure-native:{short}"
    for path, type_name in references.REFERENCES[short].items():
        prop = property_at(TABLES, token, path)
        assert prop is not None, path
        assert prop.type.removeprefix("array<").removesuffix(">") == "string", path
        if type_name:
            provider, *types = type_name.split("/")
            spelled = "/".join(f"{step}/n" for step in types)
            whole = f"/subscriptions/s/resourceGroups/g/providers/{provider}/{spelled}"
            assert ids.token_of(whole) or ids.token_of(ids.parent(whole) or ""), path


def test_every_name_rule_is_of_a_type_and_agrees_with_the_words_of_the_tables() -> None:
    for short, rule in naming._RULES.items():
        words = TABLES.raw[f"azure-native:{short}"].get("name_rule", "")
        limits = re.match(r"(\d+)-(\d+) chars", words)
        assert limits is None or (rule.minimum, rule.maximum) == tuple(map(int, limits.groups()))
        assert rule.pattern_text
    ruled = {token for token in TABLES.tokens if TABLES.raw[token].get("name_rule")}
    assert {f"azure-native:{short}" for short in naming._RULES} == ruled


def test_every_demand_refusal_and_guard_names_a_type_and_its_source() -> None:
    for demand in input_combinations.REQUIREMENTS:
        assert all(TABLES.type(f"azure-native:{short}") for short in demand.types)
        assert demand.source.startswith(("https://", "pulumi_azure_native"))
    for rule in refusals.RULES:
        assert all(map(TABLES.type, rule.tokens))
        assert rule.source.startswith("https://")
    for token, guard in uses._GUARDS.items():
        assert TABLES.type(token) is not None
        assert guard.source.startswith("https://")
        assert guard.code in uses.IN_USE_CODES


def test_every_correction_of_the_tables_is_there_and_has_a_source() -> None:
    for correction in TABLES.raw["$about"]["corrections"]:
        assert correction["source"].startswith("https://")
        if correction["change"] == "rejected_update added":
            short, path = correction["path"].split(" ")
            assert path in TABLES.raw[f"azure-native:{short}"]["rejected_update"]
        else:
            assert correction["path"] in TABLES.raw["$types"]


def test_the_look_ups_are_those_of_the_tables_and_two_more() -> None:
    others = {
        "azure-native:authorization:getClientConfig",
        "azure-native:storage:listStorageAccountKeys",
    }
    getters = {
        f"{token.rpartition(':')[0]}:get{token.rpartition(':')[2]}" for token in TABLES.tokens
    }

    assert set(INVOKES) == getters | others


@pytest.mark.parametrize(
    ("token", "made"),
    [
        ("network:VirtualNetwork", "random"),
        ("resources:ResourceGroup", "random"),
        ("storage:StorageAccount", "random"),
        ("consumption:Budget", "random"),
        ("network:Subnet", "copy"),
        ("storage:BlobContainer", "copy"),
        ("containerservice:AgentPool", "copy"),
        ("authorization:RoleAssignment", "uuid"),
    ],
)
def test_names_are_made_up_as_azure_native_does(token: str, made: str) -> None:
    rule = naming.naming(f"azure-native:{token}")
    assert rule is not None

    assert (rule.generation, rule.digits, rule.separator) == (made, 8, "")


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        (
            "/subscriptions/s/resourceGroups/g",
            ("/subscriptions/s", "Microsoft.Resources/resourceGroups", "g"),
        ),
        (
            "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n",
            (
                "/subscriptions/s/resourceGroups/g",
                "Microsoft.Network/virtualNetworks/subnets",
                "n",
            ),
        ),
        ("/subscriptions/s", None),
        ("Microsoft.Network/virtualNetworks/v", None),
        ("/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks", None),
        ("", None),
        ("//", None),
    ],
)
def test_ids_are_read_apart(text: str, parsed: tuple[Any, ...] | None) -> None:
    resource_id = ids.parse(text)

    assert (resource_id and (resource_id.scope, resource_id.type, resource_id.name)) == parsed

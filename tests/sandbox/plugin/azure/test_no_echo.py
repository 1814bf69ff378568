"""The plugin judges: an input missing, mistyped, misspelt, a reference broken, per type."""

import re
from typing import Any

import pytest

from gpuinfra.sandbox.plugin.azure import ids
from gpuinfra.sandbox.plugin.wire import from_wire
from tests.sandbox.plugin.azure.cases import Case
from tests.sandbox.plugin.azure.machine_cases import MACHINES
from tests.sandbox.plugin.azure.network_cases import NETWORKS
from tests.sandbox.plugin.azure.other_cases import GROUPLESS, OTHERS
from tests.sandbox.plugin.filling import filled

CASES = (*MACHINES, *NETWORKS, *OTHERS)
ALL = (*CASES, *GROUPLESS)


def name_of(case: Case) -> str:
    return case.token


def whole(case: Case) -> str:
    return f"azure-native:{case.token}"


def test_every_type_of_the_tables_has_a_case() -> None:
    assert {whole(case) for case in ALL} == set(ids.tables().tokens)


@pytest.mark.parametrize("case", ALL, ids=name_of)
def test_good_inputs_stand_and_are_read_back_unchanged(
    case: Case, azure: Any, town: dict[str, str]
) -> None:
    token = whole(case)
    inputs, failures = azure.check(token, filled(case.inputs, town), name="good")
    assert not failures
    resource_id, outputs = azure.create(token, filled(case.inputs, town), name="good")
    try:
        answer = azure.read(token, resource_id, "good", outputs=outputs, inputs=inputs)
        again = azure.diff(token, inputs, from_wire(answer.inputs))

        assert answer.id == resource_id
        assert list(again.diffs) == []
    finally:
        azure.delete(token, resource_id, outputs)
    gone = azure.read(token, resource_id, "good", outputs=outputs, inputs=inputs)
    assert gone.id == ""


@pytest.mark.parametrize("case", ALL, ids=name_of)
def test_ids_and_computed_outputs_look_like_azures(
    case: Case, azure: Any, town: dict[str, str]
) -> None:
    token = whole(case)
    kind = ids.tables().type(token)
    assert kind is not None
    resource_id, outputs = azure.create(token, filled(case.inputs, town), name="good")
    azure.delete(token, resource_id, outputs)

    form = re.sub(r"<\w+>", "[^<>]+", kind.id_form)
    known = ids.parse(resource_id)
    expected = {
        "name": known.name if known else "",
        "type": ids.api_type(token),
        "azureApiVersion": ids.tables().raw[token]["api_version"],
        "provisioningState": "Succeeded",
    }
    assert re.fullmatch(form, resource_id)
    for key in expected.keys() & set(kind.computed):
        assert outputs[key] == expected[key], key
    for key in {"etag", "eTag", "vmId", "resourceGuid", "principalId", "clientId"} & set(
        kind.computed
    ):
        assert outputs[key], key


@pytest.mark.parametrize("case", [case for case in ALL if case.required], ids=name_of)
def test_a_missing_required_input_is_refused(case: Case, azure: Any, town: dict[str, str]) -> None:
    inputs = filled(case.inputs, town)
    del inputs[case.required]

    _, failures = azure.check(whole(case), inputs)

    assert failures[case.required].startswith("missing required")


@pytest.mark.parametrize("case", ALL, ids=name_of)
def test_a_mistyped_input_is_refused(case: Case, azure: Any, town: dict[str, str]) -> None:
    key, value = case.mistyped

    _, failures = azure.check(whole(case), filled({**case.inputs, key: value}, town))

    assert failures
    assert all(path.startswith(key) for path in failures)
    assert any("expected" in reason for reason in failures.values())


@pytest.mark.parametrize("case", ALL, ids=name_of)
def test_an_unknown_input_is_refused_with_the_word_meant(
    case: Case, azure: Any, town: dict[str, str]
) -> None:
    key = next(iter(case.inputs))

    _, failures = azure.check(whole(case), filled({**case.inputs, f"{key}x": 1}, town))

    assert failures == {f"{key}x": f"unknown property '{key}x'; did you mean '{key}'? (sandbox)"}


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_broken_reference_is_refused_in_azures_words(
    case: Case, azure: Any, town: dict[str, str]
) -> None:
    key, value = case.broken

    refusal = azure.refusal(whole(case), filled({**case.inputs, key: value}, town))

    assert refusal.startswith(f"{case.code}: ")
    assert refusal.endswith("(sandbox)")


@pytest.mark.parametrize(
    "token", [token for token in ids.tables().tokens if ids.tables().raw[token]["inputs"]]
)
def test_a_value_outside_a_closed_list_is_refused_where_the_sdk_has_one(
    token: str, azure: Any
) -> None:
    kind = ids.tables().type(token)
    assert kind is not None
    closed = [key for key, prop in kind.inputs.items() if prop.enum and not prop.open]

    for key in closed:
        _, failures = azure.check(token, {key: "neither"})
        assert "is not one of" in failures[key]

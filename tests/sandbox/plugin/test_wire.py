from typing import Any

import pytest
from google.protobuf.struct_pb2 import Struct
from hypothesis import given
from hypothesis import strategies as st
from pulumi.runtime import rpc

from gpuinfra.sandbox.plugin.assets import is_asset
from gpuinfra.sandbox.plugin.wire import UNKNOWN, from_wire, has_unknown, to_wire

plain = st.recursive(
    st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), plain))
def test_plain_values_survive_the_way_there_and_back(values: dict[str, Any]) -> None:
    assert from_wire(to_wire(values)) == values


def test_unknowns_survive_and_are_found_anywhere() -> None:
    values = from_wire(to_wire({"a": [{"b": UNKNOWN}], "c": 1}))

    assert values["a"][0]["b"] is UNKNOWN
    assert has_unknown(values)
    assert not has_unknown(values["c"])


def test_the_marks_are_pulumis_own() -> None:
    message = Struct()
    message.update(
        {
            "unknown": rpc.UNKNOWN,
            "secret": {rpc._special_sig_key: rpc._special_secret_sig, "value": [1, 2]},
            "asset": {rpc._special_sig_key: rpc._special_asset_sig, "text": "x"},
            "output": {rpc._special_sig_key: rpc._special_output_value_sig},
            "resource": {rpc._special_sig_key: rpc._special_resource_sig, "urn": "u", "id": "i"},
        }
    )

    values = from_wire(message)

    assert values["unknown"] is UNKNOWN
    assert values["secret"] == [1, 2]
    assert is_asset(values["asset"])
    assert values["output"] is UNKNOWN
    assert values["resource"] == "i"


def test_secret_outputs_are_marked() -> None:
    message = to_wire({"value": "x", "name": "y"}, frozenset({"value"}))

    assert rpc.is_rpc_secret(rpc.deserialize_properties(message, True)["value"])
    assert message["name"] == "y"


def test_none_is_left_out() -> None:
    assert from_wire(to_wire({"a": None, "b": 1})) == {"b": 1}


def test_what_cannot_be_sent_says_so() -> None:
    with pytest.raises(TypeError, match="cannot send a set to the engine"):
        to_wire({"a": {1}})

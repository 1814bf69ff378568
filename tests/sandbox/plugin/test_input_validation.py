from typing import Any

import pytest

from gpuinfra.sandbox.plugin.input_validation import check
from gpuinfra.sandbox.plugin.schema import Schema
from gpuinfra.sandbox.plugin.wire import UNKNOWN, to_wire

TOKEN = "x:y/z:Z"
SCHEMA = Schema(
    {
        TOKEN: {
            "required": ["name"],
            "inputs": {
                "name": {"type": "string"},
                "count": {"type": "integer"},
                "share": {"type": "number"},
                "on": {"type": "boolean"},
                "tags": {"type": "map<string>"},
                "kind": {"type": "string", "enum": ["small", "large"]},
                "loose": {"type": "string", "enum": ["a"], "open": True},
                "kinds": {"type": "array<string>", "enum": ["small", "large"]},
                "policy": {"type": "string|object:Policy"},
                "rules": {"type": "array<object:Rule>"},
                "code": {"type": "asset"},
            },
            "immutable": [],
            "computed": [],
            "id": "z",
        },
        "$types": {
            "Policy": {"required": [], "properties": {"statement": {"type": "string"}}},
            "Rule": {"required": ["port"], "properties": {"port": {"type": "integer"}}},
        },
        "$enums": {},
    }
)


def reasons(**inputs: Any) -> dict[str, str]:
    kind = SCHEMA.type(TOKEN)
    assert kind is not None
    return {item.path: item.reason for item in check(SCHEMA, kind, {"name": "n", **inputs})}


@pytest.mark.parametrize(
    "inputs",
    [
        {"count": 3, "share": 3, "on": True},
        {"share": 0.5},
        {"tags": {"a": "b"}, "kind": "small", "loose": "anything"},
        {"kinds": ["small", "large"]},
        {"tags": {"a": None}},
        {"policy": "text"},
        {"policy": {"statement": "s"}},
        {"rules": [{"port": 1}]},
        {"rules": UNKNOWN},
        {"rules": [UNKNOWN, {"port": UNKNOWN}]},
        {"count": None},
        {"__defaults": ["name"]},
        {"code": {"4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17"}},
    ],
)
def test_good_inputs_pass(inputs: dict[str, Any]) -> None:
    assert reasons(**inputs) == {}


@pytest.mark.parametrize(
    ("inputs", "path", "reason"),
    [
        ({"count": "3"}, "count", "expected a whole number, got the string '3'"),
        ({"count": 1.5}, "count", "expected a whole number, got the number 1.5"),
        ({"count": True}, "count", "expected a whole number, got the boolean true"),
        ({"on": "true"}, "on", "expected a boolean, got the string 'true'"),
        ({"name": 1}, "name", "expected a string, got the number 1"),
        ({"name": None}, "name", "missing required property 'name'"),
        ({"tags": {"a/b": 1}}, 'tags["a/b"]', "expected a string, got the number 1"),
        ({"tags": ["a"]}, "tags", "expected a map of strings, got a list of 1"),
        ({"kinds": "small"}, "kinds", "expected a list of strings, got the string 'small'"),
        (
            {"kind": "smal"},
            "kind",
            "the string 'smal' is not one of 'small', 'large'; did you mean 'small'?",
        ),
        ({"kinds": ["small", "x"]}, "kinds[1]", "the string 'x' is not one of 'small', 'large'"),
        ({"policy": 1}, "policy", "expected a string or an object of Policy, got the number 1"),
        ({"policy": {"x": 1}}, "policy.x", "unknown property 'x'"),
        ({"rules": [{}]}, "rules[0].port", "missing required property 'port'"),
        (
            {"rules": [{"port": 1, "prt": 2}]},
            "rules[0].prt",
            "unknown property 'prt'; did you mean 'port'?",
        ),
        ({"code": "x"}, "code", "expected an asset or archive, got the string 'x'"),
        ({"nam": 1}, "nam", "unknown property 'nam'; did you mean 'name'?"),
    ],
)
def test_a_bad_input_is_named_with_what_was_expected(
    inputs: dict[str, Any], path: str, reason: str
) -> None:
    assert reasons(**inputs) == {path: reason}


def test_a_long_value_is_cut() -> None:
    [reason] = reasons(count="x" * 500).values()

    assert len(reason) < 120
    to_wire({"reason": reason})


def test_all_problems_are_said_at_once() -> None:
    assert len(reasons(count="a", on="b", other=1)) == 3

from typing import Any

import pytest

from gpuinfra.sandbox.plugin.numerals import convert_scalars
from gpuinfra.sandbox.plugin.schema import Schema

TOKEN = "x:y/z:Z"
SCHEMA = Schema(
    {
        TOKEN: {
            "required": [],
            "inputs": {
                "version": {"type": "string"},
                "count": {"type": "integer"},
                "share": {"type": "number"},
                "open": {"type": "boolean"},
                "either": {"type": "string|number"},
                "policy": {"type": "string|object:Rule"},
                "tags": {"type": "map<string>"},
                "rules": {"type": "array<object:Rule>"},
                "loose": {"type": "any"},
            },
            "immutable": [],
            "computed": [],
            "id": "z",
        },
        "$types": {
            "Rule": {"required": [], "properties": {"ports": {"type": "array<string>"}}},
        },
        "$enums": {},
    }
)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"version": 1.33}, {"version": "1.33"}),
        ({"version": -1}, {"version": "-1"}),
        ({"version": "1.33"}, {"version": "1.33"}),
        ({"version": True}, {"version": "true"}),
        ({"count": 3}, {"count": 3}),
        ({"count": "3"}, {"count": 3}),
        ({"count": "3.5"}, {"count": "3.5"}),
        ({"count": True}, {"count": True}),
        ({"share": "0.5"}, {"share": 0.5}),
        ({"share": "half"}, {"share": "half"}),
        ({"open": "false"}, {"open": False}),
        ({"open": "True"}, {"open": "True"}),
        ({"either": "3"}, {"either": "3"}),
        ({"tags": {"a": False}}, {"tags": {"a": "false"}}),
        ({"either": 3}, {"either": 3}),
        ({"loose": 3}, {"loose": 3}),
        ({"tags": {"a": 1}}, {"tags": {"a": "1"}}),
        ({"rules": [{"ports": ["22", 80]}]}, {"rules": [{"ports": ["22", "80"]}]}),
        ({"policy": {"ports": [80]}}, {"policy": {"ports": ["80"]}}),
        ({"unknown": 1, "tags": [1]}, {"unknown": 1, "tags": [1]}),
    ],
)
def test_scalars_become_what_is_expected_where_they_convert(
    given: dict[str, Any], taken: dict[str, Any]
) -> None:
    kind = SCHEMA.type(TOKEN)
    assert kind is not None

    assert convert_scalars(SCHEMA, kind, given) == taken

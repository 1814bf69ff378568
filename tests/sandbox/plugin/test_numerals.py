from typing import Any

import pytest

from gpuinfra.sandbox.plugin.numerals import as_text
from gpuinfra.sandbox.plugin.schema import Schema

TOKEN = "x:y/z:Z"
SCHEMA = Schema(
    {
        TOKEN: {
            "required": [],
            "inputs": {
                "version": {"type": "string"},
                "count": {"type": "integer"},
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
        ({"version": True}, {"version": True}),
        ({"count": 3}, {"count": 3}),
        ({"either": 3}, {"either": 3}),
        ({"loose": 3}, {"loose": 3}),
        ({"tags": {"a": 1}}, {"tags": {"a": "1"}}),
        ({"rules": [{"ports": ["22", 80]}]}, {"rules": [{"ports": ["22", "80"]}]}),
        ({"policy": {"ports": [80]}}, {"policy": {"ports": ["80"]}}),
        ({"unknown": 1, "tags": [1]}, {"unknown": 1, "tags": [1]}),
    ],
)
def test_numbers_become_text_where_a_string_is_expected(
    given: dict[str, Any], taken: dict[str, Any]
) -> None:
    kind = SCHEMA.type(TOKEN)
    assert kind is not None

    assert as_text(SCHEMA, kind, given) == taken

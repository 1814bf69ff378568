from typing import Any, Final

import pytest

from gpuinfra.engine.scaled_sizes import SCALE_SET, SETTING, scaled_sets
from gpuinfra.engine.stack_state import Snapshot

ID: Final = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/x/chat-group"
URN: Final = f"urn:pulumi:dev::shop::{SCALE_SET}::chat-group"


def entries(least: str, most: str, target: str = ID, **more: Any) -> list[dict[str, Any]]:
    capacity = {"minimum": least, "maximum": most, "default": least}
    setting = {"targetResourceUri": target, "profiles": [{"capacity": capacity}]}
    return [
        {"urn": URN, "type": SCALE_SET, "id": ID, **more},
        {"urn": f"urn:pulumi:dev::shop::{SETTING}::s", "type": SETTING, "inputs": setting},
    ]


@pytest.mark.parametrize("target", [ID, ID.lower()])
def test_a_set_that_a_setting_scales_is_read_before_an_update(target: str) -> None:
    assert scaled_sets(Snapshot({"resources": entries("1", "4", target)})) == [URN]


@pytest.mark.parametrize(
    "resources",
    [entries("2", "2"), entries("1", "4", f"{ID}2"), entries("1", "4", delete=True)],
    ids=["held at a size", "another set's setting", "going"],
)
def test_no_other_set_is(resources: list[dict[str, Any]]) -> None:
    assert scaled_sets(Snapshot({"resources": resources})) == []

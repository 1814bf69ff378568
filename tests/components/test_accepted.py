"""What the components register is what the provider's tables take, keys, types and values."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.components.program import deploy
from gpuinfra.sandbox.plugin.check import check
from gpuinfra.sandbox.plugin.schema import load

STACKS = Path(__file__).parents[2] / "stacks"


@pytest.mark.parametrize("name", sorted(one.parent.name for one in STACKS.glob("*/stack.yaml")))
def test_the_tables_have_nothing_to_say(record: Callable[..., Any], name: str) -> None:
    schema = load("aws")
    seen = record(lambda: deploy(STACKS / name))
    ours = [one for one in seen.resources if one.type.startswith("aws:")]
    kinds = {one.type: schema.type(one.type) for one in ours}
    assert None not in kinds.values()
    failures = {
        f"{one.name}.{failure.path}: {failure.reason}"
        for one in ours
        for failure in check(schema, kinds[one.type], one.inputs)
    }

    assert len(ours) > 40
    assert failures == set()

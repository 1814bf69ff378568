"""Every shipped stack passes its own check, offline: `tests/e2e` builds them."""

from pathlib import Path

import pytest

from gpuinfra import api

STACKS = Path(__file__).parents[2] / "stacks"


@pytest.mark.parametrize("name", sorted(path.parent.name for path in STACKS.glob("*/stack.yaml")))
def test_it_passes(name: str) -> None:
    checked = api.check(STACKS / name)

    assert checked.ok, [
        (finding.rule, finding.message)
        for finding in checked.verdict.findings
        if finding.outcome in {"violated", "not-knowable"}
    ]

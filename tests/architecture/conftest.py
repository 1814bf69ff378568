from pathlib import Path

import pytest

STACKS = Path(__file__).parents[2] / "stacks"


@pytest.fixture
def stacks() -> Path:
    return STACKS

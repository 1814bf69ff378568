from pathlib import Path

import pytest


@pytest.fixture
def stack_file() -> Path:
    return Path(__file__).parents[2] / "stacks" / "quickstart" / "stack.yaml"

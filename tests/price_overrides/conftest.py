from collections.abc import Callable
from pathlib import Path

import pytest

from gpuinfra.errors import InputError, Problem
from gpuinfra.price_overrides import prices
from gpuinfra.price_overrides.prices import OwnPrices

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a prices.yaml; `version: 1` is understood."""

    def to_file(text: str) -> Path:
        path = tmp_path / "prices.yaml"
        path.write_text(f"version: 1\n{text}")
        return path

    return to_file


@pytest.fixture
def own(write: Write) -> Callable[[str], OwnPrices]:
    """Reads prices from text."""
    return lambda text: prices.read_own_prices(write(text))


@pytest.fixture
def problems(write: Write) -> Callable[[str], tuple[Problem, ...]]:
    """What is wrong with prices."""

    def told(text: str) -> tuple[Problem, ...]:
        with pytest.raises(InputError) as refused:
            prices.read_own_prices(write(text))
        return refused.value.problems

    return told

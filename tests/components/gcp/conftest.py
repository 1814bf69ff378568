"""Programs for Google Cloud."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.components.mocked.gcp import PROVIDER

PROVIDER.load()


@pytest.fixture
def record(record: Callable[..., Any]) -> Callable[..., Any]:
    return partial(record, clouds=("gcp",))

"""Registers a stack file of a pool on AWS, once for all tests that read it."""

from collections.abc import Callable

import pytest

from tests.components.conftest import Record
from tests.components.serving_on_aws.stacks import Builds, registered


@pytest.fixture
def builds(record: Callable[..., Record]) -> Builds:
    return registered

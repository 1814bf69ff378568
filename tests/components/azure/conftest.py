"""Registers planned workloads of Azure without an engine, with what they show as outputs."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pulumi
import pytest

from tests.components.azure import workloads


def _shown(build: Callable[..., Any], record: Callable[..., Any], *args: Any, **more: Any) -> Any:
    def program() -> None:
        made = build(*args, **more)
        for key in made.__slots__:
            pulumi.export(key, getattr(made, key))

    return record(program, clouds=("azure-native",))


@pytest.fixture
def trained(record: Callable[..., Any]) -> Callable[..., Any]:
    return partial(_shown, workloads.training, record)


@pytest.fixture
def served(record: Callable[..., Any]) -> Callable[..., Any]:
    return partial(_shown, workloads.pool, record)


@pytest.fixture
def stored(record: Callable[..., Any]) -> Callable[..., Any]:
    return partial(_shown, workloads.bucket, record)

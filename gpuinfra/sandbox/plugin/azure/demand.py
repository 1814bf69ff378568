"""One demand on a resource's inputs, and how its check looks at them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.plugin.check import Failure
from gpuinfra.sandbox.plugin.wire import Unknown

Inputs = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AzureDemand:
    """A demand: the types it is made on, without the package, its check, and its source."""

    types: tuple[str, ...]
    check: Callable[[Inputs], Iterator[Failure]]
    source: str


def value_at(inputs: Inputs, path: str) -> Any:
    """The value at a dotted path; None where it is left out, Unknown where it is not known yet."""
    value: Any = inputs
    for step in path.split("."):
        if isinstance(value, Unknown):
            return value
        value = value.get(step) if isinstance(value, dict) else None
    return value


def items_at(inputs: Inputs, path: str) -> list[Any]:
    """The items of a list at a dotted path; none where it is left out or not known yet."""
    value = value_at(inputs, path)
    return value if isinstance(value, list) else []


def refused(path: str, code: str, message: str) -> Failure:
    """A failure in Azure's own words."""
    return Failure(path, f"{code}: {message}")

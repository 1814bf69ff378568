"""A requirement on a resource's inputs, and helpers for its check."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.plugin.contract import Inputs
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.wire import Unknown

Check = Callable[[Inputs], Iterator[Failure]]


@dataclass(frozen=True, slots=True)
class InputRequirement:
    """A requirement: the types without the package, the check, and the source."""

    types: tuple[str, ...]
    check: Check
    source: str


class InputRequirements(list[InputRequirement]):
    """The requirements in the order in which they are checked."""

    def register(self, types: tuple[str, ...], source: str) -> Callable[[Check], Check]:
        """Return a decorator that adds a check to the requirements of the types."""

        def add_check(check: Check) -> Check:
            self.append(InputRequirement(types, check, source))
            return check

        return add_check


def value_at(inputs: Inputs, path: str) -> Any:
    """Return the value at a dotted path; None if omitted, Unknown if not known yet."""
    value: Any = inputs
    for step in path.split("."):
        if isinstance(value, Unknown):
            return value
        value = value.get(step) if isinstance(value, dict) else None
    return value


def items_at(inputs: Inputs, path: str) -> list[Any]:
    """Return the items of a list at a dotted path; empty if omitted or not known yet."""
    value = value_at(inputs, path)
    return value if isinstance(value, list) else []


def failure_of(path: str, code: str, message: str) -> Failure:
    """Return a failure with Azure's code and message."""
    return Failure(path, f"{code}: {message}")

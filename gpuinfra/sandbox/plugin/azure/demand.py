"""One demand on a resource's inputs, and how its check looks at them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.plugin.check import Failure
from gpuinfra.sandbox.plugin.wire import Unknown

Inputs = Mapping[str, Any]
Check = Callable[[Inputs], Iterator[Failure]]


@dataclass(frozen=True, slots=True)
class AzureDemand:
    """A demand: the types it is made on, without the package, its check, and its source."""

    types: tuple[str, ...]
    check: Check
    source: str


class Demands(list[AzureDemand]):
    """What is demanded, in the order in which it is checked."""

    def of(self, types: tuple[str, ...], source: str) -> Callable[[Check], Check]:
        """Add the check below to what is demanded of the types."""

        def added(check: Check) -> Check:
            self.append(AzureDemand(types, check, source))
            return check

        return added


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

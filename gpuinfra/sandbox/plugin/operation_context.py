"""The context of a rule for one resource: its inputs, the cloud, the ledger."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.ledger import Record
from gpuinfra.sandbox.plugin.contract import Call


@dataclass(frozen=True)
class OperationContext:
    """An operation with its context.

    Attributes:
        records: all records of a type, whichever stack they belong to.
        in_moto: whether resources of a type live in moto.
    """

    call: Call
    records: Callable[[str], list[Record]]
    in_moto: Callable[[str], bool]

    def properties(self, token: str, key: str, value: Any) -> Mapping[str, Any] | None:
        """Return the outputs of the region's resource whose property has this value, or None."""
        for record in self.records(token):
            is_in_region = record.region in (self.call.region, "")
            if is_in_region and value in (
                record.properties.get(key),
                record.id if key == "id" else None,
            ):
                return record.properties
        return None


def values_at(inputs: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield every value at a path like ``a[].b``, each with its own path."""
    yield from _values(inputs, path.split("."), "")


def _values(value: Any, steps: list[str], at: str) -> Iterator[tuple[str, Any]]:
    if value is None:
        return
    if not steps:
        yield at, value
        return
    step, rest = steps[0], steps[1:]
    key = step.removesuffix("[]")
    inner = value.get(key) if isinstance(value, dict) else None
    path = f"{at}.{key}" if at else key
    if not step.endswith("[]"):
        yield from _values(inner, rest, path)
    elif isinstance(inner, list):
        for index, item in enumerate(inner):
            yield from _values(item, rest, f"{path}[{index}]")

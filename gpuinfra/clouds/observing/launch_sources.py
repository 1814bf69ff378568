"""The launch settings of one machine: resources that state inputs, the strongest first."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from gpuinfra.clouds.observing.index import Index, Targets
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import UNKNOWN, Resource
from gpuinfra.records import record

Value = TypeVar("Value")


@record(kw_only=False)
class LaunchSources:
    """The resources that state how a machine starts.

    Attributes:
        layers: a machine and the template below it, or the template alone.
        hidden: why a template that is referred to can't be read; empty when all is seen.
    """

    layers: tuple[Resource, ...]
    hidden: str = ""

    def get(self, key: str) -> Any:
        """Return an input of the strongest layer that has it; UNKNOWN where a hidden one may."""
        for layer in self.layers:
            value = layer.inputs.get(key)
            if value is not None:
                return value
        return UNKNOWN if self.hidden else None

    def stating_layer_and_value(self, key: str) -> tuple[Resource | None, Any]:
        """Return the layer that states an input, and its value."""
        for layer in self.layers:
            value = layer.inputs.get(key)
            if value is not None:
                return layer, value
        return None, UNKNOWN if self.hidden else None

    def memo(
        self, index: Index, key: str, owners: Sequence[Resource], find: Callable[[], Value]
    ) -> Value:
        """Return a result about a launch and its `owners`; see `Index.memo_of`."""
        return index.memo_of(key + self.hidden, (*owners, *self.layers), find)

    def targets(self, index: Index, key: str, kind: str, *path: str) -> Targets | None:
        """Return the targets of an input; None when it is not stated and none is hidden."""
        layer, value = self.stating_layer_and_value(key)
        if layer is None:
            return None if value is None else Targets(complete=False)
        value = at(value, *path) if isinstance(value, Mapping) else value
        return None if value is None else index.targets(layer, key, kind, value)

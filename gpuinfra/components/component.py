"""What all components do with what they have registered: it becomes outputs of their own."""

from dataclasses import fields
from typing import Any

import pulumi

from gpuinfra.components.usage import camel
from gpuinfra.graph import ResourceGraph


class BuiltComponent(pulumi.ComponentResource):
    """A component whose annotations name the outputs that it takes over from what it builds."""

    def _show(self, built: tuple[Any, ResourceGraph]) -> None:
        """Make the outputs of what `build` gives those of the component."""
        self.built, self.graph = built
        given = {field.name for field in fields(self.built)}
        names = (name for kind in reversed(type(self).__mro__) for name in _annotated(kind))
        self._names = [name for name in names if name in given]
        for name in self._names:
            setattr(self, name, getattr(self.built, name))
        self.register_outputs(self.shown())

    def shown(self) -> dict[str, pulumi.Output[str]]:
        """The outputs, as Pulumi spells them."""
        named = {camel(name): getattr(self, name) for name in self._names}
        return {name: value for name, value in named.items() if value is not None}


def _annotated(kind: type) -> dict[str, Any]:
    annotations: dict[str, Any] = vars(kind).get("__annotations__", {})
    return annotations

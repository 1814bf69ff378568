"""The base of all components, which exposes registered outputs as the component's own."""

from dataclasses import fields
from typing import Any

import pulumi

from gpuinfra.components.usage_inputs import camel
from gpuinfra.graph import ResourceGraph


class BuiltComponent(pulumi.ComponentResource):
    """A component whose annotations declare the outputs that it copies from its children."""

    def _show(self, built: tuple[Any, ResourceGraph]) -> None:
        """Set the outputs that `build` returns as outputs of the component."""
        self.built, self.graph = built
        field_names = {field.name for field in fields(self.built)}
        names = (name for kind in reversed(type(self).__mro__) for name in _annotations(kind))
        self._names = [name for name in names if name in field_names]
        for name in self._names:
            setattr(self, name, getattr(self.built, name))
        self.register_outputs(self.pulumi_outputs())

    def pulumi_outputs(self) -> dict[str, pulumi.Output[str]]:
        """Return the outputs, in Pulumi's spelling."""
        outputs = {camel(name): getattr(self, name) for name in self._names}
        return {name: value for name, value in outputs.items() if value is not None}


def _annotations(kind: type) -> dict[str, Any]:
    annotations: dict[str, Any] = vars(kind).get("__annotations__", {})
    return annotations

"""The provider, which builds the Python components on request of Pulumi's engine."""

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

import pulumi
from pulumi.provider import ConstructResult
from pulumi.provider.experimental.analyzer import ComponentDefinition, PropertyDefinition
from pulumi.provider.experimental.component import ComponentProvider
from pulumi.provider.experimental.schema import generate_schema

from gpuinfra import __version__
from gpuinfra.components.args import BucketArgs, PoolArgs, TrainingArgs
from gpuinfra.components.bucket import DataBucket
from gpuinfra.components.inference import InferencePool
from gpuinfra.components.messages import ProgramError
from gpuinfra.components.network import Network
from gpuinfra.components.runtime_values import is_output
from gpuinfra.components.training import TrainingCluster, TrainingNode
from gpuinfra.provider import descriptions
from gpuinfra.provider.inputs import inputs_of
from gpuinfra.similar_words import nearest

PACKAGE: Final = "gpuinfra"

ARGUMENTS: Final[Mapping[type[pulumi.ComponentResource], type]] = {
    TrainingNode: TrainingArgs,
    TrainingCluster: TrainingArgs,
    InferencePool: PoolArgs,
    DataBucket: BucketArgs,
}
"""The components of the package, each with the class of its arguments."""


class Components(ComponentProvider):
    """A provider of the components and their schema for the engine."""

    def __init__(self) -> None:
        super().__init__([*map(_component_class, ARGUMENTS)], PACKAGE, version=__version__)
        for kind in ARGUMENTS:
            _describe(self._component_defs[kind.__name__], kind)
        schema = generate_schema(
            PACKAGE, __version__, None, self._component_defs, self._type_defs, []
        )
        self.schema = json.dumps(schema.to_json())

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: Mapping[str, Any],
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """Build a component of the package.

        Raises:
            InputPropertiesError: its arguments are wrong; the engine shows it unchanged.
        """
        self.validate_resource_type(PACKAGE, resource_type)
        component = resource_type.rpartition(":")[2]
        definition = self._component_defs[component]
        arguments = self.map_inputs(_with_integers(inputs), definition)
        build: Any = self._components[component]
        try:
            built: pulumi.ComponentResource = build(name, arguments, options)
        except ProgramError as error:
            raise _pathless_error(str(error)) from None
        return ConstructResult(built.urn, self.get_state(built, definition))

    def map_input_properties(
        self,
        inputs: Mapping[str, Any],
        properties: dict[str, PropertyDefinition],
        mapping: dict[str, str],
        component_name: str,
        property_path: str,
    ) -> Any:
        """Return inputs in Python's spelling.

        Raises:
            InputPropertiesError: one is unknown, or comes too late to be looked into.
        """
        for name, value in inputs.items():
            path = f"{property_path}.{name}".removeprefix(".")
            if name not in properties:
                raise _unknown(path, nearest(name, properties))
            if properties[name].plain and is_output(value):
                raise _too_late(path)
        return super().map_input_properties(
            inputs, properties, mapping, component_name, property_path
        )


def _component_class(kind: type[pulumi.ComponentResource]) -> type[pulumi.ComponentResource]:
    """Return a component class that takes all of its arguments in one mapping."""
    arguments = ARGUMENTS[kind]
    names = {field.name for field in fields(arguments)}

    def build(self: Any, name: str, args: dict[str, Any], opts: Any = None) -> None:
        resource_arguments = {key: value for key, value in args.items() if key not in names}
        if "network" in resource_arguments:
            resource_arguments["network"] = Network(**resource_arguments["network"])
        component_args = arguments(**{key: value for key, value in args.items() if key in names})
        kind.__init__(self, name, component_args, opts=opts, **resource_arguments)  # pyright: ignore[reportArgumentType]

    build.__annotations__["args"] = inputs_of(kind, arguments)
    return type(kind.__name__, (kind,), {"__init__": build, "__module__": __name__})


def _describe(definition: ComponentDefinition, kind: type[pulumi.ComponentResource]) -> None:
    """Set the descriptions of a component definition from its docstrings."""
    definition.description = descriptions.summary(kind)
    inputs = {**descriptions.inputs(kind), **descriptions.inputs(ARGUMENTS[kind])}
    for name, property_ in definition.inputs.items():
        property_.description = inputs[definition.inputs_mapping[name]]
    outputs = descriptions.outputs(kind)
    for name, property_ in definition.outputs.items():
        property_.description = outputs.get(definition.outputs_mapping[name])


def _with_integers(value: Any) -> Any:
    """Return a value with whole numbers as int, since the engine sends floats."""
    if isinstance(value, Mapping):
        return {key: _with_integers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_integers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _unknown(path: str, suggestion: str) -> pulumi.InputPropertiesError:
    return _pathless_error(
        f"unknown input {path}{f'; did you mean {suggestion}?' if suggestion else ''}"
    )


def _too_late(path: str) -> pulumi.InputPropertiesError:
    return _pathless_error(
        f"{path} is needed before anything is built, and it is a secret or an output, known only "
        "then; write the value itself"
    )


def _pathless_error(message: str) -> pulumi.InputPropertiesError:
    """Return an error without an input path, since the engine would print secret values."""
    return pulumi.InputPropertiesError(message, [])

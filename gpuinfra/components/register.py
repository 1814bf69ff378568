"""The registration of a declared graph with Pulumi, the same for all clouds.

Children are instances of the provider SDK's own classes, found by type token and imported on
first use; expressions become outputs. Raw registration would lose the SDK's type aliases, typed
outputs and secret outputs, and the snake_case names that callers' transformations see.
"""

import importlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from types import MappingProxyType
from typing import Any, Final, TypeVar

import pulumi
from pulumi._types import (
    input_type_py_to_pulumi_names,
    is_output_type,
    output_type_to_dict,
    resource_pulumi_to_py_names,
)
from pulumi.runtime import rpc
from pulumi.stash import Stash

from gpuinfra.clouds import SDKS, cloud_of
from gpuinfra.clouds.declaring.inputs import NOW, ORGANIZATION, PROJECT, STACK
from gpuinfra.components.messages import show_plain_errors
from gpuinfra.errors import InputError
from gpuinfra.graph import (
    STASH,
    Archive,
    ComputedValue,
    Expression,
    Lookup,
    Options,
    Ref,
    Resource,
    ResourceGraph,
    RuntimeInput,
    Secret,
    map_expressions,
)

EMPTY: Final[Mapping[str, Any]] = MappingProxyType({})

Value = TypeVar("Value")


@cache
def class_of(token: str) -> type[pulumi.CustomResource]:
    """Return the SDK's class of a resource type; the SDK is imported on first use."""
    package, module, _ = token.split(":")
    if token == STASH:
        return Stash
    _load(package)
    modules: list[Any] = rpc._RESOURCE_MODULES[f"{package}:{module}"]  # noqa: SLF001
    (info,) = (loaded.mod_info for loaded in modules if token in loaded.mod_info["classes"])
    kind: type[pulumi.CustomResource] = getattr(
        importlib.import_module(info["fqn"]), info["classes"][token]
    )
    return kind


def _load(package: str) -> None:
    """Import the SDK of a provider.

    Raises:
        InputError: it is not installed.
    """
    try:
        importlib.import_module(SDKS[package])
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("pulumi"):
            raise
        cloud = cloud_of(f"{package}:") or package
        raise InputError.of(
            f"the Python package {error.name}, which builds on {cloud}, is not installed",
            value=cloud,
            fix=f"pip install 'gpuinfra[{cloud}]'",
        ) from error


@cache
def arguments_class(token: str) -> type:
    """Return the SDK's class of a resource's arguments.

    Its name is not always the resource's with Args behind it: where a nested type has that name,
    it is another (BucketVersioningInitArgs).
    """
    module = importlib.import_module(class_of(token).__module__)
    (name,) = (export for export in module.__all__ if export.endswith("Args"))
    class_: type = getattr(module, name)
    return class_


@cache
def python_names(token: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return a resource's arguments and its outputs in Python's spelling, by the provider's."""
    if token == STASH:
        return {}, {}
    names = input_type_py_to_pulumi_names(arguments_class(token))
    return (
        {camel: snake for snake, camel in names.items()},
        resource_pulumi_to_py_names(class_of(token)),
    )


def register(
    graph: ResourceGraph, parents: Mapping[str, pulumi.Resource], runtime_values: Mapping[str, Any]
) -> "RegisteredResources":
    """Register the resources of a graph, in its order.

    Args:
        graph: what is declared.
        parents: the components by key, registered already.
        runtime_values: by the names of the graph's `RuntimeInput`; those of the run itself are
            added.
    """
    registered = RegisteredResources(parents, {**_run_configuration(), **runtime_values})
    registered.add_all(graph)
    return registered


def _run_configuration() -> dict[str, str]:
    return {
        ORGANIZATION.name: pulumi.get_organization() or "",
        PROJECT.name: pulumi.get_project(),
        STACK.name: pulumi.get_stack(),
        NOW.name: _now().isoformat(timespec="seconds"),
    }


def _now() -> datetime:
    return datetime.now(UTC)


class RegisteredResources:
    """The registered resources of a graph, by key, and the run-time values of expressions.

    Args:
        parents: the components.
        given: run-time values by name.
    """

    def __init__(
        self, parents: Mapping[str, pulumi.Resource], runtime_values: Mapping[str, Any]
    ) -> None:
        self.resources: dict[str, pulumi.Resource] = dict(parents)
        self._warned = 0
        self._types: dict[str, str] = {}
        self._runtime_inputs = dict(runtime_values)
        self._outputs: dict[tuple[str, str], pulumi.Output[Any]] = {}
        self._lookups: dict[tuple[str, str, pulumi.Resource], pulumi.Output[Any]] = {}
        self._parent: pulumi.Resource = next(iter(parents.values()))

    def add_all(self, graph: ResourceGraph, runtime_values: Mapping[str, Any] = EMPTY) -> None:
        """Register a graph's resources that are not registered yet, with more run-time values."""
        self._runtime_inputs |= runtime_values
        for warning in graph.warnings[self._warned :]:
            pulumi.log.warn(warning, self._parent)
        self._warned = len(graph.warnings)
        for resource in graph.resources.values():
            if resource.key not in self.resources:
                self._add(resource)

    def _add(self, resource: Resource) -> None:
        if resource.parent is not None:
            self._parent = self.resources[resource.parent]
        self._types[resource.key] = resource.type
        arguments, _ = python_names(resource.type)
        inputs = {
            arguments.get(key, key): self.value(value) for key, value in resource.inputs.items()
        }
        kind: Callable[..., pulumi.CustomResource] = class_of(resource.type)
        self.resources[resource.key] = kind(
            resource.name, opts=self._options(resource.options), **inputs
        )

    def value(self, value: Any) -> Any:
        """Return a declared value as a Pulumi input."""
        return map_expressions(value, self._resolve_value)

    def output(self, value: Any) -> pulumi.Output[Any]:
        """Return a declared value as an output."""
        return pulumi.Output.from_input(self.value(value))

    def _options(self, options: Options) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(
            parent=self._parent,
            depends_on=[self.resources[key] for key in options.depends_on] or None,
            deleted_with=self.resources.get(options.deleted_with or ""),
            delete_before_replace=options.delete_before_replace or None,
            ignore_changes=list(options.ignore_changes) or None,
            replace_on_changes=list(options.replace_on_changes) or None,
            replacement_trigger=None
            if options.replacement_trigger is None
            else self.value(options.replacement_trigger),
            aliases=[pulumi.Alias(name=former_name) for former_name in options.former_names]
            or None,
            protect=options.protect,
            retain_on_delete=options.retain_on_delete or None,
            custom_timeouts=pulumi.CustomTimeouts(**dict(options.timeouts))
            if options.timeouts
            else None,
        )

    def _resolve_value(self, expression: Expression) -> Any:
        if isinstance(expression, Ref):
            return self._referenced_output(expression)
        if isinstance(expression, RuntimeInput):
            return self._runtime_inputs[expression.name]
        if isinstance(expression, Lookup):
            return self._looked_up(expression)
        if isinstance(expression, ComputedValue):
            return self._computed_output(expression)
        if isinstance(expression, Secret):
            return pulumi.Output.secret(self.value(expression.value))
        if isinstance(expression, Archive):
            files = expression.files
            return pulumi.AssetArchive({name: pulumi.StringAsset(files[name]) for name in files})
        raise TypeError(f"not an expression of a graph: {expression!r}")

    def _referenced_output(self, ref: Ref) -> pulumi.Output[Any]:
        """Return an output of a resource, cached, since each new output costs Pulumi time."""
        key = (ref.key, ref.output)
        if key not in self._outputs:
            _, outputs = python_names(self._types[ref.key])
            output = getattr(self.resources[ref.key], outputs.get(ref.output, ref.output))
            self._outputs[key] = output.apply(_provider_spelling)
        return self._outputs[key]

    def _computed_output(self, expression: ComputedValue) -> pulumi.Output[Any]:
        arguments = [self.value(argument) for argument in expression.arguments]
        return pulumi.Output.all(*arguments).apply(
            lambda known_arguments: _call_with_plain_errors(
                lambda: expression.function(*known_arguments)
            )
        )

    def _looked_up(self, lookup: Lookup) -> pulumi.Output[Any]:
        """Return the result of a provider's function, called once per component and arguments."""
        key = (lookup.token, repr(lookup.arguments), self._parent)
        if key not in self._lookups:
            package = lookup.token.partition(":")[0]
            self._lookups[key] = pulumi.runtime.invoke_output(
                lookup.token,
                self.value(lookup.arguments),
                pulumi.InvokeOptions(parent=self._parent, version=_version(package)),
            )
        answer = self._lookups[key]
        if lookup.public:
            answer = pulumi.Output.unsecret(answer)
        return (
            answer.apply(lambda looked_up_values: (looked_up_values or {}).get(lookup.output))
            if lookup.output
            else answer
        )


@cache
def _version(package: str) -> str:
    return version(SDKS[package].replace("_", "-"))


def _provider_spelling(value: Any) -> Any:
    """Return a known value with the SDK's output classes as mappings in the provider's spelling.

    Each output by itself: `Output.all` makes mappings of these classes in Python's spelling.
    """
    if is_output_type(type(value)):
        value = output_type_to_dict(value)
    if isinstance(value, Mapping):
        return {key: _provider_spelling(nested_value) for key, nested_value in value.items()}
    return (
        [_provider_spelling(nested_value) for nested_value in value]
        if isinstance(value, list)
        else value
    )


def _call_with_plain_errors(function: Callable[[], Value]) -> Value:
    """Return a function's result; the engine shows its input errors without a traceback."""
    with show_plain_errors():
        return function()

"""Declared resources, their options, and their graph."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from gpuinfra.graph.expressions import (
    Expression,
    Ref,
    RuntimeInput,
    changed_within,
    expressions,
    map_expressions,
)
from gpuinfra.records import record

STASH: Final = "pulumi:index:Stash"
"""The engine's own resource that keeps a value in the state."""


@record
class Options:
    """The engine's options of a resource, which name other resources by their keys.

    Attributes:
        depends_on: are created before this one, and are deleted after it.
        deleted_with: need not be deleted when that resource is.
        replacement_trigger: values whose change replaces the resource.
        timeouts: create, update and delete, for example 10m.
        former_names: the logical names that it had: existing resources with one of them stay.
    """

    depends_on: tuple[str, ...] = ()
    deleted_with: str | None = None
    delete_before_replace: bool = False
    ignore_changes: tuple[str, ...] = ()
    replace_on_changes: tuple[str, ...] = ()
    replacement_trigger: tuple[Any, ...] | None = None
    protect: bool | None = None
    retain_on_delete: bool = False
    timeouts: Mapping[str, str] = field(default_factory=dict)
    former_names: tuple[str, ...] = ()


NO_OPTIONS: Final = Options()


@record(kw_only=False)
class Resource:
    """A declared resource.

    Attributes:
        key: its address in the graph: component/child, for example training.trainer/group.
        type: the provider's type token.
        name: the logical name in Pulumi, which never changes without an alias.
        inputs: in the provider's own spelling; may hold expressions.
        parent: the key of its component; None for a component.
        options: for the engine.
    """

    key: str
    type: str
    name: str
    inputs: Mapping[str, Any]
    parent: str | None = None
    options: Options = NO_OPTIONS

    def __getitem__(self, output: str) -> Ref:
        return Ref(self.key, output)

    @property
    def child(self) -> str:
        """The name of a child within its component."""
        return self.key.partition("/")[2]


@dataclass(slots=True)
class ResourceGraph:
    """Resources by key, in the order of registration: each after those that it refers to.

    Attributes:
        resources: by key.
        outputs: what a component gives to others, by its key; a dataclass of values.
        warnings: the warnings shown when the graph is registered.
    """

    resources: dict[str, Resource] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def add(self, resource: Resource) -> Resource:
        """Add a resource.

        Raises:
            ValueError: its key is taken, or it refers to a resource that is not there yet.
        """
        if resource.key in self.resources:
            raise ValueError(f"two resources have the key {resource.key}")
        for key in references(resource):
            if key not in self.resources:
                raise ValueError(
                    f"{resource.key} refers to {key}, which is not declared before it"
                )
        self.resources[resource.key] = resource
        return resource

    def extend(self, other: "ResourceGraph") -> None:
        """Add another graph after this one; its references must already resolve.

        Raises:
            ValueError: both have a resource of the same key.
        """
        if both := other.resources.keys() & self.resources.keys():
            raise ValueError(f"two resources have the key {min(both)}")
        self.resources |= other.resources
        self.outputs |= other.outputs
        self.warnings += other.warnings

    def children(self, component: str) -> Iterator[Resource]:
        """Return the resources of a component."""
        return (resource for resource in self.resources.values() if resource.parent == component)

    def with_runtime_values(self, runtime_values: Mapping[str, Any]) -> "ResourceGraph":
        """Return the graph with the given run-time values filled in."""

        def fill(expression: Expression) -> Any:
            if isinstance(expression, RuntimeInput):
                return runtime_values.get(expression.name, expression)
            return changed_within(expression, fill)

        resources = {
            key: replace(resource, inputs=map_expressions(resource.inputs, fill))
            for key, resource in self.resources.items()
        }
        return ResourceGraph(resources, dict(self.outputs), list(self.warnings))


def references(resource: Resource) -> tuple[str, ...]:
    """Return the keys of the resources that a resource refers to or depends on, each once."""
    keys = [
        expression.key
        for expression in expressions(resource.inputs)
        if isinstance(expression, Ref)
    ]
    options = resource.options
    keys += options.depends_on
    keys += [options.deleted_with] if options.deleted_with else []
    return tuple(dict.fromkeys(keys))


def to_json(graph: ResourceGraph) -> list[dict[str, Any]]:
    """Return the graph as JSON values, with expressions as text."""
    return [
        {
            "key": resource.key,
            "type": resource.type,
            "name": resource.name,
            **({"parent": resource.parent} if resource.parent else {}),
            "inputs": map_expressions(resource.inputs, str),
            **_options(resource.options),
        }
        for resource in graph.resources.values()
    ]


def _options(options: Options) -> dict[str, Any]:
    values = {name: getattr(options, name) for name in Options.__dataclass_fields__}
    stated_options = {name: value for name, value in values.items() if value}
    return {"options": map_expressions(stated_options, str)} if stated_options else {}

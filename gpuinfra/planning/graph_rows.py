"""A declared graph as observable rows, with symbols for values that only the cloud provides."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from gpuinfra.clouds import region_of
from gpuinfra.graph import (
    STASH,
    ComputedValue,
    Expression,
    Lookup,
    Ref,
    ResourceGraph,
    Secret,
    Symbol,
    expressions,
    map_expressions,
)
from gpuinfra.graph import Resource as Declared
from gpuinfra.model import UNKNOWN, Resource

_ALWAYS: Final = ("id", "arn", "name")
"""Outputs by which other resources are told apart, whether or not anything refers to them."""


def rows(graph: ResourceGraph) -> tuple[Resource, ...]:
    """Return the resources of a graph, as a preview would show them.

    A reference to an input that is declared is that input; any other output of a resource is a
    symbol, which the resource's own row shows as its output. What the caller passes at run time,
    what only a provider's function answers, and what was kept in the state is unknown.
    """
    return tuple(_Rows(graph).all_resources())


class _Rows:
    def __init__(self, graph: ResourceGraph) -> None:
        self.resources = graph.resources
        self.urns: dict[str, str] = {}
        self.referenced: dict[str, set[str]] = {}
        self.relations: dict[str, dict[str, tuple[str, ...]]] = {}
        for resource in graph.resources.values():
            self.urns[resource.key] = self._urn(resource)
            refs = dict(_refs(resource))
            self.relations[resource.key] = {
                key: tuple(dict.fromkeys(self.urns[ref.key] for ref in to))
                for key, to in refs.items()
            }
            for ref in chain.from_iterable(refs.values()):
                self.referenced.setdefault(ref.key, set()).add(ref.output)

    def all_resources(self) -> Iterator[Resource]:
        for resource in self.resources.values():
            inputs = {
                key: map_expressions(value, self.value) for key, value in resource.inputs.items()
            }
            region = region_of(resource.type, inputs)
            yield Resource(
                urn=self.urns[resource.key],
                type=resource.type,
                name=resource.name,
                inputs=inputs,
                outputs=self._outputs(resource, inputs),
                relations=self.relations[resource.key],
                parent=self.urns[resource.parent] if resource.parent else None,
                region=None if region is UNKNOWN else region,
                custom=not _is_component(resource),
            )

    def _urn(self, resource: Declared) -> str:
        parent_type = self.urns[resource.parent].split("::")[2] if resource.parent else ""
        path = f"{parent_type}${resource.type}" if parent_type else resource.type
        return f"urn:pulumi:stack::project::{path}::{resource.name}"

    def _outputs(self, resource: Declared, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the symbols that others refer to; a component has no outputs of its own."""
        if _is_component(resource):
            return {}
        names = (*_ALWAYS, *sorted(self.referenced.get(resource.key, ())))
        return {
            name: Symbol(resource[name])
            for name in dict.fromkeys(names)
            if not isinstance(inputs.get(name), str)
        }

    def value(self, expression: Expression) -> Any:
        """Return the value of an expression, as far as it is known before anything exists."""
        if isinstance(expression, Ref):
            return self._output(expression)
        if isinstance(expression, Lookup):
            return UNKNOWN if expression.known_value is None else expression.known_value
        if isinstance(expression, Secret):
            return map_expressions(expression.value, self.value)
        if isinstance(expression, ComputedValue) and expression.known_value is not None:
            return map_expressions(expression.known_value, self.value)
        if isinstance(expression, ComputedValue) and expression.symbolic:
            return expression.function(
                *map_expressions(expression.arguments, self._value_or_symbol)
            )
        return UNKNOWN

    def _output(self, ref: Ref) -> Any:
        target = self.resources[ref.key]
        if target.type == STASH:
            return UNKNOWN
        plain_value = map_expressions(target.inputs.get(ref.output), self.value)
        if isinstance(plain_value, str | bool | int | float):
            return plain_value
        return Symbol(ref)

    def _value_or_symbol(self, expression: Expression) -> Any:
        """Return a value inside of a text or a document, as a symbol where it is unknown."""
        plain_value = self.value(expression)
        return Symbol(expression) if plain_value is UNKNOWN else plain_value


def _refs(resource: Declared) -> Iterator[tuple[str, list[Ref]]]:
    """Yield the references of each input."""
    for key, value in resource.inputs.items():
        if to := [expression for expression in expressions(value) if isinstance(expression, Ref)]:
            yield key, to


def _is_component(resource: Declared) -> bool:
    return resource.type.startswith("gpuinfra:")

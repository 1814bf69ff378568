"""What may be broken in a declared graph: fields, numbers, words, dependencies, resources."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from gpuinfra.graph import (
    ComputedValue,
    Expression,
    Lookup,
    Ref,
    Resource,
    ResourceGraph,
    Secret,
    Symbol,
    expressions,
    map_expressions,
)
from tests.reachable import reachable

Step = str | int
Path = tuple[Step, ...]
Change = Callable[[Any], Any]

GONE: Final = "gone"
"""Stands for a removed resource inside of a text or a document."""

ARGUMENTS: Final = "()"
DOCUMENT: Final = "{}"
"""Steps of a path into an expression's arguments, and into a document that is written as text."""

_ENUM: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]{1,39}")
_LISTED: Final = re.compile(r"[A-Za-z][A-Za-z_-]{1,39}")
"""Words that may be one out of a list."""

_DROP: Final = object()


@dataclass(frozen=True, slots=True)
class Mutant:
    """A graph with one thing broken.

    Attributes:
        key: the resource's key.
        child: its name within its component, without numbers and names of workloads; the
            type's where it has none.
        type: its type token.
        kind: of mutation.
        field: the path of the changed input, without positions; empty for the resource.
        change: what was done, in words.
        graph: returns the changed graph.
        was: the word that stood there, of one out of a list; empty for other values.
    """

    key: str
    child: str
    type: str
    kind: str
    field: str
    change: str
    graph: Callable[[], ResourceGraph]
    was: str = ""

    @property
    def cloud(self) -> str:
        """The provider's package."""
        return self.type.partition(":")[0]

    @property
    def sort(self) -> tuple[str, ...]:
        """What equal mutants of other workloads share."""
        return (self.type, self.child, self.kind, self.field, self.change, self.was)


def mutants_of(graph: ResourceGraph) -> Iterator[Mutant]:
    """Every mutant of a graph, in its order; components have nothing to break."""
    of_stack = _OfStack(graph)
    for resource in graph.resources.values():
        if not resource.type.startswith("gpuinfra:"):
            yield from of_stack.inputs(resource)
            yield from of_stack.options(resource)
            yield of_stack.mutant(resource, "removed", (), "", _removed(graph, resource))


class _OfStack:
    """The mutants of one stack, whose names are no difference between two resources."""

    def __init__(self, graph: ResourceGraph) -> None:
        names = {key.partition(".")[2] for key in graph.resources if "/" not in key} - {""}
        longest = sorted(map(re.escape, names), key=len, reverse=True)
        self._names = re.compile(rf"(?<![a-z0-9])(?:{'|'.join(longest or ['$^'])})(?![a-z0-9])")
        self._graph = graph
        self._known: dict[str, frozenset[str]] = {}

    def _before(self, key: str) -> frozenset[str]:
        """What stands before a resource."""
        if key not in self._known:
            self._known[key] = reachable(self._graph, key)
        return self._known[key]

    def plain(self, words: str) -> str:
        """Words without numbers and without the names of workloads and buckets."""
        return re.sub(r"\d+", "N", self._names.sub("NAME", words))

    def mutant(
        self,
        resource: Resource,
        kind: str,
        path: Path,
        change: str,
        graph: Callable[[], ResourceGraph],
        was: str = "",
    ) -> Mutant:
        """One mutant."""
        child = self.plain(resource.child or resource.key.partition(".")[0])
        field = ".".join(part for part in path if isinstance(part, str))
        return Mutant(resource.key, child, resource.type, kind, field, change, graph, was)

    def inputs(self, resource: Resource) -> Iterator[Mutant]:
        """Inputs that are broken; of words it is told which, as each may be judged otherwise."""
        for path, value in _places(resource.inputs):
            was = self.plain(value) if type(value) is str and _LISTED.fullmatch(value) else ""
            if DOCUMENT in path or ARGUMENTS in path:
                was = ""
            for kind, words, change in _changes(path, value):
                graph = _changed_later(self._graph, resource, path, change)
                yield self.mutant(resource, kind, path, words, graph, was)

    def options(self, resource: Resource) -> Iterator[Mutant]:
        """A dependency less; one that others imply is no loss, and is left alone."""
        named = {
            expression.key
            for expression in expressions(resource.inputs)
            if isinstance(expression, Ref)
        }
        for key in resource.options.depends_on:
            others = named.union(resource.options.depends_on) - ({key} - named)
            if key not in others and all(key not in self._before(other) for other in others):
                change = self.plain(key.partition("/")[2] or key)
                graph = _undepended(self._graph, resource, key)
                yield self.mutant(resource, "undepended", (), change, graph)


def _changed_later(
    graph: ResourceGraph, resource: Resource, path: Path, change: Change
) -> Callable[[], ResourceGraph]:
    def changed() -> ResourceGraph:
        inputs = _at(resource.inputs, path, change)
        return _with(graph, replace(resource, inputs=inputs))

    return changed


def _places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value below a value, with its path."""
    if path:
        yield path, value
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _places(item, (*path, str(key)))
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for index, item in enumerate(value):
            yield from _places(item, (*path, index))
    elif isinstance(value, ComputedValue) and value.symbolic:
        yield from _inside(value.arguments, (*path, ARGUMENTS))
    elif (document := _document(value)) is not None:
        yield from _inside(document, (*path, DOCUMENT))


def _inside(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    return (place for place in _places(value, path) if place[0] != path)


def _document(value: Any) -> Any:
    """What a text of JSON holds; None for other text."""
    if type(value) is not str or not value.startswith(("{", "[")):
        return None
    try:
        return json.loads(value)
    except ValueError:
        return None


def _changes(path: Path, value: Any) -> Iterator[tuple[str, str, Change]]:
    if isinstance(path[-1], str):
        yield "dropped", "", lambda _: _DROP
    if isinstance(value, bool):
        yield "flipped", str(not value), lambda was: not was
    elif isinstance(value, int | float):
        for words, change in _numbers(value):
            yield "number", words, change
    elif type(value) is str and _ENUM.fullmatch(value):
        yield "misspelt", "", lambda was: f"{was[:-1]}{'q' if was[-1] != 'q' else 'x'}"


def _numbers(value: float) -> Iterator[tuple[str, Change]]:
    yield "+1", lambda was: was + 1
    if value:
        yield "-1", lambda was: was - 1
    if abs(value) > 1:
        yield "x2", lambda was: was * 2


def _at(value: Any, path: Path, change: Change) -> Any:
    """A value with what stands at a path changed."""
    if not path:
        return change(value)
    first, *rest = path
    if first == ARGUMENTS:
        return replace(value, arguments=tuple(_at(value.arguments, tuple(rest), change)))
    if first == DOCUMENT:
        return json.dumps(_at(json.loads(value), tuple(rest), change))
    if isinstance(first, int):
        return [
            _at(item, tuple(rest), change) if index == first else item
            for index, item in enumerate(value)
        ]
    changed_items = {
        key: _at(item, tuple(rest), change) if str(key) == first else item
        for key, item in value.items()
    }
    return {key: item for key, item in changed_items.items() if item is not _DROP}


def _with(graph: ResourceGraph, resource: Resource) -> ResourceGraph:
    return ResourceGraph({**graph.resources, resource.key: resource}, graph.outputs)


def _undepended(graph: ResourceGraph, resource: Resource, key: str) -> Callable[[], ResourceGraph]:
    def changed() -> ResourceGraph:
        left = tuple(dependency for dependency in resource.options.depends_on if dependency != key)
        options = replace(resource.options, depends_on=left)
        return _with(graph, replace(resource, options=options))

    return changed


def _removed(graph: ResourceGraph, resource: Resource) -> Callable[[], ResourceGraph]:
    def changed() -> ResourceGraph:
        left = {
            key: _without(other, resource.key)
            for key, other in graph.resources.items()
            if key != resource.key
        }
        return ResourceGraph(left, graph.outputs)

    return changed


def _without(resource: Resource, key: str) -> Resource:
    """A resource that no longer refers to another, nor depends on it."""
    options = resource.options
    if key in options.depends_on or options.deleted_with == key:
        after = tuple(dependency for dependency in options.depends_on if dependency != key)
        holder = None if options.deleted_with == key else options.deleted_with
        options = replace(options, depends_on=after, deleted_with=holder)
    named = (
        expression for expression in expressions(resource.inputs) if isinstance(expression, Ref)
    )
    if all(reference.key != key for reference in named):
        return replace(resource, options=options)
    return replace(resource, inputs=_stripped(resource.inputs, key), options=options)


def _stripped(value: Any, key: str) -> Any:
    """A value without references to a resource: dropped, or plain inside of an expression."""
    if isinstance(value, Mapping):
        kept = {name: item for name, item in value.items() if not _is(item, key)}
        return {name: _stripped(item, key) for name, item in kept.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_stripped(item, key) for item in value if not _is(item, key)]
    return _plain(value, key) if isinstance(value, Expression) else value


def _is(value: Any, key: str) -> bool:
    return isinstance(value, Ref) and value.key == key


def _plain(expression: Expression, key: str) -> Any:
    def plain(expression: Expression) -> Any:
        return _plain(expression, key)

    if _is(expression, key):
        return Symbol(GONE)
    if isinstance(expression, ComputedValue):
        arguments = tuple(map_expressions(expression.arguments, plain))
        return replace(
            expression,
            arguments=arguments,
            known_value=map_expressions(expression.known_value, plain),
        )
    if isinstance(expression, Secret):
        return replace(expression, value=map_expressions(expression.value, plain))
    if isinstance(expression, Lookup):
        return replace(expression, arguments=map_expressions(expression.arguments, plain))
    return expression

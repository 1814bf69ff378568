"""What is declared against what reached the engine: every resource, input, relation and option."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gpuinfra.graph import Expression, Options, Ref, Resource, ResourceGraph, expressions
from gpuinfra.graph import RuntimeInput as GivenValue

Called = tuple[str, str, str]
"""The parent's name, the type and the name of a resource."""


def complaints(
    graph: ResourceGraph,
    parents: Mapping[str, str],
    registered: Mapping[Called, Any],
    beside: Iterable[ResourceGraph] = (),
) -> Iterator[str]:
    """Yield what of a declared graph is not what the engine got.

    Args:
        graph: what is declared.
        parents: the names of the components by key, whose own inputs are their programs'.
        registered: what the engine got.
        beside: the other graphs of the program, whose resources it may stand after.
    """
    names = {
        key: resource.name for each in (*beside, graph) for key, resource in each.resources.items()
    }
    called = {
        key: (_parent(graph, resource, parents), resource.type, resource.name)
        for key, resource in graph.resources.items()
    }
    by_urn = {key.urn: names for names, key in registered.items()}
    for key, resource in graph.resources.items():
        if key in parents:
            continue
        made = registered.get(called[key])
        if made is None:
            yield f"{key} was not registered"
            continue
        yield from differences(dict(resource.inputs), made.inputs, key)
        after = {names[other] for other in resource.options.depends_on}
        for name, value in resource.inputs.items():
            to = {
                called[expression.key]
                for expression in expressions(value)
                if isinstance(expression, Ref)
            }
            after |= {name for _, _, name in to}
            related = {by_urn.get(urn, ("", "", urn)) for urn in made.relations.get(name, ())}
            if not _as_declared(related, to, value):
                yield f"{key}.{name} relates to {related}, not to {to}"
        if not _as_declared(set(made.after), after, resource.inputs):
            yield f"{key} stands after {set(made.after)}, not after {after}"
        if made.options != (told := spelled(resource.options, graph)):
            yield f"{key} has the options {made.options}, not {told}"


def _as_declared(related: set[Any], declared: set[Any], value: Any) -> bool:
    """Whether relations are the declared ones; what the caller gives may bring further ones."""
    given = any(isinstance(expression, GivenValue) for expression in expressions(value))
    return related >= declared if given else related == declared


def _parent(graph: ResourceGraph, resource: Resource, parents: Mapping[str, str]) -> str:
    if resource.parent is None:
        return ""
    known = parents.get(resource.parent)
    return graph.resources[resource.parent].name if known is None else known


def differences(declared: Any, made: Any, place: str = "") -> list[str]:
    """Where plain declared values reached the engine otherwise; expressions are resolved there."""
    if isinstance(declared, Expression):
        return []
    if isinstance(declared, Mapping) and isinstance(made, Mapping):
        lost = [f"{place}.{key}" for key in declared.keys() ^ made.keys()]
        both = declared.keys() & made.keys()
        return lost + [
            difference
            for key in both
            for difference in differences(declared[key], made[key], f"{place}.{key}")
        ]
    if isinstance(declared, list | tuple) and isinstance(made, list):
        if len(declared) != len(made):
            return [place]
        pairs = enumerate(zip(declared, made, strict=True))
        return [
            difference for n, pair in pairs for difference in differences(*pair, f"{place}[{n}]")
        ]
    return [] if declared == made else [f"{place}: {declared!r} became {made!r}"]


def spelled(options: Options, graph: ResourceGraph) -> dict[str, Any]:
    """Options as the engine is told them."""
    holder = options.deleted_with
    spelled_options: dict[str, Any] = {
        "ignoreChanges": list(options.ignore_changes),
        "replaceOnChanges": list(options.replace_on_changes),
        "deleteBeforeReplace": options.delete_before_replace,
        "retainOnDelete": options.retain_on_delete,
        "deletedWith": graph.resources[holder].name if holder else "",
        "timeouts": dict(options.timeouts),
        "replacementTrigger": list(options.replacement_trigger or ()),
    }
    return {name: value for name, value in spelled_options.items() if value}

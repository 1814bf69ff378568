"""`gpuinfra plan --resources`: the resources of a stack file, as a tree or as JSON."""

from collections.abc import Iterator, Sequence

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.render import clean, heading
from gpuinfra.cli.views.type_names import short_type
from gpuinfra.graph import Resource, ResourceGraph, references, to_json
from gpuinfra.planning import stack_graph
from gpuinfra.units import format_count


def document(stack_check: StackCheck) -> dict[str, object]:
    """Return the declared resources as JSON."""
    return {"resources": to_json(stack_graph(stack_check.stack, stack_check.plan))}


def show(stack_check: StackCheck) -> None:
    """Print the declared resources under their components, with their dependencies."""
    graph = stack_graph(stack_check.stack, stack_check.plan)
    count = format_count(len(graph.resources), "resource")
    heading(f"{stack_check.plan.name}: {count}, in order of creation")
    for line in tree(graph):
        click.echo(clean(line))


def tree(graph: ResourceGraph) -> Iterator[str]:
    """Yield the resources as lines of a tree."""
    roots = [resource for resource in graph.resources.values() if resource.parent is None]
    for root in roots:
        yield f"{root.name}  {short_type(root.type)}"
        yield from _subtree_lines(graph, root, "")


def _subtree_lines(graph: ResourceGraph, parent_resource: Resource, indent: str) -> Iterator[str]:
    children = list(graph.children(parent_resource.key))
    for number, resource in enumerate(children, 1):
        is_last = number == len(children)
        yield f"{indent}{'└─' if is_last else '├─'} {resource.name}  {short_type(resource.type)}"
        child_indent = f"{indent}{'   ' if is_last else '│  '}"
        yield from _needs_lines(graph, resource, child_indent)
        yield from _subtree_lines(graph, resource, child_indent)


def _needs_lines(graph: ResourceGraph, resource: Resource, indent: str) -> Iterator[str]:
    needed_names: Sequence[str] = [graph.resources[key].name for key in references(resource)]
    if needed_names:
        start = f"{indent}   "
        yield wrap_text(f"{start}needs {', '.join(needed_names)}", f"{start}  ")

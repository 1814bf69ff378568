"""The effects of a key of the stack file: resources, changed inputs, lines of the quote."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import cache
from typing import Any, Final

from gpuinfra.cli.pages.cases import KeyCase, stack_of
from gpuinfra.clouds import cloud_of
from gpuinfra.cost import Line, PricingTerms, estimate
from gpuinfra.planning import from_stack, stack_graph
from gpuinfra.planning.graph_rows import rows
from gpuinfra.records import record

ResourceKey = tuple[str, str]
"""The type of a resource and its name."""

_AWS: Final = "aws"
_DAY: Final = date(2026, 1, 1)
"""No figure of the page depends on the day: every price is shown with its own."""


@record
class DeclaredStack:
    """A stack's AWS resources with the inputs known before an `up`, and its quote."""

    resources: Mapping[ResourceKey, Mapping[str, Any]]
    lines: tuple[Line, ...]


@record
class KeyEffect:
    """The differences that a key makes.

    Attributes:
        creates: resources that exist only with it.
        drops: resources that exist only without it.
        changes: inputs that differ, by resource.
        costs: rows of the quote that come, or cost something else.
        saves: rows that go, or cost something else.
    """

    creates: tuple[ResourceKey, ...]
    drops: tuple[ResourceKey, ...]
    changes: Mapping[ResourceKey, tuple[str, ...]]
    costs: tuple[Line, ...]
    saves: tuple[Line, ...]


def effect(case: KeyCase) -> KeyEffect | None:
    """Return the difference that a key makes; None where a stack is invalid without it."""
    with_it = declared_case(case, case.write)
    if case.against is None:
        return None
    baseline = declared_case(case, case.against)
    common = with_it.resources.keys() & baseline.resources.keys()
    changed_inputs = {
        key: _changed_inputs(with_it.resources[key], baseline.resources[key])
        for key in with_it.resources
        if key in common
    }
    return KeyEffect(
        creates=tuple(key for key in with_it.resources if key not in common),
        drops=tuple(key for key in baseline.resources if key not in common),
        changes={key: names for key, names in changed_inputs.items() if names},
        costs=tuple(_changed_lines(with_it.lines, baseline.lines)),
        saves=tuple(_changed_lines(baseline.lines, with_it.lines)),
    )


def declared_case(case: KeyCase, yaml_text: str) -> DeclaredStack:
    """Return the stack of a case, planned, priced and declared."""
    return _declared_stack(case.base, case.parent_path, yaml_text)


@cache
def _declared_stack(base: str, key_path: tuple[str, ...], yaml_text: str) -> DeclaredStack:
    stack = stack_of(base, key_path, yaml_text)
    plan = from_stack(stack)
    declared_case = {
        (resource.type, resource.name): _without_late_values(resource.inputs)
        for resource in sorted(
            rows(stack_graph(stack, plan)), key=lambda row: (row.type, row.name)
        )
        if cloud_of(resource.type) == _AWS
    }
    return DeclaredStack(
        resources=declared_case, lines=estimate(plan, PricingTerms(as_of=_DAY)).lines
    )


def _without_late_values(value: Any) -> Any:
    """Return an input with "…" in place of values that only an `up` knows."""
    if isinstance(value, Mapping):
        return {name: _without_late_values(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_late_values(item) for item in value]
    return value if isinstance(value, str | int | float | None) else "…"


def _changed_inputs(inputs: Mapping[str, Any], other_inputs: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the inputs that differ."""
    names = (*inputs, *(name for name in other_inputs if name not in inputs))
    return tuple(name for name in names if inputs.get(name) != other_inputs.get(name))


def _changed_lines(lines: Iterable[Line], other_lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines that `other_lines` lacks, or has with another quantity or price."""
    unmatched = Counter(map(_row, other_lines))
    for line in lines:
        row = _row(line)
        if unmatched[row]:
            unmatched[row] -= 1
        else:
            yield line


def _row(line: Line) -> tuple[object, ...]:
    return (line.item, line.region, line.quantity, line.unit, line.status, line.per_hour)

"""The resources of a run: counts by workload, and a table if there are few."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import click

from gpuinfra.cli.options import Detail
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.render import clean, show_table
from gpuinfra.cli.views.type_names import short_type
from gpuinfra.cost.cost_rate_changes import REST_LABEL
from gpuinfra.engine.contract import Outcome, ResourceStep
from gpuinfra.urns import name_of

QUIET: Final = {"same", "read", "refresh"}
SIGNS: Final = {
    "create": "+",
    "update": "~",
    "replace": "±",
    "delete": "-",
    "import": "=",
    **dict.fromkeys(QUIET, "·"),
}
DONE: Final = {
    "create": "created",
    "update": "updated",
    "replace": "replaced",
    "delete": "deleted",
    "import": "imported",
    **dict.fromkeys(QUIET, "unchanged"),
}
REFRESH_WORDS: Final = {**DONE, "update": "changed", "delete": "gone"}
"""The words for a refresh's result."""

MAX_LISTED_RESOURCES: Final = 12
"""So many resources of an operation are shown one by one without -v."""


def counts(outcome: Outcome, *, is_preview: bool) -> str:
    """Return how many resources were created, updated and so on, or will be."""
    operation_counts: Counter[str] = Counter()
    for operation, count in outcome.changes.items():
        operation_counts[_operation_word(operation, outcome, is_preview=is_preview)] += count
    return ", ".join(f"{count} {word}" for word, count in operation_counts.items() if count)


def _operation_word(operation: str, outcome: Outcome, *, is_preview: bool) -> str:
    if outcome.verb == "refresh":
        return REFRESH_WORDS.get(operation, operation)
    if is_preview and operation not in QUIET:
        return f"to {operation}"
    return DONE.get(operation, operation)


def show(
    outcome: Outcome, workload_of: Callable[[str], str], *, is_preview: bool, detail: Detail
) -> None:
    """Print the changed resources: a line for many with the same operation, a table of others.

    With "verbose" it is a table of all of them. What failed is always in the table.
    """
    if detail == "verbose":
        _show_each(outcome.steps)
        return
    changed_steps = [step for step in outcome.steps if step.operation not in QUIET or step.failed]
    number = Counter(step.operation for step in changed_steps)
    for operation in [name for name, count in number.items() if count > MAX_LISTED_RESOURCES]:
        names = [
            workload_of(name_of(step.urn))
            for step in changed_steps
            if step.operation == operation and not step.failed
        ]
        verb = _operation_word(operation, outcome, is_preview=is_preview)
        text = f"{SIGNS.get(operation, '?')} {len(names)} {verb}: {_counts_by_workload(names)}"
        click.echo(wrap_text(f"{text}{' (-v lists them)' if _takes_detail() else ''}", "  "))
    _show_each(
        [
            step
            for step in changed_steps
            if step.failed or number[step.operation] <= MAX_LISTED_RESOURCES
        ]
    )


def _takes_detail() -> bool:
    """Return whether the running command has -v; `quickstart` has not."""
    context = click.get_current_context(silent=True)
    return context is None or any(option.name == "detail" for option in context.command.params)


def _counts_by_workload(names: Iterable[str]) -> str:
    """Return the number of resources of each workload, most first; others come last."""
    each = sorted(
        Counter(names).items(), key=lambda pair: (pair[0] == REST_LABEL, -pair[1], pair[0])
    )
    return ", ".join(f"{clean(name)} {count}" for name, count in each)


def _show_each(steps: Sequence[ResourceStep]) -> None:
    """Print a line for each resource, with a column of reasons if any has one."""
    if not steps:
        return
    columns = ("", "resource", "type", "because of")
    rows = [_row(step) for step in steps]
    column_count = len(columns) if any(row[-1] for row in rows) else len(columns) - 1
    show_table(columns[:column_count], [row[:column_count] for row in rows])


def _row(step: ResourceStep) -> tuple[str, ...]:
    because = ", ".join(_reasons(step))
    return (
        "✗" if step.failed else SIGNS.get(step.operation, "?"),
        name_of(step.urn),
        short_type(step.type),
        because,
    )


def _reasons(step: ResourceStep) -> Iterator[str]:
    """Yield the properties that differ, with short values before and after."""
    values = {path: (value_before, value_after) for path, value_before, value_after in step.values}
    for path in step.causes or step.differences:
        if path in values:
            value_before, value_after = values[path]
            yield f"{path}: {_value(value_before)} → {_value(value_after)}"
        else:
            yield path


def _value(value: Any) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)

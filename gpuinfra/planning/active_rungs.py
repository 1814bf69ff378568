"""The active rung of a group, and the changes that come with another one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gpuinfra.errors import Problem, unknown_word
from gpuinfra.model import Group
from gpuinfra.similar_words import nearest


def on_rung(group: Group, index: int) -> Group:
    """Return the group with another active rung; `with_facts` then updates its facts."""
    return replace(group, active_rung=index)


def groups_on_named_rungs(
    groups: tuple[Group, ...],
    rungs: Mapping[str, str],
    workloads: Sequence[str],
    problems: list[Problem],
) -> tuple[Group, ...]:
    """Return the groups on the rungs that a user named, each by its label or its purchase mode.

    `workloads` are all names of the file. A rung is named beside the file, so that what is wrong
    with it has no path.
    """
    problems += [
        unknown_word(f"--rung {name}={label}: the file has no workload {name!r}", name, workloads)
        for name, label in rungs.items()
        if name not in workloads
    ]
    return tuple(
        _with_active_rung(group, rungs[group.name], problems) if group.name in rungs else group
        for group in groups
    )


def _with_active_rung(group: Group, label: str, problems: list[Problem]) -> Group:
    for index, rung in enumerate(group.rungs):
        if label in {rung.label, rung.capacity}:
            return on_rung(group, index)
    labels = tuple(rung.label for rung in group.rungs)
    modes = tuple(dict.fromkeys(rung.capacity for rung in group.rungs))
    problems.append(
        Problem(
            message=f"--rung {group.name}={label}: {group.name} has no such rung",
            value=label,
            allowed=", ".join(labels),
            suggestion=nearest(label, (*labels, *modes)),
        )
    )
    return group

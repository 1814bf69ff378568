"""Which rung of its ladder a group stands on."""

from collections.abc import Mapping
from dataclasses import replace

from gpuinfra.catalog.query import nearest_word
from gpuinfra.clouds import room
from gpuinfra.errors import Problem
from gpuinfra.model import Group


def stand(group: Group, index: int) -> Group:
    """The same group on another rung, with the interfaces of that rung's machine."""
    if index == group.standing:
        return group
    fabric = group.fabric
    machine = room(group.cloud).machine(group.rungs[index].machine)
    if fabric is not None and machine is not None:
        fabric = replace(fabric, interfaces=machine.fabric_interfaces or 0)
    return replace(group, standing=index, fabric=fabric)


def named(
    groups: tuple[Group, ...], rungs: Mapping[str, str], problems: list[Problem]
) -> tuple[Group, ...]:
    """Groups on the rungs that a person named, each by its label or by its way to buy."""
    workloads = tuple(group.name for group in groups)
    for name in rungs:
        if name not in workloads and not problems:
            problems.append(
                Problem(
                    message="a rung is named for a workload that the file does not have",
                    value=name,
                    allowed=", ".join(workloads),
                    suggestion=nearest_word(name, workloads),
                )
            )
    return tuple(
        _named(group, rungs[group.name], problems) if group.name in rungs else group
        for group in groups
    )


def _named(group: Group, wanted: str, problems: list[Problem]) -> Group:
    for index, rung in enumerate(group.rungs):
        if wanted in {rung.label, rung.capacity}:
            return stand(group, index)
    labels = tuple(rung.label for rung in group.rungs)
    problems.append(
        Problem(
            message=f"{group.name} has no such rung",
            value=wanted,
            allowed=", ".join(labels),
            suggestion=nearest_word(wanted, labels),
        )
    )
    return group

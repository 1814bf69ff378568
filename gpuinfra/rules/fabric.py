"""What fabric rules share: which groups they speak of."""

from collections.abc import Callable, Iterator

from gpuinfra.model import Fabric, Group, Known
from gpuinfra.rules.rule import (
    Faults,
    Finding,
    Judged,
    Words,
    fact,
    faulty,
    fine,
    not_applicable,
)


def of_fabrics(judged: Judged, check: Callable[[Group, Fabric], Finding]) -> Iterator[Finding]:
    """Judge each group that asks for a fabric."""
    asked = [(one, one.fabric) for one in judged.plan.groups if one.fabric is not None]
    if not asked:
        yield not_applicable(judged.plan.name, "no group asks for a fabric")
    for group, fabric in asked:
        yield check(group, fabric)


def of_fact(judged: Judged, read: Callable[[Fabric], Known], words: Words) -> Iterator[Finding]:
    """Judge one fact of each declared fabric."""
    return of_fabrics(judged, lambda group, fabric: fact(group.subject, read(fabric), words))


def of_way(
    judged: Judged, read: Callable[[Fabric], Known | None], words: Words
) -> Iterator[Finding]:
    """Judge one way through the firewall of each fabric; None where none stands between."""

    def judge(group: Group, fabric: Fabric) -> Finding:
        is_open = read(fabric)
        if is_open is None:
            return fine(group.subject, "no firewall between its interfaces")
        return fact(group.subject, is_open, words)

    return of_fabrics(judged, judge)


def of_faults(
    judged: Judged, read: Callable[[Fabric], Faults | None], words: Words, nothing: str
) -> Iterator[Finding]:
    """Judge what is wrong with one part of each fabric; `nothing` where a cloud has no such."""

    def judge(group: Group, fabric: Fabric) -> Finding:
        faults = read(fabric)
        if faults is None:
            return not_applicable(group.subject, f"{group.cloud} {nothing}")
        return faulty(group.subject, faults, words)

    return of_fabrics(judged, judge)

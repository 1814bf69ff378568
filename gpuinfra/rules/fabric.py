"""What fabric rules share: which groups they speak of."""

from collections.abc import Callable, Iterator

from gpuinfra.model import Fabric, Group, Known
from gpuinfra.rules.rule import Finding, Judged, Words, fact, not_applicable


def of_fabrics(judged: Judged, check: Callable[[Group], Finding]) -> Iterator[Finding]:
    """Judge each group that asks for a fabric."""
    groups = [group for group in judged.plan.groups if group.fabric is not None]
    if not groups:
        yield not_applicable(judged.plan.name, "no group asks for a fabric")
    for group in groups:
        yield check(group)


def of_fact(judged: Judged, read: Callable[[Fabric], Known], words: Words) -> Iterator[Finding]:
    """Judge one fact of each declared fabric."""
    return of_fabrics(judged, lambda group: fact(group.subject, _read(group, read), words))


def _read(group: Group, read: Callable[[Fabric], Known]) -> Known:
    assert group.fabric is not None  # noqa: S101 - of_fabrics leaves the others out
    return read(group.fabric)

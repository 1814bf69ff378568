"""Calls of AWS services, by their actions: whether they start machines, or what stands stopped."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.starts.role_starts import actions
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.model import Resource, Unknown

MAY_START: Final = "which may start machines that are not declared here"


def call_starts(
    resource: Resource, action: str, index: Index, what: str
) -> Iterator[str | Unknown]:
    """Yield what a call of a service starts.

    Args:
        resource: what calls it.
        action: the call, as SERVICE:action.
        index: the resources of the stack.
        what: who calls what, for the message.
    """
    if is_harmless(action):
        yield from foreign_call_starts(resource, action, index)
    else:
        yield f"{what}, {MAY_START}"


def foreign_call_starts(resource: Resource, action: str, index: Index) -> Iterator[str | Unknown]:
    """Yield that a call, as SERVICE:action, starts a machine or a database of elsewhere."""
    from gpuinfra.clouds.aws.observe.starts import foreign_starts  # noqa: PLC0415  (few have any)

    return foreign_starts.by_call(resource, action, index)


def is_harmless(action: str) -> bool:
    """Return whether an action, as SERVICE:action, starts nothing new, capitalized or not."""
    service, _, name = action.partition(":")
    table = TABLES.table("may_start")
    beginnings = tuple(table["harmless"].split())
    if action.lower() in _known_actions():
        return False
    return service.lower() in table[
        "holds_none"
    ].split() or f"{name[:1].lower()}{name[1:]}".startswith(beginnings)


@cache
def _known_actions() -> frozenset[str]:
    return frozenset(action.lower() for action in actions())

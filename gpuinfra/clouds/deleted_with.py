"""What still exists after the option `deletedWith` removed it from the state."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds import cloud_of, provider_of
from gpuinfra.clouds.observing.values import at
from gpuinfra.records import record

TABLE: Final = Path(__file__).with_name("deleted_with.json")
_CLUSTERS: Final = "kubernetes:"


@record
class Removed:
    """A resource that the state loses: its type, and its inputs and outputs as far as known.

    `kept` says that an option or a setting leaves it in its cloud, and `holder` is the URN of the
    one whose deletion is to delete it, too; empty without any.
    """

    type: str
    places: Sequence[Mapping[str, Any]] = ()
    kept: bool = False
    holder: str = ""


def is_left_behind(
    removed: Removed,
    holder_of: Callable[[str], Removed | None],
    chain: tuple[str, ...] = (),
) -> bool:
    """Return whether a resource still exists after another one is deleted, to which it is left.

    Pulumi leaves it to the deletion of the other, which may be left to a third, or stay. What is
    in no cloud costs nothing there.

    Args:
        removed: the resource.
        holder_of: returns the removed resource of a URN; None for one that is not removed.
        chain: the URNs of those that wait for the answer.
    """
    holder = holder_of(removed.holder) if removed.holder else None
    if holder is None:
        return False
    return (
        removed.holder in chain
        or holder.kept
        or _stays(removed, holder)
        or is_left_behind(holder, holder_of, (*chain, removed.holder))
    )


def _stays(removed: Removed, holder: Removed) -> bool:
    token = removed.type
    if cloud_of(token) is None and not token.startswith(_CLUSTERS):
        return False
    return not any(
        _matches(_canonical(token), row["go"])
        and not _matches(token, row.get("stay", ()))
        and _is_within(removed, holder, row.get("within"))
        for row in _rows(_canonical(holder.type))
    )


def _is_within(
    removed: Removed, holder: Removed, within: Mapping[str, Sequence[str]] | None
) -> bool:
    if within is None:
        return True
    names = set(_names(holder, within["name"]))
    return not names.isdisjoint(_names(removed, within["of"]))


def _names(removed: Removed, paths: Iterable[str]) -> Iterator[str]:
    """Yield a name as the inputs and outputs of a resource state it, or the end of its path.

    Its case does not count.
    """
    for place, path in product(removed.places, paths):
        name = at(place, *path.split("."))
        if isinstance(name, str) and name:
            yield name.rpartition("/")[2].lower()


def _canonical(token: str) -> str:
    cloud = cloud_of(token)
    return token if cloud is None else provider_of(cloud).observe.canonical(token)


def _matches(token: str, forms: Iterable[str]) -> bool:
    return any(
        token.startswith(form[:-1]) if form.endswith("*") else token == form for form in forms
    )


@cache
def _rows(holder: str) -> tuple[Mapping[str, Any], ...]:
    rows = json.loads(TABLE.read_text("utf-8"))["rows"]
    return tuple(row for row in rows if row["with"] == holder)

"""What still exists after the option `deletedWith` removed it from the state."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds import canonical, cloud_of, digests
from gpuinfra.clouds.observing.values import at
from gpuinfra.records import record

TABLE: Final = Path(__file__).with_name("deleted_with.json")
_CLUSTERS: Final = "kubernetes:"
_PROVIDER: Final = "provider"
_DEFAULT_PROVIDER: Final = re.compile(r"::default(_[0-9a-z_]+)?$")


@record(kw_only=False)
class Removed:
    """A resource that the state loses: its type, and its inputs and outputs as far as known.

    `kept` says that an option or a setting leaves it in its cloud, and `holder` is the URN of the
    one whose deletion is to delete it, too; empty without any. `provider` refers to its provider
    as `urn::id`.
    """

    type: str
    places: Sequence[Mapping[str, Any]] = ()
    kept: bool = False
    holder: str = ""
    provider: str = ""


def is_left_behind(
    removed: Removed, holder_of: Callable[[str], Removed | None], chain: tuple[str, ...] = ()
) -> bool:
    """Return whether a resource still exists after another one is deleted, to which it is left.

    Pulumi leaves it to the deletion of the other, which may be left to a third, or stay. An object
    in a cluster that is left to the cluster deletes nothing: what is left to it is left to the
    cluster. What is in no cloud costs nothing there.

    Args:
        removed: the resource.
        holder_of: returns the removed resource of a URN; None for one that is not removed.
        chain: the URNs of those that wait for the answer.
    """
    holder = holder_of(removed.holder) if removed.holder else None
    if holder is None:
        return False
    in_cluster = holder.type.startswith(_CLUSTERS)
    next_one = replace(removed, holder=holder.holder) if in_cluster else holder
    return (
        removed.holder in chain
        or holder.kept
        or _stays(removed, holder)
        or is_left_behind(next_one, holder_of, (*chain, removed.holder))
    )


def _stays(removed: Removed, holder: Removed) -> bool:
    token = removed.type
    if cloud_of(token) is None and not token.startswith(_CLUSTERS):
        return False
    return not any(
        _matches(canonical(token), row["go"])
        and not _matches(token, row["stay"])
        and all(_agree(removed, holder, pair) for pair in row["within"])
        for row in _rows(canonical(holder.type))
    )


def _agree(removed: Removed, holder: Removed, pair: Mapping[str, Sequence[str]]) -> bool:
    name = _stated(holder, pair["name"])
    return name is not None and name == _stated(removed, pair["of"])


def _stated(removed: Removed, paths: Iterable[str]) -> str | None:
    """Return the first of some texts that the inputs and outputs of a resource state.

    After a slash a path names the segment of the text before the one that counts, as in
    `cluster/locations`; without it, the last segment counts. Case does not count.
    """
    for path, place in product(paths, removed.places):
        if path == _PROVIDER:
            return _DEFAULT_PROVIDER.sub("::default", removed.provider.rpartition("::")[0])
        keys, _, segment = path.partition("/")
        name = at(place, *keys.split("."))
        if isinstance(name, str) and (part := _segment_of(name.lower(), segment.lower())):
            return part
    return None


def _segment_of(name: str, text_before: str) -> str:
    segments = name.split("/")
    if not text_before:
        return segments[-1]
    return segments[segments.index(text_before) + 1] if text_before in segments[:-1] else ""


def _matches(token: str, forms: Iterable[str]) -> bool:
    return any(
        token.startswith(form[:-1]) if form.endswith("*") else token == form for form in forms
    )


@cache
def _rows(holder: str) -> tuple[Mapping[str, Any], ...]:
    """Return the rows of a type, with the types for each name of a list."""
    return tuple(
        {**row, "go": _types(row["go"]), "stay": _types(row.get("stay", ()))}
        for row in digests.table(TABLE)["rows"]
        if row["with"] == holder
    )


def _types(forms: Iterable[str]) -> list[str]:
    lists = digests.table(TABLE)["lists"]
    return [
        each for form in forms for each in (lists[form]["types"] if form in lists else (form,))
    ]

"""The identities outside the stack that its code runs as, whose permissions are not visible.

They are shown as a note, not as a finding: the stack that declares an identity is where its
permissions are judged. On machines the rule administrator-role judges them instead.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds import digests
from gpuinfra.clouds.observing.index import Index, Targets
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.clouds.tables import rows_of
from gpuinfra.model import STACK_REFERENCE, NotJudged, Resource, Unknown

TABLE_PATH: Final = Path(__file__).parents[1] / "runs_as.json"
_RUNS_AS: Final = (
    "its code runs as an identity outside this stack, whose permissions are not visible; `trust` "
    "with `limited: true` accepts it"
)

IsOurs = Callable[[Resource, str, str], bool]
"""Whether a name under an input of a resource means an identity of the stack, or may."""


def rows(index: Index, cloud: str, is_ours: IsOurs) -> Iterator[NotJudged]:
    """Yield a row for each resource whose code runs as an identity outside the stack.

    Args:
        index: of the stack's resources.
        cloud: how the types begin that are looked at.
        is_ours: tells the identities of the stack from others.
    """
    for kind, paths in runners().items():
        if kind.startswith(cloud):
            yield from unseen_identity_rows(index, kind, paths, is_ours)


def unseen_identity_rows(
    index: Index, kind: str, paths: str, is_ours: IsOurs
) -> Iterator[NotJudged]:
    """Yield the rows of one type, whose inputs at some paths name identities."""
    for resource in index.of_kind(kind):
        identity_names = dict.fromkeys(
            name
            for path in paths.split()
            for name in _identities_outside_stack(resource, path, index, is_ours)
        )
        if identity_names:
            yield row(resource, tuple(identity_names), _RUNS_AS)


def row(resource: Resource, names: tuple[str, ...], reason: str) -> NotJudged:
    """Return the row of a resource with permissions that are not visible, but a judged cost."""
    return NotJudged(
        subject=resource.urn,
        type=resource.type,
        reason=reason,
        may_start_machines=False,
        unseen_rights=names,
    )


def are_ours(targets: Targets) -> bool:
    """Return whether a value refers, or may refer, to a resource of the stack."""
    return bool(targets.certain or targets.possible or targets.namesakes)


@cache
def runners() -> Mapping[str, str]:
    """Return the types that run code as an identity, with the paths of the inputs that name it.

    Raises:
        DamagedTableError: the table is not what was shipped.
    """
    return {row["type"]: row["inputs"] for row in rows_of(digests.table(TABLE_PATH))}


def _identities_outside_stack(
    resource: Resource, path: str, index: Index, is_ours: IsOurs
) -> Iterator[str]:
    keys = path.split(".")
    for value in _at_each(resource.inputs, keys):
        if isinstance(value, Unknown):
            yield from _referenced_stacks(resource, keys[0], index)
        elif isinstance(value, str) and value and not is_ours(resource, keys[0], value):
            yield value


def _referenced_stacks(resource: Resource, prop: str, index: Index) -> Iterator[str]:
    """Yield the stacks that an unknown value comes from; none where it has another source."""
    sources = index.related_resources(resource, prop)
    if all(source.type == STACK_REFERENCE for source in sources):
        yield from (str(source.inputs.get("name") or source.name) for source in sources)


def _at_each(value: Any, keys: list[str]) -> Iterator[Any]:
    """Yield the values at a path of keys, in each item of the lists on it; the keys of a map."""
    for item in as_list(value):
        if keys:
            yield from _at_each(at(item, keys[0]), keys[1:])
        elif isinstance(item, Mapping):
            yield from item
        else:
            yield item

"""The keys that a stack creates, and their expiration."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds import digests
from gpuinfra.clouds.observing.values import as_list
from gpuinfra.clouds.tables import rows_of
from gpuinfra.model import UNKNOWN, Credential, Resource, Rows, Unknown

TABLE: Final = Path(__file__).parents[1] / "lasting_keys.json"


def make_key_observer(
    cloud: str, key_label: str, ends: tuple[str, ...] = ()
) -> Callable[..., Rows]:
    """Return an observer for a type of key that is called `key_label` in messages.

    Args:
        cloud: whose type it is.
        key_label: the key, in words.
        ends: the inputs that say when it ends, a moment or the hours until then.
    """

    def rows(resource: Resource, *_: Any) -> Rows:
        stated = (resource.inputs[key] for key in ends if resource.inputs.get(key) is not None)
        return Rows(credentials=(lasting_key(cloud, resource, key_label, next(stated, None)),))

    return rows


def lasting_key(cloud: str, resource: Resource, key_label: str, end: Any = None) -> Credential:
    """Return the row of a key that a resource creates or has, with its expiration."""
    return Credential(
        name=resource.name,
        subject=resource.urn,
        cloud=cloud,
        description=key_label,
        expiry=_expiry_text(end),
    )


def with_listed_keys(rows: Rows, resource: Resource, kind: str, cloud: str) -> Rows:
    """Return a resource's rows with the keys that it is or enables, according to a table."""
    keys = tuple(dict.fromkeys(_listed_keys(resource, kind, cloud)))
    return replace(rows, credentials=(*rows.credentials, *keys)) if keys else rows


def _listed_keys(resource: Resource, kind: str, cloud: str) -> Iterator[Credential]:
    from gpuinfra.clouds.observing.free_cases import values_at  # noqa: PLC0415  (few have any)

    for row in rows_of(digests.table(TABLE)):
        if row["type"] != kind:
            continue
        if all(_is_met(resource, path, value) for path, value in row["when"].items()):
            ends = values_at(resource.inputs, row["end"]) if row["end"] else (None,)
            for end in ends:
                yield lasting_key(cloud, resource, row["what"], end)


def _is_met(resource: Resource, path: str, required: Any) -> bool:
    from gpuinfra.clouds.observing.free_cases import values_at  # noqa: PLC0415  (as above)

    values = [
        value for path_value in values_at(resource.inputs, path) for value in as_list(path_value)
    ]
    stated = [value for value in values if value is not None]
    return bool(stated) if required == "" else required in stated


def _expiry_text(end: Any) -> str | Unknown | None:
    """Return the day on which a key expires, or its lifetime; None for one without an end."""
    if end is None or isinstance(end, Unknown):
        return UNKNOWN if isinstance(end, Unknown) else None
    return str(end).partition("T")[0]

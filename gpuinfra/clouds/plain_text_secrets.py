"""The plain texts of a program in the inputs of resource types, by a table of the SDK's inputs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar

from gpuinfra.clouds import canonical, digests
from gpuinfra.clouds.observing.values import as_list, at, read_json
from gpuinfra.clouds.secrets import script_secrets, value_secrets
from gpuinfra.clouds.tables import rows_of
from gpuinfra.model import Unknown

TABLE: Final = Path(__file__).with_name("plain_texts.json")
_VERSION: Final = re.compile(r"/v\d{8}\w*:")
"""The API version that a token of Azure may have: azure-native:app/v20240301:ContainerApp."""
_JSON: Final = ("{", "[")
T = TypeVar("T")
Keys = Sequence[str]
"""Names of inputs, each below the one before."""


def secrets_in_texts(
    kind: str, inputs: Mapping[str, Any], excluded_paths: Sequence[Keys]
) -> Iterator[str]:
    """Yield descriptions of the secrets in a resource's plain-text inputs.

    Args:
        kind: its type.
        inputs: its own.
        excluded_paths: the places that are read elsewhere, as names below each other.
    """
    for path in _paths(kind):
        if path in excluded_paths:
            continue
        inner_paths = [
            hidden_path[len(path) :]
            for hidden_path in excluded_paths
            if tuple(hidden_path[: len(path)]) == path
        ]
        for value in values_at_path(inputs, path):
            yield from _value_secrets(
                _without_paths(_parsed_json(value), inner_paths), ".".join(path)
            )


def entry_of_type(table: Mapping[str, T], kind: str) -> T | None:
    """Return a table's entry of a type under its own name, or else its current one."""
    return table.get(_without_api_version(kind)) or table.get(canonical(kind))


@lru_cache(maxsize=4096)
def _without_api_version(kind: str) -> str:
    return _VERSION.sub(":", kind, count=1)


def values_at_path(value: Any, path: Keys) -> Iterator[Any]:
    """Yield the values at a path, in each item of the lists and JSON texts on it."""
    if not path:
        yield value
        return
    if isinstance(value, str):
        value = read_json(value)
    for item in as_list(value):
        nested_item = at(item, path[0])
        if nested_item is not None:
            yield from values_at_path(nested_item, path[1:])


def _text_secrets(text: str, name: str) -> Iterator[str]:
    """Yield descriptions of the secrets in a text: a script, base64, or a single value."""
    value_faults = () if "\n" in text else tuple(value_secrets(text, name))
    yield from value_faults or plain_script_secrets(text, name)


def plain_script_secrets(script: Any, name: str) -> Iterator[str]:
    """Yield descriptions of the secrets in a script, plain or in base64; none if unreadable."""
    secrets = script_secrets(script, name)
    yield from () if isinstance(secrets, Unknown) else secrets


def _value_secrets(value: Any, name: str) -> Iterator[str]:
    if isinstance(value, str):
        yield from _text_secrets(value, name)
    else:
        yield from value_secrets(value, name)


def _parsed_json(value: Any) -> Any:
    """Return the value of a JSON text; any other text unchanged."""
    if not isinstance(value, str) or not value.lstrip().startswith(_JSON):
        return value
    content = read_json(value)
    return value if isinstance(content, Unknown) else content


def _without_paths(value: Any, excluded_paths: Sequence[Keys]) -> Any:
    """Return a value without the given paths below it, which lead into the items of lists."""
    if excluded_paths and isinstance(value, (list, tuple)):
        return [
            _without_paths(item, excluded_paths) if isinstance(item, Mapping) else item
            for item in value
        ]
    if not excluded_paths or not isinstance(value, Mapping):
        return value
    return {
        key: _without_paths(item, [path[1:] for path in excluded_paths if path[0] == key])
        for key, item in value.items()
        if (key,) not in excluded_paths
    }


@cache
def _paths(kind: str) -> tuple[tuple[str, ...], ...]:
    paths = entry_of_type(_paths_by_type(), kind) or ""
    return tuple(tuple(path.split(".")) for path in paths.split())


@cache
def _paths_by_type() -> Mapping[str, str]:
    return {row["type"]: row["paths"] for row in rows_of(digests.table(TABLE))}

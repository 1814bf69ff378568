"""Reading a cloud's data files: JSON with columns, sources and dates, each loaded once."""

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from gpuinfra.clouds import digests
from gpuinfra.clouds.refreshing import user_table_files


class Tables:
    """The data files of one cloud.

    Args:
        folder: their folder, each a JSON file.
    """

    def __init__(self, folder: Path) -> None:
        self.table = cache(self._load)
        """A file by its name without .json; a damaged one is a `digests.DamagedError`."""
        self.has = cache(self._has)
        """Whether there is such a file."""
        self._folder = folder

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """Return the rows of a file by column name, with `source` and `as_of` for the index."""
        content = self.table(name)
        for row in rows_of(content):
            row["source"], row["as_of"] = content["sources"][row["source"]]
            yield row

    def types(self, name: str) -> frozenset[str]:
        """Return the resource types in a file whose rows name some."""
        return frozenset(token for row in self.table(name)["rows"] for token in row["types"])

    def _has(self, name: str) -> bool:
        return (self._folder / f"{name}.json").is_file()

    def _load(self, name: str) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(digests.read_table(self._folder / f"{name}.json"))
        return loaded


def rows_of(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Return the rows of a file's content by column name, as they are."""
    return (dict(zip(table["columns"], cells, strict=True)) for cells in table["rows"])


def number(text: str | None) -> Decimal | None:
    """Return a number as the tables write it; None is unknown."""
    return None if text is None else Decimal(text)


def digest() -> str:
    """Return one SHA-256 over all facts that count here: shipped tables and refreshed rows."""
    facts = {**digests.shipped_digests(), **user_table_files.digests()}
    return digests.digest_of(json.dumps(facts, sort_keys=True).encode())

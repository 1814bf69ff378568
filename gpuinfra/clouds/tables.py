"""Reading a room's data files: JSON with columns, sources and dates, each loaded once."""

import json
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any


class Tables:
    """The data files of one room.

    Args:
        folder: where they stand, each a JSON file.
    """

    def __init__(self, folder: Path) -> None:
        self.table = cache(self._load)
        """A file by its name without .json."""
        self._folder = folder

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """The rows of a file by column name, with `source` and `as_of` in place of the index."""
        content = self.table(name)
        columns, sources = content["columns"], content["sources"]
        for cells in content["rows"]:
            row = dict(zip(columns, cells, strict=True))
            row["source"], row["as_of"] = sources[row["source"]]
            yield row

    def _load(self, name: str) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads((self._folder / f"{name}.json").read_bytes())
        return loaded


def number(text: str | None) -> Decimal | None:
    """A number as the tables write it; None is unknown."""
    return None if text is None else Decimal(text)

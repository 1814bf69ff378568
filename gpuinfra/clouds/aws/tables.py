"""Reading the room's data files: JSON with columns, sources and dates, each loaded once."""

import json
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

_DATA: Final = Path(__file__).parent / "data"


@cache
def table(name: str) -> dict[str, Any]:
    """A file of this room's `data` folder, by its name without .json."""
    loaded: dict[str, Any] = json.loads((_DATA / f"{name}.json").read_bytes())
    return loaded


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The rows of a table by column name, with `source` and `as_of` in place of the index."""
    content = table(name)
    columns, sources = content["columns"], content["sources"]
    for cells in content["rows"]:
        row = dict(zip(columns, cells, strict=True))
        row["source"], row["as_of"] = sources[row["source"]]
        yield row


def number(text: str | None) -> Decimal | None:
    """A number as the tables write it; None is unknown."""
    return None if text is None else Decimal(text)

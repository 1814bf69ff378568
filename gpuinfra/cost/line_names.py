"""Plain names of a quote's lines: `public IPv4`, `disk gp3`, `bucket S3 Standard`."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from gpuinfra.cost.quote import Line

TABLE: Final = Path(__file__).with_name("line_names.json")

_UNNAMED_END: Final = re.compile(r"-?\b(?:storage|hour|day)$")
"""The end of an item that its unit repeats."""

_FIRST_TIER: Final = re.compile(r"-?\bfirst-\d+[gtp]b$")
_TIER: Final = re.compile(r"-?\b(next|over)-(\d+)([gtp]b)$")
_TIER_WITHOUT_FREE: Final = re.compile(r"-?\b100gb-to-10tb$")
"""The first tier that is billed."""

_SIZE: Final = re.compile(r"[a-z]\d+")
"""A size of a disk, p30."""


def line_name(line: Line) -> str:
    """Return what a line is for and the thing itself, without the id of a price list."""
    return item_name(line.kind, line.item)


def item_name(kind: str, item: str) -> str:
    """Return the name of an item of a price list; other items, as machines, have their own."""
    names = _table()["names"]
    start = max((start for start in names if item.startswith(start)), key=len, default=None)
    if start is None:
        return f"{kind} {_without_end(item)}"
    name_rest, tier = _tier(item[len(start) :].removeprefix("-"))
    item_words = _words(_UNNAMED_END.sub("", name_rest))
    return f"{names[start].format(kind=kind)} {item_words}".strip() + tier


def _without_end(item: str) -> str:
    """Return an item without what its unit repeats: pd-ssd, hyperdisk-balanced IOPS."""
    stem, dash, last = item.rpartition("-")
    word = _table()["words"].get(last)
    return f"{stem} {word}" if dash and word else _UNNAMED_END.sub("", item)


def _tier(name_rest: str) -> tuple[str, str]:
    """Return the rest without its tier, and the tier in words; empty for the first one."""
    name_rest = _TIER_WITHOUT_FREE.sub("", _FIRST_TIER.sub("", name_rest))
    tier = _TIER.search(name_rest)
    if tier is None:
        return name_rest, ""
    return name_rest[: tier.start()], f", {tier[1]} {tier[2]} {tier[3].upper()}"


def _words(name_rest: str) -> str:
    word_table = _table()["words"]
    if name_rest in word_table:
        return str(word_table[name_rest])
    return " ".join(
        part.upper() if _SIZE.fullmatch(part) else word_table.get(part, part)
        for part in name_rest.split("-")
    )


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table

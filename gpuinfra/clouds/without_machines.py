"""Resource types that can neither be nor start a machine: what a cap of machines leaves out."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds import digests

TABLE: Final = Path(__file__).with_name("without_machines.json")
BY_SCHEMA: Final = Path(__file__).with_name("without_machines_by_schema.json")
"""What a rule on the inputs of the SDKs' types lets pass, by service: see its `about`."""

_FAMILY: Final = "*"


def reason(token: str) -> str:
    """Why no machine can be in resources of a type, in words; empty where that is not known.

    Args:
        token: a resource type of any package, as its provider spells it today.

    Raises:
        DamagedError: the table is not what was shipped.
    """
    family = f"{token[: token.rfind('/') + 1] or token[: token.rfind(':') + 1]}{_FAMILY}"
    return _reasons().get(token) or _reasons().get(family, "")


def rows() -> tuple[Mapping[str, Any], ...]:
    """The rows of both tables: why, source, as_of and types, of which `module/*` is a family.

    Raises:
        DamagedError: a table is not what was shipped.
    """
    by_hand = json.loads(digests.read(TABLE))["rows"]
    return (*by_hand, *map(_spelled_out, json.loads(digests.read(BY_SCHEMA))["rows"]))


def _spelled_out(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of one service with its types as tokens: `{}` stands for a name."""
    types = [
        row["token"].format(f"{name[0].lower()}{name[1:]}", name) for name in row["names"].split()
    ]
    return {"why": row["why"], "source": row["source"], "as_of": row["as_of"], "types": types}


@cache
def _reasons() -> Mapping[str, str]:
    return {token: row["why"] for row in rows() for token in row["types"]}

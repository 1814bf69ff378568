"""How often spot machines are taken back: the table of a room whose cloud publishes it."""

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Final

from gpuinfra.clouds.tables import Tables, number
from gpuinfra.model import Interruption

Lookup = Callable[[str, str], Interruption | None]
"""From a machine type and a region to what is published; None when nothing is."""


def published(tables: Tables) -> Lookup:
    """The look-up of a cloud that publishes buckets, from its table `interruptions`."""

    @cache
    def interruption(machine: str, region: str) -> Interruption | None:
        content = tables.table("interruptions")
        bucket = content["items"].get(machine, {}).get(region)
        if bucket is None:
            return None
        low, high = content["buckets"][bucket]
        return Interruption(
            machine=machine,
            region=region,
            low=Decimal(low),
            high=number(high),
            source=content["source"],
            as_of=content["as_of"],
        )

    return interruption


def _nothing(machine: str, region: str) -> Interruption | None:  # noqa: ARG001  the same form
    return None


UNPUBLISHED: Final[Lookup] = _nothing
"""The look-up of a cloud that publishes nothing of the kind."""

"""A room's regions, read from its table `regions`."""

from functools import cached_property

from gpuinfra.clouds.tables import Tables


class RegionList:
    """The regions of one cloud."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def regions(self) -> tuple[str, ...]:
        """The regions of the table, sorted."""
        return self._regions

    @cached_property
    def _regions(self) -> tuple[str, ...]:
        return tuple(sorted(self._tables.table("regions")["zones"]))


def may_use(price_zone: str, zones: tuple[str, ...]) -> bool:
    """Whether a price row's zone is one of the zones in which machines stand."""
    return price_zone in zones

"""A cloud's regions and zones, read from its table `regions`."""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar, Final

from gpuinfra.clouds.tables import Tables
from gpuinfra.model import UNKNOWN, Machine, Unknown

_LONGEST_ZONE: Final = 1
"""How many characters name a zone in the tables, which leave out AI zones (us-central1-ai1a)."""


class RegionList:
    """The regions of one cloud.

    Args:
        tables: the cloud's.
        default: the region that is meant where none is named.
    """

    VARIABLES: ClassVar[tuple[str, ...]] = ()
    """The environment variables that the provider takes its region from."""
    SETTING: ClassVar[str] = ""
    """The Pulumi configuration that says it."""

    def __init__(self, tables: Tables, default: str) -> None:
        self._tables = tables
        self.default = default

    def all(self) -> tuple[str, ...]:
        """Return the regions of the table, sorted."""
        return self._all_regions

    def zones(self, region: str) -> tuple[str, ...]:
        """Return the full names of a region's zones; empty for a region that the table lacks."""
        zones_by_region: dict[str, tuple[str, ...]] = self._zones
        return zones_by_region.get(region, ())

    def unknown_zone_faults(self, zones: Iterable[str], region: str) -> Iterator[str]:
        """Yield the zones that a region of the table does not have.

        https://learn.microsoft.com/azure/reliability/availability-zones-overview
        https://docs.cloud.google.com/compute/docs/regions-zones
        """
        if region not in self.all():
            return
        region_zones = self.zones(region)
        zone_names = ", ".join(zone.removeprefix(f"{region}-") for zone in region_zones)
        zones_text = f"its zones are {zone_names}" if zone_names else "it has no zones: name none"
        for zone in zones:
            if zone not in region_zones and len(zone.rpartition("-")[2]) <= _LONGEST_ZONE:
                yield f"{region} has no zone {zone.removeprefix(f'{region}-')}: {zones_text}"

    def chosen(
        self,
        region: str,
        preferred: tuple[str, ...] = (),
        count: int = 1,
        machine: Machine | None = None,  # noqa: ARG002  which zones have it differs by account
    ) -> tuple[str, ...]:
        """Return the zones that machines use: the wanted ones, else the first `count`."""
        preferred_zones = tuple(zone for zone in preferred if zone in self.zones(region))
        return (
            preferred_zones[:count]
            if count == 1 and preferred_zones
            else preferred_zones or self.zones(region)[:count]
        )

    def offering(self, machine_type: str, region: str) -> tuple[str, ...]:  # noqa: ARG002  as above
        """Return the zones of a region known to offer a machine type; empty if not known."""
        return ()

    def may_use(self, price_zone: str, zones: tuple[str, ...]) -> bool:
        """Return whether a price row's zone may be one of the machines' zones."""
        return price_zone in zones

    def of_resource(self, *property_sets: Mapping[str, Any]) -> str | Unknown | None:
        """Return a resource's region by its own inputs, else by its provider's; or None."""
        for property_set in property_sets:
            region = property_set.get(self.SETTING.rpartition(":")[2])
            if region is not None:
                return self.table_spelling(region) if isinstance(region, str) else UNKNOWN
        return None

    def table_spelling(self, name: str) -> str:
        """Return a region as the table writes it."""
        return name

    def environment_region(self) -> str | Unknown | None:
        """Return the region from the first environment variable that is set; some name a zone."""
        region_and_name = self._region_and_variable()
        return None if region_and_name is None else region_and_name[0]

    def configured_region(self) -> tuple[str, str] | None:
        """Return the region that the provider would use, and its source; None without one."""
        region_and_name = self._region_and_variable()
        return (
            (region_and_name[0], region_and_name[1])
            if region_and_name is not None and isinstance(region_and_name[0], str)
            else None
        )

    def _region_and_variable(self) -> tuple[str | Unknown | None, str] | None:
        names = (name for name in self.VARIABLES if os.environ.get(name))
        name = next(names, None)
        if name is None:
            return None
        value = os.environ[name]
        return self.of_resource({"location": value}, {"region": value}), name

    def configuration(self, region: str) -> dict[str, str]:
        """Return the Pulumi configuration of a program in a region; resources state their own."""
        return {self.SETTING: region}

    def zone_name(self, region: str, letter: str) -> str:
        """Return the full name of a zone that the table writes as a letter or a number."""
        return f"{region}-{letter}"

    @cached_property
    def _all_regions(self) -> tuple[str, ...]:
        return tuple(sorted(self._tables.table("regions")["zones"]))

    @cached_property
    def _zones(self) -> dict[str, tuple[str, ...]]:
        return {
            region: tuple(self.zone_name(region, letter) for letter in letters)
            for region, letters in self._tables.table("regions")["zones"].items()
        }

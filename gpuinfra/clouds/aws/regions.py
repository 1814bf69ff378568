"""The regions and zones of AWS."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.regionlist import RegionList
from gpuinfra.model import UNKNOWN, Machine, Unknown

REGION_VARIABLES: Final = ("AWS_REGION", "AWS_DEFAULT_REGION")
"""https://www.pulumi.com/registry/packages/aws/installation-configuration/#configuration-reference"""

_ZONE_ID: Final = re.compile(r"[a-z]+\d+-az\d+")
"""An availability zone's id, such as use1-az2; which zone name it has differs by account:
https://docs.aws.amazon.com/global-infrastructure/latest/regions/az-ids.html"""


regions = RegionList(TABLES).regions


@cache
def known_zones(region: str) -> tuple[str, ...]:
    """The full names of a region's zones; empty for a region that the table lacks."""
    return tuple(
        f"{region}{letter}" for letter in TABLES.table("regions")["zones"].get(region, ())
    )


def opted_in(region: str) -> bool:
    """Whether an account has a region only once it opts in; false in other partitions."""
    by_default = TABLES.table("regions")["by_default"]["regions"]
    return partition_of(region) == "aws" and region not in by_default


def may_use(price_zone: str, zones: tuple[str, ...]) -> bool:
    """Whether a price row's zone can be one of the zones in which machines stand.

    A zone id can be any of them; local and wavelength zones only where they are named.
    """
    return price_zone in zones or _ZONE_ID.fullmatch(price_zone) is not None


def zones(
    region: str,
    wanted: tuple[str, ...] = (),
    count: int = 1,
    machine: Machine | None = None,  # noqa: ARG001  which zones have it differs by account
) -> tuple[str, ...]:
    """The zones that machines use: those wanted in this region, else its first `count` known."""
    named = tuple(zone for zone in wanted if zone in known_zones(region))
    return named[:count] if count == 1 and named else named or known_zones(region)[:count]


def region_of(*places: Mapping[str, Any]) -> str | Unknown | None:
    """A resource's region: its own, or its provider's."""
    for place in places:
        region = place.get("region")
        if region is not None:
            return region if isinstance(region, str) else UNKNOWN
    return None


def configuration(region: str) -> dict[str, str]:
    """Pulumi configuration for a program that builds here; each resource says its own region."""
    return {"aws:region": region}

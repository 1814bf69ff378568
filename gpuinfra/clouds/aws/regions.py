"""The regions and zones of AWS."""

import os
import re
from pathlib import Path
from typing import Final

from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.region_list import RegionList

_ZONE_ID: Final = re.compile(r"[a-z]+\d+-az\d+")
"""An availability zone's id, for example use1-az2; which zone name it has differs by account:
https://docs.aws.amazon.com/global-infrastructure/latest/regions/az-ids.html"""


class Regions(RegionList):
    """The regions of AWS.

    https://www.pulumi.com/registry/packages/aws/installation-configuration/#configuration-reference
    """

    VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")
    SETTING = "aws:region"

    def configured_region(self) -> tuple[str, str] | None:
        """Return the region of the environment, else of the profile in the shared configuration.

        https://docs.aws.amazon.com/sdkref/latest/guide/feature-region.html
        """
        return super().configured_region() or _profile_region()

    def zone_name(self, region: str, letter: str) -> str:
        """Return the name of a zone, for example us-east-1a."""
        return f"{region}{letter}"

    def may_use(self, price_zone: str, zones: tuple[str, ...]) -> bool:
        """Return whether a price row's zone may be one of the machines' zones.

        A zone id can be any of them; local and wavelength zones only where they are named.
        """
        return price_zone in zones or _ZONE_ID.fullmatch(price_zone) is not None


def _profile_region() -> tuple[str, str] | None:
    """Return the region of the profile that AWS_PROFILE names, by default `default`."""
    from configparser import ConfigParser  # noqa: PLC0415  (most stack files name their regions)
    from configparser import Error as ConfigError  # noqa: PLC0415

    path = Path(os.environ.get("AWS_CONFIG_FILE") or "~/.aws/config").expanduser()
    name = os.environ.get("AWS_PROFILE") or "default"
    file = ConfigParser(interpolation=None, strict=False)
    try:
        file.read(path, encoding="utf-8")
    except (ConfigError, OSError, UnicodeDecodeError):
        return None
    sections = (f"profile {name}", name) if name == "default" else (f"profile {name}",)
    values = (file.get(section, "region", fallback="").strip() for section in sections)
    region = next((value for value in values if value), None)
    return None if region is None else (region, f"the profile {name} in {path}")


REGIONS: Final = Regions(TABLES, default="us-east-1")


def opted_in(region: str) -> bool:
    """Return whether an account has to opt in to a region; False in other partitions."""
    by_default = TABLES.table("regions")["by_default"]["regions"]
    return partition_of(region) == "aws" and region not in by_default

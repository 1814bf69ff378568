"""The regions and zones of AWS."""

import re
from typing import Final

from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.regionlist import RegionList

_ZONE_ID: Final = re.compile(r"[a-z]+\d+-az\d+")
"""An availability zone's id, for example use1-az2; which zone name it has differs by account:
https://docs.aws.amazon.com/global-infrastructure/latest/regions/az-ids.html"""


class Regions(RegionList):
    """The regions of AWS.

    https://www.pulumi.com/registry/packages/aws/installation-configuration/#configuration-reference
    """

    VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")
    SETTING = "aws:region"

    def zone_name(self, region: str, letter: str) -> str:
        """Return us-east-1a."""
        return f"{region}{letter}"

    def may_use(self, price_zone: str, zones: tuple[str, ...]) -> bool:
        """Whether a price row's zone can be one of the zones in which machines stand.

        A zone id can be any of them; local and wavelength zones only where they are named.
        """
        return price_zone in zones or _ZONE_ID.fullmatch(price_zone) is not None


REGIONS: Final = Regions(TABLES, default="us-east-1")


def opted_in(region: str) -> bool:
    """Whether an account has a region only once it opts in; false in other partitions."""
    by_default = TABLES.table("regions")["by_default"]["regions"]
    return partition_of(region) == "aws" and region not in by_default

"""The Google Cloud provider: its tables, its observers and its builders."""

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.gcp.machines import MACHINES
from gpuinfra.clouds.gcp.regions import REGIONS
from gpuinfra.clouds.gcp.tables import PRICES, TABLES
from gpuinfra.clouds.provider import CloudProvider, MonthDiscount, lazy_attribute

if TYPE_CHECKING:  # each part has what it needs
    from gpuinfra.clouds.gcp import declare, fabric, images, observe, refresh
    from gpuinfra.clouds.provider_contract import Declare, Images, Interconnect, Observe
    from gpuinfra.clouds.refreshing.contract import PriceSource

    _PARTS: tuple[Images, Interconnect, Declare, Observe, PriceSource] = (
        images,
        fabric,
        declare,
        observe,
        refresh,
    )


_CUSTOM: Final = (
    "custom machine types of this series, and those with extended memory, are billed for vCPUs "
    "and memory at rates of their own, for which the catalog has no source"
)


class Gcp(CloudProvider):
    """The Google Cloud provider; each part is loaded on first use."""

    tables = TABLES
    machines = MACHINES
    prices = PRICES
    regions = REGIONS
    refresh = lazy_attribute("refresh")
    takes_spot_maximum = False
    keeps_content = True
    budget_type = "gcp:billing/budget:Budget"
    tag_word = "label"
    budget_keys = ("per_month", "billing_account")
    quota_command = "gcloud compute regions describe {region}"
    """https://cloud.google.com/sdk/gcloud/reference/compute/regions/describe of 2025-05-07."""
    login = (
        "log in by Identity-Aware Proxy: "
        "gcloud compute ssh MACHINE --zone {zone} --tunnel-through-iap"
    )
    """https://docs.cloud.google.com/sdk/gcloud/reference/compute/start-iap-tunnel"""

    def month_discount(self, machine: str) -> MonthDiscount | None:
        """Return the sustained-use discount of a machine type; None where it has none."""
        rows = [row for row in TABLES.rows("sustained_use") if machine.startswith(row["machines"])]
        if not rows:
            return None
        return MonthDiscount(
            steps=tuple((Decimal(row["after"]), Decimal(row["costs"])) for row in rows),
            source=rows[0]["source"],
            as_of=rows[0]["as_of"],
        )

    def why_unlisted(self, machine: str) -> str:
        """Return why a custom machine type has no price; empty for other types.

        https://docs.cloud.google.com/compute/docs/instances/creating-instance-with-custom-machine-type
        """
        custom = machine.startswith("custom-") or "-custom-" in machine
        return _CUSTOM if custom else ""

    def image_id(self, name: str, region: str) -> str:
        """Return the newest image of a family."""
        from gpuinfra.clouds.gcp import imageids

        return imageids.image_id(name, region)


PROVIDER: Final = Gcp()

"""The price items of Filestore shares that claims of Kubernetes objects make."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.observing.disk_claims import DiskClaim
from gpuinfra.clouds.observing.rows import service_item
from gpuinfra.clouds.observing.values import is_on, text
from gpuinfra.model import UNKNOWN, Item, Resource, Unknown

DRIVER: Final = "filestore.csi.storage.gke.io"
_SHARES: Final[Mapping[str, Any]] = TABLES.table("items")["claimed_shares"]
_ITEMS: Final[Mapping[str, str]] = TABLES.table("items")["filestore_tiers"]


def claimed_items(resource: Resource, claim: DiskClaim, region: str) -> Iterator[Item]:
    """Yield the item of the shares of a claim, each as large as the smallest one of its tier.

    A share that claims have in common, and a tier without a price, have items without one.
    https://docs.cloud.google.com/filestore/docs/csi-driver
    """
    parameters = claim.storage_class.parameters
    tier, share_zone = (
        text(parameters.get("tier")) or _SHARES["unstated"],
        text(parameters.get("location")),
    )
    is_in_region = not isinstance(share_zone, Unknown) and (share_zone or region).startswith(
        region
    )
    name, shared = str(tier).lower(), is_on(parameters.get("multishare")) is not False
    item = _item_of(name, shared=shared)
    size = _size(claim, name) if is_in_region and isinstance(tier, str) else UNKNOWN
    yield service_item("gcp", resource, "file system", item, "GB-month", claim.times(size), region)


def _item_of(tier: str, *, shared: bool) -> str:
    if shared:
        return "filestore-multishare"
    return _ITEMS.get(tier.upper(), f"filestore-{tier}")


def _size(claim: DiskClaim, tier: str) -> Decimal | Unknown:
    if isinstance(claim.gib, Unknown):
        return UNKNOWN
    return max(claim.gib, Decimal(_SHARES["smallest_gib"].get(tier, 0)))

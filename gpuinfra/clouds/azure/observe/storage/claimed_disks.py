"""The price items of managed disks that claims of Kubernetes objects make."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gpuinfra.clouds.azure.observe.storage.disks import disk_items, disk_of
from gpuinfra.clouds.observing.disk_claims import DiskClaim
from gpuinfra.model import Item, Resource

_UNSAID: Final = "StandardSSD_LRS"
_INPUTS: Final = {
    "diskIOPSReadWrite": "diskiopsreadwrite",
    "diskMBpsReadWrite": "diskmbpsreadwrite",
    "maxShares": "maxshares",
    "burstingEnabled": "enablebursting",
}
"""https://github.com/kubernetes-sigs/azuredisk-csi-driver/blob/master/docs/driver-parameters.md"""


def claimed_items(resource: Resource, claim: DiskClaim, region: str) -> Iterator[Item]:
    """Yield the items of the disks of a claim."""
    parameters = claim.storage_class.parameters
    sku = parameters.get("skuname") or parameters.get("storageaccounttype") or _UNSAID
    inputs = {key: parameters.get(name) for key, name in _INPUTS.items()}
    spec = {**inputs, "sku": {"name": sku}, "diskSizeGB": claim.gib}
    disk = disk_of(replace(resource, inputs=spec))
    for item in disk_items((disk,), resource.urn, region=region):
        yield replace(item, quantity=claim.times(item.quantity))

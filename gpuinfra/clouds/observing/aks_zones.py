"""Whether a stack's AKS clusters are in one zone, so that their built-in disks have no copies."""

from typing import Final

from gpuinfra.clouds.observing.cluster_services import CLUSTERS
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import Unknown

_POOL: Final = "azure-native:containerservice:AgentPool"
_CHOOSES_NODES: Final = (("sku", "name", "Base"), ("nodeProvisioningProfile", "mode", "Manual"))
"""What a cluster says to choose nodes, and so zones, by itself, with the value that does not."""


def is_in_one_zone(index: Index) -> bool:
    """Return whether all nodes of the clusters are surely in one zone, or in none.

    https://learn.microsoft.com/azure/aks/concepts-storage#storage-classes
    """
    clusters = [each.inputs for each in index.of_kind(CLUSTERS["azure"])]
    pools = [each.inputs for each in index.of_kind(_POOL)]
    pools += [pool for inputs in clusters for pool in as_list(inputs.get("agentPoolProfiles"))]
    if not clusters or any(
        at(inputs.get(part), key) not in (None, plain)
        for inputs in clusters
        for part, key, plain in _CHOOSES_NODES
    ):
        return False
    zone_lists = [at(pool, "availabilityZones") for pool in pools]
    zones = {zone for each in zone_lists for zone in as_list(each)}
    has_unknowns = any(isinstance(each, Unknown) for each in (*pools, *zone_lists, *zones))
    return not has_unknowns and len(zones) <= 1

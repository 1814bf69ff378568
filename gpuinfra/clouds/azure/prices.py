"""The prices of Azure: machines, services, and the resource types that cost nothing."""

from typing import Final

from gpuinfra.clouds.azure.metered import METERED
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.price_list import PriceList

_TOKENS: Final = {
    "disk-": "azure-native:compute:Disk",
    "nat-gateway-": "azure-native:network:NatGateway",
    "public-ip-prefix-": "azure-native:network:PublicIPPrefix",
    "public-ip-": "azure-native:network:PublicIPAddress",
    "lb-": "azure-native:network:LoadBalancer",
    "blob-": "azure-native:storage:StorageAccount",
    "files-": "azure-native:storage:FileShare",
    "private-endpoint-": "azure-native:network:PrivateEndpoint",
    "vnet-peering-": "azure-native:network:VirtualNetworkPeering",
    "managed-lustre-": "azure-native:storagecache:AmlFilesystem",
    "netapp-files-": "azure-native:netapp:CapacityPool",
    "log-analytics-": "azure-native:operationalinsights:Workspace",
}

PRICES: Final = PriceList("azure", TABLES, _TOKENS, METERED)

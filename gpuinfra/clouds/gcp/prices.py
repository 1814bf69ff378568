"""The prices of Google Cloud: machines, services, and the resource types that cost nothing."""

from typing import Final

from gpuinfra.clouds.gcp.metered import METERED
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.price_list import PriceList

_TOKENS: Final = {
    "pd-": "gcp:compute/disk:Disk",
    "hyperdisk-": "gcp:compute/disk:Disk",
    "local-ssd-": "gcp:compute/disk:Disk",
    "cloud-nat-": "gcp:compute/routerNat:RouterNat",
    "external-ip-": "gcp:compute/address:Address",
    "lb-": "gcp:compute/forwardingRule:ForwardingRule",
    "gcs-": "gcp:storage/bucket:Bucket",
    "filestore-": "gcp:filestore/instance:Instance",
    "managed-lustre-": "gcp:lustre/instance:Instance",
    "parallelstore-": "gcp:parallelstore/instance:Instance",
    "gke-": "gcp:container/cluster:Cluster",
}

PRICES: Final = PriceList("gcp", TABLES, _TOKENS, METERED)

"""Who observes which type of Azure: an observer is imported once a stack has its type."""

from collections.abc import Callable
from typing import Final

from gpuinfra.clouds.azure.observe import kinds
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.lazy import LazyTable
from gpuinfra.model import Resource, Rows, Usage

OBSERVERS: Final = LazyTable[Callable[[Resource, Index, Usage], Rows]](
    "gpuinfra.clouds.azure.observe",
    {
        **dict.fromkeys(kinds.MACHINES, "groups:group_rows"),
        kinds.AUTOSCALE: "groups:autoscale_rows",
        kinds.RESERVATION: "reservations:reservation_rows",
        kinds.POOL: "clusters:pool_rows",
        kinds.CLUSTER: "clusters:cluster_rows",
        kinds.NAT: "services:nat_gateway",
        kinds.ADDRESS: "services:address",
        kinds.ADDRESSES: "services:addresses",
        kinds.BALANCER: "services:load_balancer",
        kinds.ENDPOINT: "services:endpoint",
        kinds.DISK: "services:disk",
        kinds.LUSTRE: "services:lustre",
        kinds.NETAPP_POOL: "services:netapp_pool",
        kinds.LOGS: "services:workspace",
        kinds.REGISTRY: "services:registry",
        kinds.REPLICATION: "services:replication",
        kinds.APP_PASSWORD: "services:app_password",
        kinds.PRINCIPAL_PASSWORD: "services:principal_password",
        kinds.ACCOUNT: "buckets:account_rows",
        kinds.CONTAINER: "buckets:container_rows",
        kinds.GATEWAY: "listeners:gateway",
        kinds.ASSIGNMENT: "grants:assignment",
        kinds.ROLE: "grants:role",
        kinds.FEDERATED: "federated:credential",
        kinds.FLEXIBLE: "federated:credential",
    },
)

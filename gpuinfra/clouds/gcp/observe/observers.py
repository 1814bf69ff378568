"""Who observes which kind of Google Cloud: an observer is imported once a stack has its kind."""

from collections.abc import Callable
from typing import Final

from gpuinfra.clouds.gcp.observe import kinds
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.lazy import LazyTable
from gpuinfra.model import Resource, Rows, Usage

OBSERVERS: Final = LazyTable[Callable[[Resource, Index, Usage], Rows]](
    "gpuinfra.clouds.gcp.observe",
    {
        **dict.fromkeys(kinds.MACHINES, "groups:group_rows"),
        kinds.AUTOSCALER: "groups:autoscaler_rows",
        kinds.RESIZE: "groups:resize_rows",
        kinds.RESERVATION: "reservations:reservation_rows",
        kinds.FUTURE_RESERVATION: "services:future_reservation",
        kinds.NAT: "services:nat",
        kinds.ADDRESS: "services:address",
        kinds.FORWARDING: "services:load_balancer",
        kinds.DISK: "services:disk",
        kinds.BUCKET: "services:bucket",
        kinds.CLUSTER: "services:cluster",
        kinds.LUSTRE: "services:lustre",
        kinds.PARALLELSTORE: "services:parallelstore",
        kinds.FILESTORE: "services:filestore",
        kinds.KEY: "services:account_key",
        kinds.HMAC_KEY: "services:hmac_key",
        kinds.API_KEY: "services:api_key",
        kinds.PROJECT_METADATA: "shared_metadata:whole",
        kinds.PROJECT_METADATA_ITEM: "shared_metadata:of_one_key",
        kinds.ZONE_SETTINGS: "shared_metadata:of_a_zone",
        **dict.fromkeys(kinds.MEMBERS, "grants:member"),
        **dict.fromkeys(kinds.BINDINGS, "grants:binding"),
        **dict.fromkeys(kinds.POLICIES, "grants:policy"),
        kinds.ACCOUNT_MEMBER: "grants:account_member",
        kinds.ACCOUNT_BINDING: "grants:account_binding",
        kinds.ACCOUNT_POLICY: "grants:account_policy",
        kinds.CUSTOM_ROLE: "grants:custom_role",
        kinds.POOL_PROVIDER: "pool_providers:pool_provider",
        kinds.BUCKET_MEMBER: "buckets:grant",
        kinds.BUCKET_BINDING: "buckets:grant",
        kinds.BUCKET_POLICY: "buckets:grant",
        kinds.BUCKET_ACCESS: "buckets:grant",
        kinds.BUCKET_ACL: "buckets:grant",
    },
)

"""The observer functions by Google Cloud type, imported once a stack has the type."""

from collections.abc import Callable
from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.lazy import LazyTable
from gpuinfra.model import Resource, Rows, Usage

OBSERVERS: Final = LazyTable[Callable[[Resource, Index, Usage], Rows]](
    "gpuinfra.clouds.gcp.observe",
    {
        **dict.fromkeys(resource_types.MACHINES, "groups:group_rows"),
        resource_types.AUTOSCALER: "groups:autoscaler_rows",
        resource_types.RESIZE: "groups:resize_rows",
        resource_types.RESERVATION: "reservations:reservation_rows",
        resource_types.FUTURE_RESERVATION: "service_costs:future_reservation",
        resource_types.NAT: "service_costs:nat",
        resource_types.ADDRESS: "service_costs:address",
        resource_types.FORWARDING: "service_costs:load_balancer",
        resource_types.DISK: "service_costs:disk",
        resource_types.BUCKET: "service_costs:bucket",
        resource_types.CLUSTER: "cluster_rows:cluster",
        resource_types.LUSTRE: "service_costs:lustre",
        resource_types.PARALLELSTORE: "service_costs:parallelstore",
        resource_types.FILESTORE: "service_costs:filestore",
        "gcp:serviceaccount/key:Key": "service_costs:account_key",
        "gcp:storage/hmacKey:HmacKey": "service_costs:hmac_key",
        "gcp:projects/apiKey:ApiKey": "service_costs:api_key",
        resource_types.PROJECT_METADATA: "shared_metadata:project_metadata",
        resource_types.PROJECT_METADATA_ITEM: "shared_metadata:metadata_item_rows",
        "gcp:compute/instanceSettings:InstanceSettings": "shared_metadata:zone_metadata_rows",
        **dict.fromkeys(resource_types.MEMBERS, "grants:member"),
        **dict.fromkeys(resource_types.BINDINGS, "grants:binding"),
        **dict.fromkeys(resource_types.POLICIES, "grants:policy"),
        "gcp:iap/tunnelIamMember:TunnelIamMember": "grants:member",
        "gcp:iap/tunnelIamBinding:TunnelIamBinding": "grants:binding",
        "gcp:iap/tunnelIamPolicy:TunnelIamPolicy": "grants:policy",
        resource_types.ACCOUNT_MEMBER: "grants:account_member",
        resource_types.ACCOUNT_BINDING: "grants:account_binding",
        resource_types.ACCOUNT_POLICY: "grants:account_policy",
        "gcp:privilegedaccessmanager/entitlement:entitlement": "entitlements:entitlement",
        resource_types.CUSTOM_ROLE: "grants:custom_role",
        resource_types.POOL_PROVIDER: "identity_pool_providers:pool_provider",
        resource_types.BUCKET_MEMBER: "buckets:grant",
        resource_types.BUCKET_BINDING: "buckets:grant",
        resource_types.BUCKET_POLICY: "buckets:grant",
        resource_types.BUCKET_ACCESS: "buckets:grant",
        resource_types.BUCKET_ACL: "buckets:grant",
    },
)

_OBSERVED_TYPES: Final = (
    frozenset(OBSERVERS)
    | TABLES.types("hourly_services")
    | resource_types.UNPRICED_TYPES
    | frozenset(resource_types.CANONICAL_TYPES)
)
TYPES: Final = _OBSERVED_TYPES | {
    formerly for formerly, today in resource_types.FORMERLY.items() if today in _OBSERVED_TYPES
}
"""Every token that is judged."""

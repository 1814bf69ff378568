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
        **dict.fromkeys(resource_types.MACHINES, "machines.groups:group_rows"),
        resource_types.AUTOSCALER: "machines.groups:autoscaler_rows",
        resource_types.RESIZE: "machines.groups:resize_rows",
        resource_types.RESERVATION: "machines.reservations:reservation_rows",
        resource_types.FUTURE_RESERVATION: "costs.service_costs:future_reservation",
        resource_types.NAT: "costs.service_costs:nat",
        resource_types.ADDRESS: "costs.service_costs:address",
        resource_types.FORWARDING: "costs.service_costs:load_balancer",
        resource_types.DISK: "costs.service_costs:disk",
        resource_types.BUCKET: "costs.service_costs:bucket",
        resource_types.CLUSTER: "clusters.cluster_rows:cluster",
        resource_types.LUSTRE: "costs.service_costs:lustre",
        resource_types.PARALLELSTORE: "costs.service_costs:parallelstore",
        resource_types.FILESTORE: "costs.service_costs:filestore",
        "gcp:serviceaccount/key:Key": "costs.service_costs:account_key",
        "gcp:storage/hmacKey:HmacKey": "costs.service_costs:hmac_key",
        "gcp:projects/apiKey:ApiKey": "costs.service_costs:api_key",
        resource_types.PROJECT_METADATA: "machines.shared_metadata:project_metadata",
        resource_types.PROJECT_METADATA_ITEM: "machines.shared_metadata:metadata_item_rows",
        "gcp:compute/instanceSettings:InstanceSettings": (
            "machines.shared_metadata:zone_metadata_rows"
        ),
        **dict.fromkeys(resource_types.MEMBERS, "rights.grants:member"),
        **dict.fromkeys(resource_types.BINDINGS, "rights.grants:binding"),
        **dict.fromkeys(resource_types.POLICIES, "rights.grants:policy"),
        "gcp:billing/accountIamMember:AccountIamMember": "rights.grants:member",
        "gcp:billing/accountIamBinding:AccountIamBinding": "rights.grants:binding",
        "gcp:billing/accountIamPolicy:AccountIamPolicy": "rights.grants:policy",
        "gcp:iap/tunnelIamMember:TunnelIamMember": "rights.grants:member",
        "gcp:iap/tunnelIamBinding:TunnelIamBinding": "rights.grants:binding",
        "gcp:iap/tunnelIamPolicy:TunnelIamPolicy": "rights.grants:policy",
        resource_types.ACCOUNT_MEMBER: "rights.grants:account_member",
        resource_types.ACCOUNT_BINDING: "rights.grants:account_binding",
        resource_types.ACCOUNT_POLICY: "rights.grants:account_policy",
        "gcp:privilegedaccessmanager/entitlement:entitlement": "rights.entitlements:entitlement",
        resource_types.CUSTOM_ROLE: "rights.grants:custom_role",
        resource_types.POOL_PROVIDER: "rights.identity_pool_providers:pool_provider",
        resource_types.BUCKET_MEMBER: "storage.buckets:grant",
        resource_types.BUCKET_BINDING: "storage.buckets:grant",
        resource_types.BUCKET_POLICY: "storage.buckets:grant",
        resource_types.BUCKET_ACCESS: "storage.buckets:grant",
        resource_types.BUCKET_ACL: "storage.buckets:grant",
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

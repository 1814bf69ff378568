"""The observer functions by Azure type, imported once a stack has the type."""

from collections.abc import Callable, Container
from typing import Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.lazy import LazyTable
from gpuinfra.model import Resource, Rows, Usage

OBSERVERS: Final = LazyTable[Callable[[Resource, Index, Usage], Rows]](
    "gpuinfra.clouds.azure.observe",
    {
        **dict.fromkeys(resource_types.MACHINES, "groups:group_rows"),
        resource_types.AUTOSCALE: "groups:autoscale_rows",
        resource_types.RESERVATION: "reservations:reservation_rows",
        resource_types.POOL: "clusters:pool_rows",
        resource_types.CLUSTER: "clusters:cluster_rows",
        resource_types.NAT: "service_costs:nat_gateway",
        resource_types.ADDRESS: "service_costs:address",
        resource_types.ADDRESSES: "service_costs:addresses",
        resource_types.BALANCER: "service_costs:load_balancer",
        resource_types.ENDPOINT: "service_costs:endpoint",
        resource_types.DISK: "service_costs:disk",
        resource_types.LUSTRE: "service_costs:lustre",
        resource_types.NETAPP_POOL: "service_costs:netapp_pool",
        "azure-native:operationalinsights:Workspace": "service_costs:workspace",
        "azure-native:containerregistry:Registry": "service_costs:registry",
        "azure-native:containerregistry:Replication": "service_costs:replication",
        "azuread:index/applicationPassword:ApplicationPassword": "service_costs:app_password",
        resource_types.PRINCIPAL_PASSWORD: "service_costs:principal_password",
        resource_types.ACCOUNT: "buckets:account_rows",
        resource_types.CONTAINER: "buckets:container_rows",
        "azure-native:network:ApplicationGateway": "listeners:gateway",
        resource_types.ASSIGNMENT: "grants:assignment",
        resource_types.ROLE: "grants:role",
        "azure-native:managedservices:RegistrationAssignment": "grants:registration",
        **dict.fromkeys(resource_types.DIRECTORY_GRANTS, "directory_roles:grant"),
        resource_types.FEDERATED_CREDENTIAL: "shared_issuer_credentials:credential",
        "azure-native:web:AppServicePlan": "app_services:plan",
        **dict.fromkeys(resource_types.WEB_APPS, "app_services:app"),
        resource_types.CONTAINER_APP: "container_apps:app",
        resource_types.CONTAINER_APP_ENVIRONMENT: "container_apps:environment",
        resource_types.FLEXIBLE: "shared_issuer_credentials:credential",
    },
)


_OTHERS: Final = resource_types.UNPRICED_TYPES | TABLES.types("hourly_services")


class _Types(Container[str]):
    """The judged tokens, of every API version."""

    def __contains__(self, token: object) -> bool:
        kind = resource_types.canonical(token) if isinstance(token, str) else ""
        return kind in OBSERVERS or kind in _OTHERS


TYPES: Final[Container[str]] = _Types()

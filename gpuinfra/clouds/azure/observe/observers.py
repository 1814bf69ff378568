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
        **dict.fromkeys(resource_types.MACHINES, "machines.groups:group_rows"),
        resource_types.AUTOSCALE: "machines.groups:autoscale_rows",
        resource_types.RESERVATION: "machines.reservations:reservation_rows",
        resource_types.POOL: "clusters.pool_rows:pool_rows",
        resource_types.CLUSTER: "clusters.pool_rows:cluster_rows",
        resource_types.NAT: "costs.service_costs:nat_gateway",
        resource_types.ADDRESS: "costs.service_costs:address",
        resource_types.ADDRESSES: "costs.service_costs:addresses",
        resource_types.BALANCER: "costs.service_costs:load_balancer",
        resource_types.ENDPOINT: "costs.service_costs:endpoint",
        resource_types.DISK: "costs.service_costs:disk",
        resource_types.LUSTRE: "costs.service_costs:lustre",
        resource_types.NETAPP_POOL: "costs.service_costs:netapp_pool",
        "azure-native:operationalinsights:Workspace": "costs.service_costs:workspace",
        "azure-native:containerregistry:Registry": "costs.service_costs:registry",
        "azure-native:containerregistry:Replication": "costs.service_costs:replication",
        "azuread:index/applicationPassword:ApplicationPassword": (
            "costs.service_costs:app_password"
        ),
        resource_types.PRINCIPAL_PASSWORD: "costs.service_costs:principal_password",
        resource_types.ACCOUNT: "storage.buckets:account_rows",
        resource_types.CONTAINER: "storage.buckets:container_rows",
        "azure-native:network:ApplicationGateway": "exposure.listeners:gateway",
        resource_types.ASSIGNMENT: "rights.grants:assignment",
        resource_types.ROLE: "rights.grants:role",
        "azure-native:managedservices:RegistrationAssignment": "rights.grants:registration",
        **dict.fromkeys(resource_types.DIRECTORY_GRANTS, "rights.directory_roles:grant"),
        resource_types.FEDERATED_CREDENTIAL: "rights.shared_issuer_credentials:credential",
        "azure-native:web:AppServicePlan": "costs.app_services:plan",
        **dict.fromkeys(resource_types.WEB_APPS, "costs.app_services:app"),
        resource_types.CONTAINER_APP: "costs.container_apps:app",
        resource_types.CONTAINER_APP_ENVIRONMENT: "costs.container_apps:environment",
        resource_types.FLEXIBLE: "rights.shared_issuer_credentials:credential",
    },
)


_OTHERS: Final = resource_types.UNPRICED_TYPES | TABLES.types("hourly_services")


class _Types(Container[str]):
    """The judged tokens, of every API version."""

    def __contains__(self, token: object) -> bool:
        kind = resource_types.canonical(token) if isinstance(token, str) else ""
        return kind in OBSERVERS or kind in _OTHERS


TYPES: Final[Container[str]] = _Types()

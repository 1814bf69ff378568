"""The provider tokens that are judged, in any API version, and the property that names each."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing import type_tokens

MACHINE: Final = "azure-native:compute:VirtualMachine"
MACHINE_EXTENSION: Final = "azure-native:compute:VirtualMachineExtension"
SCALE_SET: Final = "azure-native:compute:VirtualMachineScaleSet"
SCALE_SET_EXTENSION: Final = "azure-native:compute:VirtualMachineScaleSetExtension"
FLEET: Final = "azure-native:azurefleet:Fleet"
RESERVATION: Final = "azure-native:compute:CapacityReservation"
RESERVATION_GROUP: Final = "azure-native:compute:CapacityReservationGroup"
DISK: Final = "azure-native:compute:Disk"
SNAPSHOT: Final = "azure-native:compute:Snapshot"
IMAGE: Final = "azure-native:compute:Image"
GALLERY_IMAGE: Final = "azure-native:compute:GalleryImage"
GALLERY_VERSION: Final = "azure-native:compute:GalleryImageVersion"
PROXIMITY: Final = "azure-native:compute:ProximityPlacementGroup"
AVAILABILITY: Final = "azure-native:compute:AvailabilitySet"
AUTOSCALE: Final = "azure-native:monitor:AutoscaleSetting"
CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
POOL: Final = "azure-native:containerservice:AgentPool"
NETWORK: Final = "azure-native:network:VirtualNetwork"
SUBNET: Final = "azure-native:network:Subnet"
INTERFACE: Final = "azure-native:network:NetworkInterface"
FIREWALL: Final = "azure-native:network:NetworkSecurityGroup"
FIREWALL_RULE: Final = "azure-native:network:SecurityRule"
ADMIN_RULE: Final = "azure-native:network:AdminRule"
ADDRESS: Final = "azure-native:network:PublicIPAddress"
ADDRESSES: Final = "azure-native:network:PublicIPPrefix"
NAT: Final = "azure-native:network:NatGateway"
BALANCER: Final = "azure-native:network:LoadBalancer"
ENDPOINT: Final = "azure-native:network:PrivateEndpoint"
ACCOUNT: Final = "azure-native:storage:StorageAccount"
COSMOS_ACCOUNT: Final = "azure-native:cosmosdb:DatabaseAccount"
COSMOS_PARTS: Final = ("azure-native:cosmosdb:", "azure-native:documentdb:")
FILE_SHARE: Final = "azure-native:storage:FileShare"
NAT_RULE: Final = "azure-native:network:InboundNatRule"
WEBSITE: Final = "azure-native:storage:StorageAccountStaticWebsite"
CONTAINER: Final = "azure-native:storage:BlobContainer"
BLOB_SERVICE: Final = "azure-native:storage:BlobServiceProperties"
LIFECYCLE: Final = "azure-native:storage:ManagementPolicy"
LUSTRE: Final = "azure-native:storagecache:AmlFilesystem"
NETAPP_POOL: Final = "azure-native:netapp:CapacityPool"
WEB_APP: Final = "azure-native:web:WebApp"
WEB_APPS: Final = (WEB_APP, "azure-native:web:WebAppSlot")
CONTAINER_APP: Final = "azure-native:app:ContainerApp"
CONTAINER_APP_ENVIRONMENT: Final = "azure-native:app:ManagedEnvironment"
IDENTITY: Final = "azure-native:managedidentity:UserAssignedIdentity"
ASSIGNMENT: Final = "azure-native:authorization:RoleAssignment"
ROLE: Final = "azure-native:authorization:RoleDefinition"
REGISTRATION: Final = "azure-native:managedservices:RegistrationDefinition"
FEDERATED_CREDENTIAL: Final = "azure-native:managedidentity:FederatedIdentityCredential"
FLEXIBLE: Final = (
    "azuread:index/applicationFlexibleFederatedIdentityCredential:"
    "ApplicationFlexibleFederatedIdentityCredential"
)
BUDGET: Final = "azure-native:consumption:Budget"
COST_BUDGET: Final = "azure-native:costmanagement:Budget"
SHUTDOWN: Final = "azure-native:devtestlab:GlobalSchedule"
ACTION: Final = "azure-native:computeschedule:ScheduledAction"
RESOURCE_GROUP: Final = "azure-native:resources:ResourceGroup"
PRINCIPAL_PASSWORD: Final = "azuread:index/servicePrincipalPassword:ServicePrincipalPassword"  # noqa: S105
DIRECTORY_GROUP: Final = "azuread:index/group:Group"
DIRECTORY_MEMBER: Final = "azuread:index/groupMember:GroupMember"
DIRECTORY_GROUP_ASSIGNED: Final = (
    "azuread:index/privilegedAccessGroupAssignmentSchedule:PrivilegedAccessGroupAssignmentSchedule"
)
DIRECTORY_GROUP_ELIGIBLE: Final = (
    "azuread:index/privilegedAccessGroupEligibilitySchedule:"
    "PrivilegedAccessGroupEligibilitySchedule"
)
ROLE_OF_DIRECTORY: Final = "azuread:index/directoryRole:DirectoryRole"
DIRECTORY_ROLE: Final = "azuread:index/directoryRoleAssignment:DirectoryRoleAssignment"
DIRECTORY_ROLE_MEMBER: Final = "azuread:index/directoryRoleMember:DirectoryRoleMember"
DIRECTORY_ROLE_ELIGIBLE: Final = (
    "azuread:index/directoryRoleEligibilityScheduleRequest:DirectoryRoleEligibilityScheduleRequest"
)
UNIT_ROLE_MEMBER: Final = "azuread:index/administrativeUnitRoleMember:AdministrativeUnitRoleMember"
APPLICATION: Final = "azuread:index/application:Application"
APPLICATION_OWNER: Final = "azuread:index/applicationOwner:ApplicationOwner"
SERVICE_PRINCIPAL: Final = "azuread:index/servicePrincipal:ServicePrincipal"
APP_ROLE: Final = "azuread:index/appRoleAssignment:AppRoleAssignment"

DIRECTORY_GRANTS: Final = (
    DIRECTORY_ROLE,
    DIRECTORY_ROLE_ELIGIBLE,
    DIRECTORY_ROLE_MEMBER,
    APP_ROLE,
)
"""Types that give a role in all of the directory, or a permission of an API."""

MACHINES: Final = (MACHINE, SCALE_SET, FLEET)
"""Types that hold machines by themselves."""

LUSTRE_TIER: Final = re.compile(r"AMLFS-Durable-Premium-(\d+)")
"""The name says MB/s for each TiB: https://learn.microsoft.com/azure/azure-managed-lustre/amlfs-overview
"""
FILE_SYSTEMS: Final = {LUSTRE: "lustre", NETAPP_POOL: "netapp"}
"""Types that are a file system each, by what it is called."""

ACTION_GROUPS: Final = frozenset(
    f"azure-native:{service}:{name}"
    for service in ("insights", "monitor")
    for name in ("ActionGroup", "TenantActionGroup")
)
"""The action group types, under both names of the service."""

POLICY_ASSIGNMENT: Final = "azure-native:authorization:PolicyAssignment"
EVENT_SUBSCRIPTIONS: Final = frozenset(
    f"azure-native:eventgrid:{of}EventSubscription"
    for of in ("", "SystemTopic", "Topic", "Domain", "DomainTopic", "PartnerTopic")
)
"""What Event Grid delivers to: pulumi-azure-native 3.29.0."""

MAY_START: Final = ACTION_GROUPS | EVENT_SUBSCRIPTIONS | {POLICY_ASSIGNMENT}
"""Types that may start machines which no resource declares, by what they name or may do."""

CALLS_OUT: Final = frozenset(
    {
        *("azure-native:containerregistry:Webhook", "azure-native:securityinsights:Action"),
        *("azure-native:applicationinsights:WebTest", "azure-native:insights:WebTest"),
        *(SHUTDOWN, AUTOSCALE),
        *type_tokens.CALLS_OUT,
    }
)
"""Types that send requests by themselves: the callers of clouds/callees.json."""

DATABASE_RULES: Final[frozenset[str]] = frozenset(TABLES.table("types")["database_rules"])
"""Rules of firewalls of databases: pulumi-azure-native 3.29.0, and how it called them before."""

TLS_ENDPOINTS: Final[Mapping[str, Mapping[str, Any]]] = TABLES.table("types")["tls_endpoints"]
"""Services with a public address, and the inputs that say whether it takes TLS 1.2 or newer."""

REDIS: Final = "azure-native:redis:Redis"
REDIS_CLUSTER: Final = "azure-native:redisenterprise:RedisEnterprise"
PUBLIC_DATA_TYPES: Final = frozenset({*TLS_ENDPOINTS, REDIS_CLUSTER})
"""Types that `data_endpoints` reads."""

UNPRICED_TYPES: Final[frozenset[str]] = frozenset(TABLES.table("types")["unpriced"])
"""Types that cost nothing themselves and say something about those that do."""

_TYPES_IN_IDS: Final[Mapping[str, tuple[str, str]]] = TABLES.table("types")["in_ids"]
"""The types that others name: the input that names a resource, and how an id spells its type."""

NAMES: Final = {kind: name for kind, (name, _) in _TYPES_IN_IDS.items()}
SEGMENTS: Final = {kind: segment for kind, (_, segment) in _TYPES_IN_IDS.items()}

PARENTS: Final = {
    SUBNET: "virtualNetworkName",
    CONTAINER: "accountName",
    GALLERY_IMAGE: "galleryName",
}
"""The input that names what a resource is a part of, where its own name is not unique without."""

_FORMERLY: Final[Mapping[str, str]] = TABLES.table("types")["formerly"]
"""How earlier versions of the provider name a type: `aliases` of pulumi-azure-native 3.29.0."""

_GIVES_A_ROLE: Final = {
    f"azure-native:authorization:{name}": ASSIGNMENT
    for name in (
        *("PimRoleAssignmentSchedule", "PimRoleEligibilitySchedule"),
        *("RoleAssignmentScheduleRequest", "RoleEligibilityScheduleRequest"),
    )
}
"""What gives a role for a time, or lets one take it at will, by the inputs of an assignment:
https://www.pulumi.com/registry/packages/azure-native/api-docs/authorization/pimroleeligibilityschedule/
https://learn.microsoft.com/rest/api/authorization/privileged-role-assignment-rest-sample"""

_GENERATED_PACKAGE: Final = re.compile(r"azure-native_[a-z0-9]+_v[0-9a-z]+:")
_DAY: Final = re.compile(r"[/_]v(\d{4})(\d{2})(\d{2})[0-9a-z]*:")
_VERSION: Final = re.compile(r"(azure-native:[a-z0-9]+)/v[0-9a-z]+:")


@lru_cache(maxsize=4096)
def canonical(token: str) -> str:
    """Return a token without its API version: azure-native:compute/v20240301:VirtualMachine.

    A type that has moved to another module has its present name. Packages that are generated for
    one version have it in their own name (azure-native_compute_v20240301:compute:VirtualMachine);
    both forms are among the `aliases` of pulumi-azure-native 3.29.0.
    """
    plain = _VERSION.sub(r"\1:", _GENERATED_PACKAGE.sub("azure-native:", token, count=1), count=1)
    return _FORMERLY.get(plain) or _GIVES_A_ROLE.get(plain, plain)


def api_version(token: str) -> str | None:
    """Return the API version in a token in Azure's format (2024-03-01); None if it has none.

    That of a preview is the day alone.
    """
    match = _DAY.search(token)
    return None if match is None else "-".join(match.groups())

"""The Pulumi resource types that are judged; zonal, regional and global ones are one kind."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.observing import type_tokens

INSTANCE: Final = "gcp:compute/instance:Instance"
INSTANCE_FROM_TEMPLATE: Final = "gcp:compute/instanceFromTemplate:InstanceFromTemplate"
TEMPLATE: Final = "gcp:compute/instanceTemplate:InstanceTemplate"
GROUP: Final = "gcp:compute/instanceGroupManager:InstanceGroupManager"
REGION_GROUP: Final = "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager"
AUTOSCALER: Final = "gcp:compute/autoscaler:Autoscaler"
RESIZE: Final = "gcp:compute/resizeRequest:ResizeRequest"
RESERVATION: Final = "gcp:compute/reservation:Reservation"
FUTURE_RESERVATION: Final = "gcp:compute/futureReservation:FutureReservation"
NODE_POOL: Final = "gcp:container/nodePool:NodePool"
CLUSTER: Final = "gcp:container/cluster:Cluster"
DISK: Final = "gcp:compute/disk:Disk"
REGION_DISK: Final = "gcp:compute/regionDisk:RegionDisk"
IMAGE: Final = "gcp:compute/image:Image"
SNAPSHOT: Final = "gcp:compute/snapshot:Snapshot"
ADDRESS: Final = "gcp:compute/address:Address"
GLOBAL_ADDRESS: Final = "gcp:compute/globalAddress:GlobalAddress"
ROUTER: Final = "gcp:compute/router:Router"
NAT: Final = "gcp:compute/routerNat:RouterNat"
FORWARDING: Final = "gcp:compute/forwardingRule:ForwardingRule"
GLOBAL_FORWARDING: Final = "gcp:compute/globalForwardingRule:GlobalForwardingRule"
BACKEND: Final = "gcp:compute/backendService:BackendService"
CHECK: Final = "gcp:compute/healthCheck:HealthCheck"
PLAIN_PROXY: Final = "gcp:compute/targetHttpProxy:TargetHttpProxy"
TLS_PROXY: Final = "gcp:compute/targetHttpsProxy:TargetHttpsProxy"
TLS_POLICY: Final = "gcp:compute/sSLPolicy:SSLPolicy"
ROUTES: Final = "gcp:compute/uRLMap:URLMap"
NETWORK: Final = "gcp:compute/network:Network"
SUBNET: Final = "gcp:compute/subnetwork:Subnetwork"
FIREWALL: Final = "gcp:compute/firewall:Firewall"
FIREWALL_POLICY: Final = "gcp:compute/networkFirewallPolicy:NetworkFirewallPolicy"
"""A global policy of networks, whose rules are resources of their own."""
POLICY_ASSOCIATION: Final = (
    "gcp:compute/networkFirewallPolicyAssociation:NetworkFirewallPolicyAssociation"
)
FIREWALL_RULE: Final = "gcp:compute/networkFirewallPolicyRule:NetworkFirewallPolicyRule"
FIREWALL_RULES: Final = "gcp:compute/networkFirewallPolicyWithRules:NetworkFirewallPolicyWithRules"
"""A policy and all of its rules in one resource."""
POLICY: Final = "gcp:compute/resourcePolicy:ResourcePolicy"
POLICY_ATTACHMENT: Final = "gcp:compute/resourcePolicyAttachment:ResourcePolicyAttachment"
ACCOUNT: Final = "gcp:serviceaccount/account:Account"
CUSTOM_ROLE: Final = "gcp:projects/iAMCustomRole:IAMCustomRole"
POOL_PROVIDER: Final = "gcp:iam/workloadIdentityPoolProvider:WorkloadIdentityPoolProvider"
MEMBERS: Final = (
    "gcp:projects/iAMMember:IAMMember",
    "gcp:folder/iAMMember:IAMMember",
    "gcp:organizations/iAMMember:IAMMember",
)
BINDINGS: Final = (
    "gcp:projects/iAMBinding:IAMBinding",
    "gcp:folder/iAMBinding:IAMBinding",
    "gcp:organizations/iAMBinding:IAMBinding",
)
ACCOUNT_MEMBER: Final = "gcp:serviceaccount/iAMMember:IAMMember"
ACCOUNT_BINDING: Final = "gcp:serviceaccount/iAMBinding:IAMBinding"
ACCOUNT_POLICY: Final = "gcp:serviceaccount/iAMPolicy:IAMPolicy"
BUCKET: Final = "gcp:storage/bucket:Bucket"
POLICIES: Final = (
    "gcp:projects/iAMPolicy:IAMPolicy",
    "gcp:folder/iAMPolicy:IAMPolicy",
    "gcp:organizations/iAMPolicy:IAMPolicy",
)
"""All roles of a project, folder or organization in one resource."""
BUCKET_MEMBER: Final = "gcp:storage/bucketIAMMember:BucketIAMMember"
BUCKET_BINDING: Final = "gcp:storage/bucketIAMBinding:BucketIAMBinding"
BUCKET_POLICY: Final = "gcp:storage/bucketIAMPolicy:BucketIAMPolicy"
BUCKET_ACL: Final = "gcp:storage/bucketACL:BucketACL"
BUCKET_ACCESS: Final = "gcp:storage/bucketAccessControl:BucketAccessControl"
PROJECT_METADATA: Final = "gcp:compute/projectMetadata:ProjectMetadata"
PROJECT_METADATA_ITEM: Final = "gcp:compute/projectMetadataItem:ProjectMetadataItem"
BUDGET: Final = "gcp:billing/budget:Budget"
LUSTRE: Final = "gcp:lustre/instance:Instance"
FILESTORE: Final = "gcp:filestore/instance:Instance"
PARALLELSTORE: Final = "gcp:parallelstore/instance:Instance"

CALLS_OUT: Final = frozenset(
    {
        "gcp:cloudscheduler/job:Job",
        "gcp:cloudtasks/queue:Queue",
        "gcp:pubsub/subscription:Subscription",
        "gcp:monitoring/notificationChannel:NotificationChannel",
        "gcp:monitoring/uptimeCheckConfig:UptimeCheckConfig",
        *type_tokens.CALLS_OUT,
    }
)
"""Types that send requests by themselves: the callers of clouds/callees.json."""

CANONICAL_TYPES: Final[Mapping[str, str]] = TABLES.table("types")["same"]
"""Regional and global twins, by the kind that stands for them."""

IDENTITIES: Final[frozenset[str]] = frozenset(TABLES.table("types")["identities"])
"""Types whose outputs make up the members of grants: accounts, pools, the numbers of projects, and
what has an account of its own. Google chooses them, so none of them is everyone:
https://docs.cloud.google.com/iam/docs/principal-identifiers"""

DATABASES: Final = frozenset(
    {"gcp:sql/databaseInstance:DatabaseInstance", "gcp:alloydb/instance:Instance"}
)
"""Kinds that may have a public address, which networks are let in to."""

FUNCTION: Final = "gcp:cloudfunctions/function:Function"
"""A function of the first generation, which may answer over plain HTTP."""

APP_VERSIONS: Final = frozenset(
    {
        "gcp:appengine/standardAppVersion:StandardAppVersion",
        "gcp:appengine/flexibleAppVersion:FlexibleAppVersion",
    }
)
EXPOSED_TYPES: Final = DATABASES | APP_VERSIONS | {FUNCTION}
"""Kinds that `exposures` reads."""

CLOUD_RUN_SERVICES: Final = ("gcp:cloudrunv2/service:Service", "gcp:cloudrun/service:Service")
"""Both versions of a service."""

SERVICE_ATTACHMENT: Final = "gcp:compute/serviceAttachment:ServiceAttachment"
NETWORK_ATTACHMENT: Final = "gcp:compute/networkAttachment:NetworkAttachment"
FTP_SERVER: Final = "gcp:storage/ftpServer:FtpServer"
PUBLISHED_TYPES: Final = frozenset({SERVICE_ATTACHMENT, NETWORK_ATTACHMENT, FTP_SERVER})
"""Kinds that other networks or the internet may connect to."""

FLEET_BINDINGS: Final = frozenset(
    {
        "gcp:gkehub/membershipRbacRoleBinding:MembershipRbacRoleBinding",
        "gcp:gkehub/scopeRbacRoleBinding:ScopeRbacRoleBinding",
    }
)
"""Kinds that give rights in the clusters of a fleet."""

ORGANIZATION_POLICIES: Final = frozenset(
    {
        "gcp:orgpolicy/policy:Policy",
        "gcp:projects/organizationPolicy:OrganizationPolicy",
        "gcp:folder/organizationPolicy:OrganizationPolicy",
        "gcp:organizations/policy:Policy",
    }
)
"""Kinds that enforce, or lift, a constraint."""

OUTSIDE_ACCESS_TYPES: Final = PUBLISHED_TYPES | FLEET_BINDINGS | ORGANIZATION_POLICIES
"""Kinds without observers that may be for more than they should."""

MACHINES: Final = frozenset({INSTANCE, INSTANCE_FROM_TEMPLATE, GROUP, NODE_POOL})
"""Kinds that hold machines by themselves."""

GLOBAL: Final = frozenset({GLOBAL_ADDRESS, GLOBAL_FORWARDING})
"""Types with a price that are in no region."""

FILE_SYSTEMS: Final = {
    LUSTRE: "lustre",
    PARALLELSTORE: "parallelstore",
    FILESTORE: "filestore",
}
"""Kinds that are a file system each, by what it is called."""

UNPRICED_TYPES: Final[frozenset[str]] = frozenset(TABLES.table("types")["unpriced"])
"""Kinds that cost nothing themselves and say something about those that do."""

FORMERLY: Final[Mapping[str, str]] = TABLES.table("types")["formerly"]
"""How earlier versions of the provider name a type: every alias of pulumi-gcp 10.2.0."""


@lru_cache(maxsize=4096)
def canonical(token: str) -> str:
    """Return the kind that a resource type belongs to."""
    return CANONICAL_TYPES.get(token) or FORMERLY.get(token, token)

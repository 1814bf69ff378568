"""The provider tokens that are judged, and the older spellings of the same resources."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Final

from gpuinfra.clouds.aws.tables import TABLES

GROUP: Final = "aws:autoscaling/group:Group"
SCHEDULE: Final = "aws:autoscaling/schedule:Schedule"
HOOK: Final = "aws:autoscaling/lifecycleHook:LifecycleHook"
SCALING_POLICY: Final = "aws:autoscaling/policy:Policy"
BUDGET: Final = "aws:budgets/budget:Budget"
ENCRYPTION_DEFAULT: Final = "aws:ebs/encryptionByDefault:EncryptionByDefault"
METADATA_DEFAULTS: Final = "aws:ec2/instanceMetadataDefaults:InstanceMetadataDefaults"
EIP: Final = "aws:ec2/eip:Eip"
EIP_ASSOCIATION: Final = "aws:ec2/eipAssociation:EipAssociation"
FLEET: Final = "aws:ec2/fleet:Fleet"
SPOT_FLEET: Final = "aws:ec2/spotFleetRequest:SpotFleetRequest"
SPOT_REQUEST: Final = "aws:ec2/spotInstanceRequest:SpotInstanceRequest"
IMAGE_COPY: Final = "aws:ec2/amiCopy:AmiCopy"
INSTANCE: Final = "aws:ec2/instance:Instance"
TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"
NAT: Final = "aws:ec2/natGateway:NatGateway"
PLACEMENT: Final = "aws:ec2/placementGroup:PlacementGroup"
SECURITY_GROUP: Final = "aws:ec2/securityGroup:SecurityGroup"
SECURITY_RULE: Final = "aws:ec2/securityGroupRule:SecurityGroupRule"
EXCLUSIVE_RULES: Final = "aws:ec2/vpcSecurityGroupRulesExclusive:VpcSecurityGroupRulesExclusive"
SUBNET: Final = "aws:ec2/subnet:Subnet"
ENDPOINT: Final = "aws:ec2/vpcEndpoint:VpcEndpoint"
ENDPOINT_SUBNET: Final = "aws:ec2/vpcEndpointSubnetAssociation:VpcEndpointSubnetAssociation"
NETWORK: Final = "aws:ec2/vpc:Vpc"
EKS_CLUSTER: Final = "aws:eks/cluster:Cluster"
CAPACITY_PROVIDER: Final = "aws:ecs/capacityProvider:CapacityProvider"
TASK: Final = "aws:ecs/taskDefinition:TaskDefinition"
ECS_SERVICE: Final = "aws:ecs/service:Service"
NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
RESERVATION: Final = "aws:ec2/capacityReservation:CapacityReservation"
PROFILE: Final = "aws:iam/instanceProfile:InstanceProfile"
POLICY: Final = "aws:iam/policy:Policy"
ROLE: Final = "aws:iam/role:Role"
ROLE_POLICY: Final = "aws:iam/rolePolicy:RolePolicy"
ROLE_ATTACHMENT: Final = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
ROLE_ATTACHMENTS: Final = "aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive"
CLUSTER_ACCESS: Final = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
ROLE_POLICIES: Final = "aws:iam/rolePoliciesExclusive:RolePoliciesExclusive"
POLICY_ATTACHMENT: Final = "aws:iam/policyAttachment:PolicyAttachment"
USER: Final = "aws:iam/user:User"
USER_POLICY: Final = "aws:iam/userPolicy:UserPolicy"
USER_ATTACHMENT: Final = "aws:iam/userPolicyAttachment:UserPolicyAttachment"
USER_ATTACHMENTS: Final = "aws:iam/userPolicyAttachmentsExclusive:UserPolicyAttachmentsExclusive"
IAM_GROUP: Final = "aws:iam/group:Group"
IAM_GROUP_POLICY: Final = "aws:iam/groupPolicy:GroupPolicy"
IAM_GROUP_ATTACHMENT: Final = "aws:iam/groupPolicyAttachment:GroupPolicyAttachment"
IAM_GROUP_ATTACHMENTS: Final = (
    "aws:iam/groupPolicyAttachmentsExclusive:GroupPolicyAttachmentsExclusive"
)
TOPIC_POLICY: Final = "aws:sns/topicPolicy:TopicPolicy"
QUEUE_POLICY: Final = "aws:sqs/queuePolicy:QueuePolicy"
FIREWALL_ASSOCIATION: Final = "aws:wafv2/webAclAssociation:WebAclAssociation"
SERVICE_CREDENTIAL: Final = "aws:iam/serviceSpecificCredential:ServiceSpecificCredential"
LISTENER: Final = "aws:lb/listener:Listener"
LISTENER_RULE: Final = "aws:lb/listenerRule:ListenerRule"
CLASSIC_BALANCER: Final = "aws:elb/loadBalancer:LoadBalancer"
PREFIX_LIST: Final = "aws:ec2/managedPrefixList:ManagedPrefixList"
PREFIX_LIST_ENTRY: Final = "aws:ec2/managedPrefixListEntry:ManagedPrefixListEntry"
ACCOUNT_PUBLIC_ACCESS_BLOCK: Final = "aws:s3/accountPublicAccessBlock:AccountPublicAccessBlock"
BALANCER: Final = "aws:lb/loadBalancer:LoadBalancer"
ACCELERATED_ENDPOINTS: Final = "aws:globalaccelerator/endpointGroup:EndpointGroup"
BUCKET: Final = "aws:s3/bucket:Bucket"
BUCKET_LIFECYCLE: Final = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
BUCKET_OWNERSHIP: Final = "aws:s3/bucketOwnershipControls:BucketOwnershipControls"
BUCKET_POLICY: Final = "aws:s3/bucketPolicy:BucketPolicy"
BUCKET_PUBLIC_ACCESS_BLOCK: Final = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
BUCKET_ENCRYPTION: Final = (
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"
)
BUCKET_VERSIONING: Final = "aws:s3/bucketVersioning:BucketVersioning"
BUCKET_LOGGING: Final = "aws:s3/bucketLogging:BucketLogging"
BUCKET_REPLICATION: Final = "aws:s3/bucketReplicationConfig:BucketReplicationConfig"
REPOSITORY: Final = "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation"
DATABASE: Final = "aws:rds/instance:Instance"
LUSTRE: Final = "aws:fsx/lustreFileSystem:LustreFileSystem"
OPEN_ZFS: Final = "aws:fsx/openZfsFileSystem:OpenZfsFileSystem"
EFS_FILE_SYSTEM: Final = "aws:efs/fileSystem:FileSystem"
VOLUME: Final = "aws:ebs/volume:Volume"
ALARM: Final = "aws:cloudwatch/metricAlarm:MetricAlarm"
ATTACHMENT: Final = "aws:ec2transitgateway/vpcAttachment:VpcAttachment"
ATTACHMENTS: Final = (
    ATTACHMENT,
    "aws:ec2transitgateway/connect:Connect",
    "aws:ec2transitgateway/peeringAttachment:PeeringAttachment",
)
"""Attachments to a transit gateway, each of which is billed by the hour:
https://aws.amazon.com/transit-gateway/pricing/ (2026-11-26, not re-read: unverified)"""
TABLE: Final = "aws:dynamodb/table:Table"
INGRESS: Final = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
NETWORK_ACLS: Final = (
    "aws:ec2/networkAcl:NetworkAcl",
    "aws:ec2/defaultNetworkAcl:DefaultNetworkAcl",
)
KEY: Final = "aws:kms/key:Key"
OTHER_KMS_KEYS: Final = (
    "aws:kms/externalKey:ExternalKey",
    "aws:kms/replicaExternalKey:ReplicaExternalKey",
    "aws:kms/replicaKey:ReplicaKey",
)
"""Keys whose material is elsewhere, or copied: each is billed as a key is."""
TOPIC: Final = "aws:sns/topic:Topic"
SUBSCRIPTION: Final = "aws:sns/topicSubscription:TopicSubscription"
QUEUE: Final = "aws:sqs/queue:Queue"
FUNCTION: Final = "aws:lambda/function:Function"
SCHEDULER_SCHEDULE: Final = "aws:scheduler/schedule:Schedule"
BUDGET_ACTION: Final = "aws:budgets/budgetAction:BudgetAction"
EGRESS: Final = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
DEFAULT_SECURITY_GROUP: Final = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"
INTERFACE: Final = "aws:ec2/networkInterface:NetworkInterface"
INTERFACE_ATTACHMENT: Final = "aws:ec2/networkInterfaceAttachment:NetworkInterfaceAttachment"
INTERFACE_GROUPS: Final = (
    "aws:ec2/networkInterfaceSecurityGroupAttachment:NetworkInterfaceSecurityGroupAttachment"
)
PERMISSION: Final = "aws:lambda/permission:Permission"

BATCH: Final = "aws:batch/computeEnvironment:ComputeEnvironment"
MACHINES: Final = (INSTANCE, GROUP, FLEET, NODE_GROUP, SPOT_REQUEST, SPOT_FLEET)
"""Types that hold machines by themselves."""

FILE_SYSTEMS: Final = {EFS_FILE_SYSTEM: "efs", OPEN_ZFS: "openzfs"}
"""Types that are a file system each, by what it is called; Lustre has more to say."""

TYPES_WITH_INLINE_POLICY: Final = frozenset({BUCKET, TOPIC, QUEUE, KEY, *OTHER_KMS_KEYS})
"""Types that may say themselves, without a policy beside them, whom they let in."""

SCALABLE_TARGET: Final = "aws:appautoscaling/target:Target"
VAULT_ROLE: Final = "vault:aws/secretBackendRole:SecretBackendRole"
"""What Vault makes users of AWS by, for those who ask it for credentials."""
ENDPOINT_CONFIG: Final = "aws:sagemaker/endpointConfiguration:EndpointConfiguration"
SAGEMAKER_ENDPOINTS: Final = (ENDPOINT_CONFIG, "aws:sagemaker/endpoint:Endpoint")
"""Types that start no machine where they are serverless; see `hourly_costs`."""

UNPRICED_TYPES: Final[frozenset[str]] = frozenset(TABLES.table("types")["unpriced"])
"""Types that cost nothing themselves and say something about those that do."""

ALIASES: Final[Mapping[str, str]] = TABLES.table("types")["aliases"]
"""Older tokens of pulumi-aws, from the `aliases` of its SDK 7.51.1."""

_EQUIVALENT_TYPES: Final = {DEFAULT_SECURITY_GROUP: SECURITY_GROUP}
"""Types that are another with a place of its own: a network's default group lets in as any."""

CURRENT_TOKENS: Final = {**ALIASES, **_EQUIVALENT_TYPES}
"""Tokens that stand for another type."""


@cache
def resource_policies() -> Mapping[str, str]:
    """Return the types without an observer, by the input whose policy grants access."""
    return {row["type"]: row["key"] for row in TABLES.rows("resource_policies")}


@cache
def openings() -> Mapping[str, Mapping[str, Any]]:
    """Return the rows on types that no observer reads and that a word opens to all, by type."""
    return {row["type"]: row for row in TABLES.rows("openings")}


@lru_cache(maxsize=4096)
def canonical(token: str) -> str:
    """Return the current token of a resource type."""
    return CURRENT_TOKENS.get(token, token)

"""What machines use until they are gone, by cloud: while their group is deleted, it stands.

Their run is saved to a bucket, and the requests that they have are answered, in the minutes that
a group takes to go.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

ENCRYPTION: Final = "ServerSideEncryptionConfiguration"


class Needs(NamedTuple):
    """The types of a cloud's machine groups, and of what their machines need until they are gone.

    What is needed stands in the group's own component, or in that of a bucket that it uses. Of
    `not_needed` machines use nothing, although the type is needed: the children by name.
    """

    groups: frozenset[str]
    needed: frozenset[str]
    not_needed: frozenset[str] = frozenset()


AWS: Final = Needs(
    groups=frozenset({"aws:autoscaling/group:Group", "aws:ec2/fleet:Fleet"}),
    needed=frozenset(
        {
            "aws:ec2/internetGateway:InternetGateway",
            "aws:ec2/natGateway:NatGateway",
            "aws:ec2/route:Route",
            "aws:ec2/routeTable:RouteTable",
            "aws:ec2/routeTableAssociation:RouteTableAssociation",
            "aws:ec2/securityGroup:SecurityGroup",
            "aws:ec2/vpcEndpoint:VpcEndpoint",
            "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation",
            "aws:fsx/lustreFileSystem:LustreFileSystem",
            "aws:iam/instanceProfile:InstanceProfile",
            "aws:iam/role:Role",
            "aws:iam/rolePolicy:RolePolicy",
            "aws:lb/listener:Listener",
            "aws:s3/bucket:Bucket",
            "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
            "aws:s3/bucketLogging:BucketLogging",
            "aws:s3/bucketObjectLockConfiguration:BucketObjectLockConfiguration",
            "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
            "aws:s3/bucketPolicy:BucketPolicy",
            "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
            "aws:s3/bucketReplicationConfig:BucketReplicationConfig",
            f"aws:s3/bucket{ENCRYPTION}:Bucket{ENCRYPTION}",
            "aws:s3/bucketVersioning:BucketVersioning",
            "aws:sqs/queue:Queue",
            "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
            "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        }
    ),
    # The log of connections is not the machines' own.
    not_needed=frozenset({"role_of_flow_log", "flow_log_rights"}),
)

GCP: Final = Needs(
    groups=frozenset(
        {
            "gcp:compute/instanceGroupManager:InstanceGroupManager",
            "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager",
        }
    ),
    needed=frozenset(
        {
            "gcp:compute/address:Address",
            "gcp:compute/firewall:Firewall",
            "gcp:compute/network:Network",
            "gcp:compute/regionHealthCheck:RegionHealthCheck",
            "gcp:compute/resourcePolicy:ResourcePolicy",
            "gcp:compute/router:Router",
            "gcp:compute/routerNat:RouterNat",
            "gcp:compute/subnetwork:Subnetwork",
            "gcp:projects/iAMCustomRole:IAMCustomRole",
            "gcp:projects/iAMMember:IAMMember",
            "gcp:serviceaccount/account:Account",
            "gcp:storage/bucket:Bucket",
            "gcp:storage/bucketIAMMember:BucketIAMMember",
        }
    ),
)

AZURE: Final = Needs(
    groups=frozenset({"azure-native:compute:VirtualMachineScaleSet"}),
    needed=frozenset(
        {
            "azure-native:authorization:RoleAssignment",
            "azure-native:managedidentity:UserAssignedIdentity",
            "azure-native:network:LoadBalancer",
            "azure-native:network:NatGateway",
            "azure-native:network:NetworkSecurityGroup",
            "azure-native:network:PublicIPAddress",
            "azure-native:network:Subnet",
            "azure-native:network:VirtualNetwork",
            "azure-native:resources:ResourceGroup",
            "azure-native:storage:BlobContainer",
            "azure-native:storage:StorageAccount",
        }
    ),
)

CLOUDS: Final[Mapping[str, Needs]] = {"aws": AWS, "gcp": GCP, "azure": AZURE}

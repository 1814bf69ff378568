"""Things that an AWS input can refer to: how to find one, and what AWS says when it is missing.

Codes and words: the "Error codes for the Amazon EC2 API" page (docs.aws.amazon.com/AWSEC2/latest/
APIReference/errors-overview.html) and the API reference of each other service.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of thing.

    Attributes:
        made_by: the Pulumi type that makes it; empty for what AWS itself has.
        key: the output that holds the reference, `id` for the resource's id.
        service, operation, parameter: the call that finds it in moto; no operation: ledger only.
        many: the parameter takes a list.
        code, message: the refusal, with {value}.
    """

    made_by: str = ""
    key: str = "id"
    service: str = "ec2"
    operation: str = ""
    parameter: str = ""
    many: bool = True
    code: str
    message: str

    def request(self, value: str) -> dict[str, Any]:
        """Arguments of the call that finds one."""
        return {self.parameter: [value] if self.many else value}


def _ec2(token: str, operation: str, parameter: str, code: str, noun: str) -> Kind:
    return Kind(
        made_by=f"aws:ec2/{token[0].lower()}{token[1:]}:{token}" if token else "",
        operation=operation,
        parameter=parameter,
        code=code,
        message=f"The {noun} '{{value}}' does not exist",
    )


_ROLE_MISSING = "The role with name {value} cannot be found."

KINDS: dict[str, Kind] = {
    "vpc": _ec2("Vpc", "describe_vpcs", "VpcIds", "InvalidVpcID.NotFound", "vpc ID"),
    "subnet": _ec2(
        "Subnet", "describe_subnets", "SubnetIds", "InvalidSubnetID.NotFound", "subnet ID"
    ),
    "security-group": _ec2(
        "SecurityGroup",
        "describe_security_groups",
        "GroupIds",
        "InvalidGroup.NotFound",
        "security group",
    ),
    "internet-gateway": _ec2(
        "InternetGateway",
        "describe_internet_gateways",
        "InternetGatewayIds",
        "InvalidInternetGatewayID.NotFound",
        "internetGateway ID",
    ),
    "nat-gateway": _ec2(
        "NatGateway",
        "describe_nat_gateways",
        "NatGatewayIds",
        "InvalidNatGatewayID.NotFound",
        "natGateway ID",
    ),
    "route-table": _ec2(
        "RouteTable",
        "describe_route_tables",
        "RouteTableIds",
        "InvalidRouteTableID.NotFound",
        "routeTable ID",
    ),
    "network-interface": _ec2(
        "NetworkInterface",
        "describe_network_interfaces",
        "NetworkInterfaceIds",
        "InvalidNetworkInterfaceID.NotFound",
        "networkInterface ID",
    ),
    "instance": _ec2(
        "Instance",
        "describe_instances",
        "InstanceIds",
        "InvalidInstanceID.NotFound",
        "instance ID",
    ),
    "allocation": _ec2(
        "Eip",
        "describe_addresses",
        "AllocationIds",
        "InvalidAllocationID.NotFound",
        "allocation ID",
    ),
    "key-pair": _ec2("", "describe_key_pairs", "KeyNames", "InvalidKeyPair.NotFound", "key pair"),
    "launch-template": Kind(
        made_by="aws:ec2/launchTemplate:LaunchTemplate",
        operation="describe_launch_templates",
        parameter="LaunchTemplateIds",
        code="InvalidLaunchTemplateId.NotFound",
        message="The specified launch template, with template ID {value}, does not exist.",
    ),
    "launch-template-name": Kind(
        made_by="aws:ec2/launchTemplate:LaunchTemplate",
        key="name",
        operation="describe_launch_templates",
        parameter="LaunchTemplateNames",
        code="InvalidLaunchTemplateName.NotFoundException",
        message="The specified launch template, with template name {value}, does not exist.",
    ),
    "placement-group": Kind(
        made_by="aws:ec2/placementGroup:PlacementGroup",
        key="name",
        code="InvalidPlacementGroup.Unknown",
        message="The Placement Group '{value}' is unknown.",
    ),
    "capacity-reservation": Kind(
        made_by="aws:ec2/capacityReservation:CapacityReservation",
        code="InvalidCapacityReservationId.NotFound",
        message="The capacity reservation '{value}' does not exist.",
    ),
    "zone": Kind(
        operation="describe_availability_zones",
        parameter="ZoneNames",
        code="InvalidParameterValue",
        message="Invalid availability zone: [{value}]",
    ),
    "instance-type": Kind(
        operation="describe_instance_types",
        parameter="InstanceTypes",
        code="InvalidInstanceType",
        message="The following supplied instance types do not exist: [{value}]",
    ),
    "role": Kind(
        made_by="aws:iam/role:Role",
        key="name",
        service="iam",
        operation="get_role",
        parameter="RoleName",
        many=False,
        code="NoSuchEntity",
        message=_ROLE_MISSING,
    ),
    "instance-profile": Kind(
        made_by="aws:iam/instanceProfile:InstanceProfile",
        key="name",
        service="iam",
        operation="get_instance_profile",
        parameter="InstanceProfileName",
        many=False,
        code="InvalidParameterValue",
        message="Value ({value}) for parameter iamInstanceProfile.name is invalid. "
        "Invalid IAM Instance Profile name",
    ),
    "policy": Kind(
        made_by="aws:iam/policy:Policy",
        key="arn",
        service="iam",
        operation="get_policy",
        parameter="PolicyArn",
        many=False,
        code="NoSuchEntity",
        message="Policy {value} does not exist or is not attachable.",
    ),
    "bucket": Kind(
        made_by="aws:s3/bucket:Bucket",
        service="s3",
        operation="head_bucket",
        parameter="Bucket",
        many=False,
        code="NoSuchBucket",
        message="The specified bucket '{value}' does not exist",
    ),
    "load-balancer": Kind(
        made_by="aws:lb/loadBalancer:LoadBalancer",
        service="elbv2",
        operation="describe_load_balancers",
        parameter="LoadBalancerArns",
        code="LoadBalancerNotFound",
        message="Load balancer '{value}' not found",
    ),
    "target-group": Kind(
        made_by="aws:lb/targetGroup:TargetGroup",
        service="elbv2",
        operation="describe_target_groups",
        parameter="TargetGroupArns",
        code="TargetGroupNotFound",
        message="Target group '{value}' not found",
    ),
    "auto-scaling-group": Kind(
        made_by="aws:autoscaling/group:Group",
        key="name",
        service="autoscaling",
        operation="describe_auto_scaling_groups",
        parameter="AutoScalingGroupNames",
        code="ValidationError",
        message="AutoScalingGroup name not found - {value}",
    ),
    "topic": Kind(
        made_by="aws:sns/topic:Topic",
        service="sns",
        operation="get_topic_attributes",
        parameter="TopicArn",
        many=False,
        code="NotFound",
        message="Topic does not exist: {value}",
    ),
    "key": Kind(
        made_by="aws:kms/key:Key",
        key="keyId",
        service="kms",
        operation="describe_key",
        parameter="KeyId",
        many=False,
        code="NotFoundException",
        message="Key '{value}' does not exist",
    ),
    "cluster": Kind(
        made_by="aws:eks/cluster:Cluster",
        key="name",
        service="eks",
        operation="describe_cluster",
        parameter="name",
        many=False,
        code="ResourceNotFoundException",
        message="No cluster found for name: {value}.",
    ),
    "file-system": Kind(
        made_by="aws:fsx/lustreFileSystem:LustreFileSystem",
        service="fsx",
        operation="describe_file_systems",
        parameter="FileSystemIds",
        code="FileSystemNotFound",
        message="File system '{value}' does not exist.",
    ),
    "budget": Kind(
        made_by="aws:budgets/budget:Budget",
        key="name",
        code="NotFoundException",
        message="Unable to get budget: {value} - the budget doesn't exist.",
    ),
    "event-rule": Kind(
        made_by="aws:cloudwatch/eventRule:EventRule",
        key="name",
        service="events",
        operation="describe_rule",
        parameter="Name",
        many=False,
        code="ResourceNotFoundException",
        message="Rule {value} does not exist on EventBus default.",
    ),
    "function": Kind(
        made_by="aws:lambda/function:Function",
        key="name",
        service="lambda",
        operation="get_function",
        parameter="FunctionName",
        many=False,
        code="ResourceNotFoundException",
        message="Function not found: {value}",
    ),
}

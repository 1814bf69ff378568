"""Which AWS inputs refer to something that must exist, and the check that it does.

Not checked: image ids (the sandbox does not know all of AWS's images), log destinations, alarm
actions and principals, which AWS accepts unseen.
"""

from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError

from gpuinfra.sandbox.plugin.aws.kinds import Kind
from gpuinfra.sandbox.plugin.aws.kinds_of_services import KINDS
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.world import World, values_at

_TEMPLATE = "mixedInstancesPolicy.launchTemplate"

# Input path -> kind of thing, per type; the API reference of each create call says what it names.
REFERENCES: dict[str, dict[str, str]] = {
    "aws:autoscaling/group:Group": {
        "vpcZoneIdentifiers[]": "subnet",
        "availabilityZones[]": "zone",
        "launchTemplate.id": "launch-template",
        "launchTemplate.name": "launch-template-name",
        f"{_TEMPLATE}.launchTemplateSpecification.launchTemplateId": "launch-template",
        f"{_TEMPLATE}.launchTemplateSpecification.launchTemplateName": "launch-template-name",
        f"{_TEMPLATE}.overrides[].instanceType": "instance-type",
        "placementGroup": "placement-group",
        "targetGroupArns[]": "target-group",
    },
    "aws:autoscaling/lifecycleHook:LifecycleHook": {"autoscalingGroupName": "auto-scaling-group"},
    "aws:autoscaling/notification:Notification": {
        "groupNames[]": "auto-scaling-group",
        "topicArn": "topic",
    },
    "aws:autoscaling/policy:Policy": {"autoscalingGroupName": "auto-scaling-group"},
    "aws:autoscaling/schedule:Schedule": {"autoscalingGroupName": "auto-scaling-group"},
    "aws:budgets/budgetAction:BudgetAction": {
        "budgetName": "budget",
        "executionRoleArn": "role",
        "definition.iamActionDefinition.policyArn": "policy",
        "definition.iamActionDefinition.roles[]": "role",
    },
    "aws:cloudwatch/eventTarget:EventTarget": {"rule": "event-rule"},
    "aws:cloudwatch/logMetricFilter:LogMetricFilter": {"logGroupName": "log-group"},
    "aws:ec2/capacityReservation:CapacityReservation": {
        "availabilityZone": "zone",
        "instanceType": "instance-type",
    },
    "aws:ec2/eip:Eip": {"instance": "instance", "networkInterface": "network-interface"},
    "aws:ec2/fleet:Fleet": {
        "launchTemplateConfigs[].launchTemplateSpecification.launchTemplateId": "launch-template",
    },
    "aws:ec2/flowLog:FlowLog": {
        "vpcId": "vpc",
        "subnetId": "subnet",
        "eniId": "network-interface",
        "iamRoleArn": "role",
    },
    "aws:ec2/instance:Instance": {
        "subnetId": "subnet",
        "vpcSecurityGroupIds[]": "security-group",
        "iamInstanceProfile": "instance-profile",
        "keyName": "key-pair",
        "instanceType": "instance-type",
        "availabilityZone": "zone",
        "placementGroup": "placement-group",
        "launchTemplate.id": "launch-template",
        "launchTemplate.name": "launch-template-name",
        "networkInterfaces[].networkInterfaceId": "network-interface",
        "primaryNetworkInterface.networkInterfaceId": "network-interface",
    },
    "aws:ec2/internetGateway:InternetGateway": {"vpcId": "vpc"},
    "aws:ec2/launchTemplate:LaunchTemplate": {
        "instanceType": "instance-type",
        "keyName": "key-pair",
        "iamInstanceProfile.arn": "instance-profile",
        "iamInstanceProfile.name": "instance-profile",
        "placement.groupName": "placement-group",
        "placement.availabilityZone": "zone",
        "vpcSecurityGroupIds[]": "security-group",
        "networkInterfaces[].securityGroups[]": "security-group",
        "networkInterfaces[].subnetId": "subnet",
        "networkInterfaces[].networkInterfaceId": "network-interface",
        "capacityReservationSpecification.capacityReservationTarget.capacityReservationId": (
            "capacity-reservation"
        ),
    },
    "aws:ec2/natGateway:NatGateway": {
        "subnetId": "subnet",
        "allocationId": "allocation",
        "vpcId": "vpc",
    },
    "aws:ec2/networkInterface:NetworkInterface": {
        "subnetId": "subnet",
        "securityGroups[]": "security-group",
    },
    "aws:ec2/route:Route": {
        "routeTableId": "route-table",
        "gatewayId": "internet-gateway",
        "natGatewayId": "nat-gateway",
        "networkInterfaceId": "network-interface",
    },
    "aws:ec2/routeTable:RouteTable": {
        "vpcId": "vpc",
        "routes[].gatewayId": "internet-gateway",
        "routes[].natGatewayId": "nat-gateway",
    },
    "aws:ec2/routeTableAssociation:RouteTableAssociation": {
        "routeTableId": "route-table",
        "subnetId": "subnet",
        "gatewayId": "internet-gateway",
    },
    "aws:ec2/securityGroup:SecurityGroup": {
        "vpcId": "vpc",
        "ingress[].securityGroups[]": "security-group",
        "egress[].securityGroups[]": "security-group",
    },
    "aws:ec2/subnet:Subnet": {"vpcId": "vpc", "availabilityZone": "zone"},
    "aws:ec2/vpcEndpoint:VpcEndpoint": {
        "vpcId": "vpc",
        "routeTableIds[]": "route-table",
        "subnetIds[]": "subnet",
        "securityGroupIds[]": "security-group",
    },
    "aws:ecr/lifecyclePolicy:LifecyclePolicy": {"repository": "repository"},
    "aws:ecr/repositoryPolicy:RepositoryPolicy": {"repository": "repository"},
    "aws:eks/cluster:Cluster": {
        "roleArn": "role",
        "vpcConfig.subnetIds[]": "subnet",
        "vpcConfig.securityGroupIds[]": "security-group",
    },
    "aws:eks/nodeGroup:NodeGroup": {
        "clusterName": "cluster",
        "nodeRoleArn": "role",
        "subnetIds[]": "subnet",
        "instanceTypes[]": "instance-type",
        "launchTemplate.id": "launch-template",
        "launchTemplate.name": "launch-template-name",
    },
    "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": {"fileSystemId": "file-system"},
    "aws:fsx/lustreFileSystem:LustreFileSystem": {
        "subnetIds": "subnet",
        "securityGroupIds[]": "security-group",
    },
    "aws:iam/instanceProfile:InstanceProfile": {"role": "role"},
    "aws:iam/role:Role": {"permissionsBoundary": "policy", "managedPolicyArns[]": "policy"},
    "aws:iam/rolePolicy:RolePolicy": {"role": "role"},
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": {"role": "role", "policyArn": "policy"},
    "aws:kms/alias:Alias": {"targetKeyId": "key"},
    "aws:kms/grant:Grant": {"keyId": "key"},
    "aws:lambda/function:Function": {
        "role": "function-role",
        "vpcConfig.subnetIds[]": "subnet",
        "vpcConfig.securityGroupIds[]": "security-group",
    },
    "aws:lambda/permission:Permission": {"function": "function"},
    "aws:lb/listener:Listener": {
        "loadBalancerArn": "load-balancer",
        "defaultActions[].targetGroupArn": "target-group",
    },
    "aws:lb/loadBalancer:LoadBalancer": {
        "subnets[]": "subnet",
        "subnetMappings[].subnetId": "subnet",
        "securityGroups[]": "security-group",
        "accessLogs.bucket": "bucket",
    },
    "aws:lb/targetGroup:TargetGroup": {"vpcId": "vpc"},
    "aws:s3/bucketIntelligentTieringConfiguration:BucketIntelligentTieringConfiguration": {
        "bucket": "bucket"
    },
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": {"bucket": "bucket"},
    "aws:s3/bucketLogging:BucketLogging": {"bucket": "bucket", "targetBucket": "log-bucket"},
    "aws:s3/bucketNotification:BucketNotification": {"bucket": "bucket"},
    "aws:s3/bucketObjectLockConfiguration:BucketObjectLockConfiguration": {"bucket": "bucket"},
    "aws:s3/bucketObjectv2:BucketObjectv2": {"bucket": "bucket"},
    "aws:s3/bucketOwnershipControls:BucketOwnershipControls": {"bucket": "bucket"},
    "aws:s3/bucketPolicy:BucketPolicy": {"bucket": "bucket"},
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": {"bucket": "bucket"},
    "aws:s3/bucketReplicationConfig:BucketReplicationConfig": {
        "bucket": "bucket",
        "rules[].destination.bucket": "replica-bucket",
    },
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": {
        "bucket": "bucket"
    },
    "aws:s3/bucketVersioning:BucketVersioning": {"bucket": "bucket"},
    "aws:scheduler/schedule:Schedule": {
        "groupName": "schedule-group",
        "target.roleArn": "schedule-role",
    },
    "aws:sns/topicPolicy:TopicPolicy": {"arn": "topic"},
    "aws:sns/topicSubscription:TopicSubscription": {"topic": "topic"},
    "aws:sqs/queuePolicy:QueuePolicy": {"queueUrl": "queue"},
    "aws:sqs/redriveAllowPolicy:RedriveAllowPolicy": {"queueUrl": "queue"},
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": {
        "securityGroupId": "security-group",
        "referencedSecurityGroupId": "security-group",
    },
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": {
        "securityGroupId": "security-group",
        "referencedSecurityGroupId": "security-group",
    },
}

# Kinds that inputs may name by ARN where the API call wants the last part of it.
_BY_ARN = frozenset(
    {
        "role",
        "function-role",
        "schedule-role",
        "instance-profile",
        "function",
        "event-rule",
        "replica-bucket",
    }
)


def verify(world: World) -> None:
    """Raise the cloud's refusal for the first reference whose target does not exist."""
    seen: set[tuple[str, str]] = set()
    for kind_name, value in _references(world.call.token, world.call.inputs):
        if (kind_name, value) in seen:
            continue
        seen.add((kind_name, value))
        kind = KINDS[kind_name]
        if not _stands(world, kind, _short(kind_name, value)):
            raise CloudRefusalError(kind.code, kind.message.format(value=value))


def missing_first(world: World) -> CloudRefusalError | None:
    """What the cloud says of the first reference as if its target were not there."""
    for kind_name, value in _references(world.call.token, world.call.inputs):
        kind = KINDS[kind_name]
        return CloudRefusalError(kind.code, kind.message.format(value=value))
    return None


def _references(token: str, inputs: Any) -> Iterator[tuple[str, str]]:
    for path, kind in REFERENCES.get(token, {}).items():
        for _, value in values_at(inputs, path):
            if isinstance(value, str) and value and not value.startswith(("local", "vgw-")):
                yield kind, value


def _short(kind: str, value: str) -> str:
    if kind not in _BY_ARN or not value.startswith("arn:"):
        return value
    return value.rsplit("/", 1)[-1].rsplit(":", 1)[-1]


def _stands(world: World, kind: Kind, value: str) -> bool:
    recorded = kind.made_by and not (kind.operation and world.in_moto(kind.made_by))
    makers = [token for token in (kind.made_by, kind.or_by) if token and recorded]
    if any(world.properties(token, kind.key, value) is not None for token in makers):
        return True
    if not kind.operation:
        return False
    operation = getattr(world.call.client(kind.service), kind.operation)
    try:
        answer = operation(**kind.request(value))
    except ClientError:
        return False
    return not kind.many or any(isinstance(item, list) and item for item in answer.values())

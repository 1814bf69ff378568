"""Every type: made, read without drift, imported, changed behind its back, changed, removed."""

import re
from typing import Any

import pytest

from gpuinfra.sandbox.aws import HANDLERS
from gpuinfra.sandbox.aws.settle import same
from tests.sandbox.aws.cases import ARN, NEW_TAGS, TAGS, Case, Inputs
from tests.sandbox.aws.guards import GUARDS
from tests.sandbox.aws.stores import STORES

ALLOW = (
    '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject",'
    ' "Resource": "*"}]}'
)
ALLOW_MORE = ALLOW.replace("GetObject", "ListBucket")
TRUST = (
    '{"Statement": [{"Principal": {"Service": "ec2.amazonaws.com"}, "Effect": "Allow",'
    ' "Action": "sts:AssumeRole"}], "Version": "2012-10-17"}'
)
TRUST_LAMBDA = TRUST.replace("ec2.", "lambda.")
SSM = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"


def tag(client: Any, resource_id: str, outputs: Inputs) -> None:
    client("ec2").create_tags(Resources=[resource_id], Tags=[{"Key": "by", "Value": "hand"}])


HEX = "[0-9a-f]{17}"


def group_rule(word: str) -> "Case":
    def revoke(client: Any, resource_id: str, outputs: Inputs) -> None:
        getattr(client("ec2"), f"revoke_security_group_{word.lower()}")(
            GroupId=outputs["securityGroupId"], SecurityGroupRuleIds=[resource_id]
        )

    return Case(
        f"aws:vpc/securityGroup{word}Rule:SecurityGroup{word}Rule",
        f"sgr-{HEX}",
        lambda stage: {
            "securityGroupId": stage.group,
            "ipProtocol": "-1",
            "referencedSecurityGroupId": stage.group,
            "description": "the cluster itself",
            "tags": TAGS,
        },
        revoke,
        forgotten=frozenset({"description"}),
    )


NETWORK = [
    Case(
        "aws:ec2/vpc:Vpc",
        f"vpc-{HEX}",
        lambda stage: {"cidrBlock": "10.1.0.0/16", "enableDnsHostnames": True, "tags": TAGS},
        lambda client, it, outputs: client("ec2").modify_vpc_attribute(
            VpcId=it, EnableDnsHostnames={"Value": False}
        ),
        "enableDnsHostnames",
        lambda stage: {"tags": NEW_TAGS, "enableDnsSupport": False},
    ),
    Case(
        "aws:ec2/subnet:Subnet",
        f"subnet-{HEX}",
        lambda stage: {
            "vpcId": stage.vpc,
            "cidrBlock": "10.9.3.0/24",
            "availabilityZone": "us-east-1a",
            "mapPublicIpOnLaunch": False,
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").modify_subnet_attribute(
            SubnetId=it, MapPublicIpOnLaunch={"Value": True}
        ),
        "mapPublicIpOnLaunch",
        lambda stage: {"tags": None},
    ),
    Case(
        "aws:ec2/internetGateway:InternetGateway",
        f"igw-{HEX}",
        lambda stage: {
            "vpcId": stage.client("ec2").create_vpc(CidrBlock="10.2.0.0/16")["Vpc"]["VpcId"],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").detach_internet_gateway(
            InternetGatewayId=it, VpcId=outputs["vpcId"]
        ),
        "vpcId",
        lambda stage: {"tags": NEW_TAGS},
    ),
    Case(
        "aws:ec2/eip:Eip",
        f"eipalloc-{HEX}",
        lambda stage: {"domain": "vpc", "tags": TAGS},
        tag,
        "tags",
        lambda stage: {"tags": NEW_TAGS},
    ),
    Case(
        "aws:ec2/natGateway:NatGateway",
        f"nat-{HEX}",
        lambda stage: {
            "allocationId": stage.allocation,
            "subnetId": stage.subnet,
            "connectivityType": "public",
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").delete_nat_gateway(NatGatewayId=it),
    ),
    Case(
        "aws:ec2/routeTable:RouteTable",
        f"rtb-{HEX}",
        lambda stage: {
            "vpcId": stage.vpc,
            "routes": [
                {"cidrBlock": "0.0.0.0/0", "gatewayId": stage.gateway},
                {"cidrBlock": "192.168.0.0/16", "gatewayId": stage.gateway},
            ],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").delete_route(
            RouteTableId=it, DestinationCidrBlock="0.0.0.0/0"
        ),
        "routes",
        lambda stage: {"routes": [{"cidrBlock": "172.16.0.0/12", "gatewayId": stage.gateway}]},
    ),
    Case(
        "aws:ec2/route:Route",
        rf"r-rtb-{HEX}\d+",
        lambda stage: {
            "routeTableId": stage.table,
            "destinationCidrBlock": "0.0.0.0/0",
            "gatewayId": stage.gateway,
        },
        lambda client, it, outputs: client("ec2").delete_route(
            RouteTableId=outputs["routeTableId"], DestinationCidrBlock="0.0.0.0/0"
        ),
    ),
    Case(
        "aws:ec2/routeTableAssociation:RouteTableAssociation",
        f"rtbassoc-{HEX}",
        lambda stage: {"routeTableId": stage.table, "subnetId": stage.subnet},
        lambda client, it, outputs: client("ec2").disassociate_route_table(AssociationId=it),
    ),
    Case(
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        f"vpce-{HEX}",
        lambda stage: {
            "vpcId": stage.vpc,
            "serviceName": "com.amazonaws.us-east-1.s3",
            "vpcEndpointType": "Gateway",
            "routeTableIds": [stage.table],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").modify_vpc_endpoint(
            VpcEndpointId=it, RemoveRouteTableIds=outputs["routeTableIds"]
        ),
        "routeTableIds",
        lambda stage: {"tags": NEW_TAGS},
    ),
    Case(
        "aws:ec2/securityGroup:SecurityGroup",
        f"sg-{HEX}",
        lambda stage: {
            "name": "inline",
            "description": "inline rules",
            "vpcId": stage.vpc,
            "ingress": [
                {
                    "protocol": "tcp",
                    "fromPort": 443,
                    "toPort": 443,
                    "cidrBlocks": ["172.16.0.0/12"],
                    "securityGroups": [stage.group],
                    "description": "the same port again",
                },
                {
                    "protocol": "tcp",
                    "fromPort": 443,
                    "toPort": 443,
                    "cidrBlocks": ["10.0.0.0/8", "192.168.0.0/16"],
                    "description": "web",
                },
                {"protocol": "-1", "fromPort": 0, "toPort": 0, "self": True},
            ],
            "egress": [
                {"protocol": "-1", "fromPort": 0, "toPort": 0, "cidrBlocks": ["0.0.0.0/0"]},
            ],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").authorize_security_group_ingress(
            GroupId=it,
            IpPermissions=[
                {
                    "IpProtocol": "tcp",
                    "FromPort": 22,
                    "ToPort": 22,
                    "IpRanges": [{"CidrIp": "0.0.0.0/0"}],
                }
            ],
        ),
        "ingress",
        lambda stage: {
            "ingress": [
                {
                    "protocol": "udp",
                    "fromPort": 53,
                    "toPort": 53,
                    "securityGroups": [stage.group],
                }
            ],
            "egress": None,
        },
        frozenset({"ingress"}),
    ),
    group_rule("Ingress"),
    group_rule("Egress"),
    Case(
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        f"sgr-{HEX}",
        lambda stage: {
            "securityGroupId": stage.group,
            "ipProtocol": "tcp",
            "fromPort": 443,
            "toPort": 443,
            "cidrIpv4": "10.0.0.0/8",
            "description": "web",
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").modify_security_group_rules(
            GroupId=outputs["securityGroupId"],
            SecurityGroupRules=[
                {
                    "SecurityGroupRuleId": it,
                    "SecurityGroupRule": {
                        "IpProtocol": "tcp",
                        "FromPort": 22,
                        "ToPort": 22,
                        "CidrIpv4": "0.0.0.0/0",
                    },
                }
            ],
        ),
        "cidrIpv4",
        lambda stage: {"fromPort": 8443, "toPort": 8443, "tags": NEW_TAGS},
        label=" with a range",
    ),
    Case(
        "aws:ec2/networkInterface:NetworkInterface",
        f"eni-{HEX}",
        lambda stage: {
            "subnetId": stage.subnet,
            "securityGroups": [stage.group],
            "interfaceType": "efa",
            "description": "fabric",
            "privateIps": ["10.9.1.77"],
            "sourceDestCheck": False,
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").modify_network_interface_attribute(
            NetworkInterfaceId=it, SourceDestCheck={"Value": True}
        ),
        "sourceDestCheck",
        lambda stage: {"securityGroups": [stage.other_group], "tags": NEW_TAGS},
        frozenset({"interfaceType"}),
    ),
]

COMPUTE = [
    Case(
        "aws:ec2/launchTemplate:LaunchTemplate",
        f"lt-{HEX}",
        lambda stage: {
            "name": "training",
            "description": "first",
            "imageId": stage.image,
            "instanceType": "p5.48xlarge",
            "userData": "IyEvYmluL3NoCg==",
            "ebsOptimized": "true",
            "updateDefaultVersion": True,
            "iamInstanceProfile": {"name": "nodes"},
            "placement": {"groupName": "cluster"},
            "monitoring": {"enabled": True},
            "blockDeviceMappings": [
                {
                    "deviceName": "/dev/sda1",
                    "ebs": {
                        "encrypted": "true",
                        "deleteOnTermination": "true",
                        "volumeSize": 200,
                        "volumeType": "gp3",
                        "iops": 3000,
                        "throughput": 125,
                    },
                }
            ],
            "metadataOptions": {
                "httpTokens": "required",
                "httpEndpoint": "enabled",
                "httpPutResponseHopLimit": 1,
                "instanceMetadataTags": "enabled",
            },
            "networkInterfaces": [
                {
                    "deviceIndex": 0,
                    "networkCardIndex": 0,
                    "interfaceType": "interface",
                    "associatePublicIpAddress": "false",
                    "deleteOnTermination": "true",
                    "securityGroups": [stage.group],
                },
                *[
                    {
                        "deviceIndex": 0,
                        "networkCardIndex": card,
                        "interfaceType": "efa-only",
                        "deleteOnTermination": "true",
                        "securityGroups": [stage.group],
                    }
                    for card in range(1, 4)
                ],
            ],
            "instanceMarketOptions": {
                "marketType": "spot",
                "spotOptions": {"maxPrice": "20.10", "spotInstanceType": "one-time"},
            },
            "tagSpecifications": [
                {"resourceType": "instance", "tags": TAGS},
                {"resourceType": "volume", "tags": TAGS},
            ],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").create_launch_template_version(
            LaunchTemplateId=it,
            SourceVersion="1",
            LaunchTemplateData={"InstanceType": "p4d.24xlarge"},
        ),
        "instanceType",
        lambda stage: {
            "instanceType": "p5en.48xlarge",
            "instanceMarketOptions": None,
            "tags": NEW_TAGS,
        },
        frozenset({"updateDefaultVersion"}),
    ),
    Case(
        "aws:ec2/instance:Instance",
        f"i-{HEX}",
        lambda stage: {
            "ami": stage.image,
            "instanceType": "g5.xlarge",
            "subnetId": stage.subnet,
            "vpcSecurityGroupIds": [stage.group],
            "iamInstanceProfile": stage.role,
            "userData": "#!/bin/sh\necho hello\n",
            "monitoring": True,
            "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 2},
            "rootBlockDevice": {
                "encrypted": True,
                "volumeSize": 100,
                "volumeType": "gp3",
                "throughput": 200,
                "deleteOnTermination": True,
            },
            "ebsBlockDevices": [{"deviceName": "/dev/sdf", "volumeSize": 10, "volumeType": "gp3"}],
            "instanceMarketOptions": {
                "marketType": "spot",
                "spotOptions": {"maxPrice": "1.5"},
            },
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").terminate_instances(InstanceIds=[it]),
        "",
        lambda stage: {
            "instanceType": "g5.2xlarge",
            "metadataOptions": {"httpTokens": "optional"},
            "vpcSecurityGroupIds": [stage.other_group],
            "tags": NEW_TAGS,
        },
        frozenset(
            {"instanceMarketOptions", "ebsBlockDevices", "rootBlockDevice", "metadataOptions"}
        ),
    ),
    Case(
        "aws:autoscaling/group:Group",
        "training-asg",
        lambda stage: {
            "name": "training-asg",
            "minSize": 2,
            "maxSize": 2,
            "desiredCapacity": 2,
            "vpcZoneIdentifiers": [stage.subnet],
            "launchTemplate": {"id": stage.template, "version": "$Latest"},
            "placementGroup": "cluster",
            "capacityRebalance": False,
            "healthCheckType": "EC2",
            "healthCheckGracePeriod": 300,
            "suspendedProcesses": ["ReplaceUnhealthy", "AZRebalance"],
            "targetGroupArns": [stage.target_group],
            "waitForCapacityTimeout": "0",
            "protectFromScaleIn": False,
            "enabledMetrics": ["GroupInServiceInstances"],
            "tags": [
                {"key": "owner", "value": "ml", "propagateAtLaunch": True},
                {"key": "Name", "value": "node", "propagateAtLaunch": False},
            ],
        },
        lambda client, it, outputs: client("autoscaling").update_auto_scaling_group(
            AutoScalingGroupName=it, MaxSize=9
        ),
        "maxSize",
        lambda stage: {
            "minSize": 1,
            "desiredCapacity": 1,
            "suspendedProcesses": ["AZRebalance"],
            "placementGroup": "other",
            "targetGroupArns": None,
            "tags": [{"key": "owner", "value": "ops", "propagateAtLaunch": True}],
        },
        frozenset({"placementGroup", "capacityRebalance", "waitForCapacityTimeout"}),
    ),
    Case(
        "aws:autoscaling/policy:Policy",
        "track",
        lambda stage: {
            "name": "track",
            "autoscalingGroupName": stage.asg,
            "policyType": "TargetTrackingScaling",
            "estimatedInstanceWarmup": 300,
            "targetTrackingConfiguration": {
                "targetValue": 60,
                "disableScaleIn": False,
                "customizedMetricSpecification": {
                    "metricName": "nvidia_smi_utilization_gpu",
                    "namespace": "gpuinfra/demo",
                    "statistic": "Average",
                    "metricDimensions": [{"name": "AutoScalingGroupName", "value": "stage"}],
                },
            },
        },
        lambda client, it, outputs: client("autoscaling").put_scaling_policy(
            AutoScalingGroupName=outputs["autoscalingGroupName"],
            PolicyName=it,
            PolicyType="TargetTrackingScaling",
            TargetTrackingConfiguration={
                "TargetValue": 10.0,
                "PredefinedMetricSpecification": {
                    "PredefinedMetricType": "ASGAverageCPUUtilization"
                },
            },
        ),
        "targetTrackingConfiguration",
        lambda stage: {
            "targetTrackingConfiguration": {
                "targetValue": 70.5,
                "predefinedMetricSpecification": {
                    "predefinedMetricType": "ASGAverageCPUUtilization"
                },
            }
        },
    ),
    Case(
        "aws:autoscaling/lifecycleHook:LifecycleHook",
        "drain",
        lambda stage: {
            "name": "drain",
            "autoscalingGroupName": stage.asg,
            "lifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING",
            "heartbeatTimeout": 300,
            "defaultResult": "CONTINUE",
        },
        lambda client, it, outputs: client("autoscaling").put_lifecycle_hook(
            AutoScalingGroupName=outputs["autoscalingGroupName"],
            LifecycleHookName=it,
            LifecycleTransition=outputs["lifecycleTransition"],
            HeartbeatTimeout=30,
        ),
        "heartbeatTimeout",
        lambda stage: {"heartbeatTimeout": 600},
    ),
    Case(
        "aws:lb/loadBalancer:LoadBalancer",
        f"{ARN}elasticloadbalancing:us-east-1:\\d+:loadbalancer/app/pool/[0-9a-f]+",
        lambda stage: {
            "name": "pool",
            "loadBalancerType": "application",
            "internal": True,
            "subnets": [stage.other_subnet, stage.subnet],
            "securityGroups": [stage.group],
            "dropInvalidHeaderFields": True,
            "idleTimeout": 120,
            "tags": TAGS,
        },
        lambda client, it, outputs: client("elbv2").modify_load_balancer_attributes(
            LoadBalancerArn=it,
            Attributes=[
                {"Key": "routing.http.drop_invalid_header_fields.enabled", "Value": "false"}
            ],
        ),
        "dropInvalidHeaderFields",
        lambda stage: {"idleTimeout": 60, "tags": NEW_TAGS},
    ),
    Case(
        "aws:lb/targetGroup:TargetGroup",
        f"{ARN}elasticloadbalancing:us-east-1:\\d+:targetgroup/pool/[0-9a-f]+",
        lambda stage: {
            "name": "pool",
            "port": 8000,
            "protocol": "HTTP",
            "vpcId": stage.vpc,
            "deregistrationDelay": 30,
            "slowStart": 60,
            "healthCheck": {"path": "/health", "interval": 15, "matcher": "200"},
            "tags": TAGS,
        },
        lambda client, it, outputs: client("elbv2").modify_target_group(
            TargetGroupArn=it, HealthCheckPath="/other"
        ),
        "healthCheck",
        lambda stage: {"healthCheck": {"path": "/ready"}, "deregistrationDelay": 60, "tags": None},
        frozenset({"healthCheck"}),
    ),
    Case(
        "aws:lb/listener:Listener",
        f"{ARN}elasticloadbalancing:us-east-1:\\d+:listener/app/stage/[0-9a-f]+/[0-9a-f]+",
        lambda stage: {
            "loadBalancerArn": stage.balancer,
            "port": 80,
            "protocol": "HTTP",
            "defaultActions": [{"type": "forward", "targetGroupArn": stage.target_group}],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("elbv2").modify_listener(ListenerArn=it, Port=81),
        "port",
        lambda stage: {
            "defaultActions": [
                {
                    "type": "forward",
                    "forward": {
                        "targetGroups": [{"arn": stage.target_group, "weight": 1}],
                        "stickiness": {"enabled": True, "duration": 60},
                    },
                }
            ]
        },
    ),
]

IDENTITY = [
    Case(
        "aws:iam/role:Role",
        "nodes",
        lambda stage: {
            "name": "nodes",
            "path": "/gpu/",
            "description": "what a node may do",
            "assumeRolePolicy": TRUST,
            "maxSessionDuration": 7200,
            "inlinePolicies": [{"name": "read", "policy": ALLOW}],
            "managedPolicyArns": [SSM],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("iam").update_assume_role_policy(
            RoleName=it, PolicyDocument=TRUST_LAMBDA
        ),
        "assumeRolePolicy",
        lambda stage: {
            "description": "less",
            "managedPolicyArns": [],
            "inlinePolicies": [{"name": "list", "policy": ALLOW_MORE}],
            "tags": NEW_TAGS,
        },
    ),
    Case(
        "aws:iam/rolePolicy:RolePolicy",
        "stage:bucket",
        lambda stage: {"name": "bucket", "role": stage.role, "policy": ALLOW},
        lambda client, it, outputs: client("iam").put_role_policy(
            RoleName=outputs["role"], PolicyName="bucket", PolicyDocument=ALLOW_MORE
        ),
        "policy",
        lambda stage: {"policy": ALLOW_MORE},
    ),
    Case(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "stage-[0-9a-f]{26}",
        lambda stage: {"role": stage.role, "policyArn": SSM},
        lambda client, it, outputs: client("iam").detach_role_policy(
            RoleName=outputs["role"], PolicyArn=SSM
        ),
    ),
    Case(
        "aws:iam/policy:Policy",
        f"{ARN}iam::\\d+:policy/gpu/read",
        lambda stage: {
            "name": "read",
            "path": "/gpu/",
            "description": "reads",
            "policy": ALLOW,
            "tags": TAGS,
        },
        lambda client, it, outputs: client("iam").create_policy_version(
            PolicyArn=it, PolicyDocument=ALLOW_MORE, SetAsDefault=True
        ),
        "policy",
        lambda stage: {"policy": ALLOW_MORE, "tags": NEW_TAGS},
        frozenset({"description"}),
    ),
    Case(
        "aws:iam/instanceProfile:InstanceProfile",
        "machines",
        lambda stage: {"name": "machines", "role": stage.role, "tags": TAGS},
        lambda client, it, outputs: client("iam").remove_role_from_instance_profile(
            InstanceProfileName=it, RoleName=outputs["role"]
        ),
        "role",
        lambda stage: {"tags": NEW_TAGS},
    ),
    Case(
        "aws:kms/key:Key",
        "[0-9a-f-]{36}",
        lambda stage: {
            "description": "disks",
            "enableKeyRotation": True,
            "deletionWindowInDays": 7,
            "tags": TAGS,
        },
        lambda client, it, outputs: client("kms").disable_key_rotation(KeyId=it),
        "enableKeyRotation",
        lambda stage: {"description": "other", "enableKeyRotation": False, "tags": NEW_TAGS},
        frozenset({"deletionWindowInDays"}),
    ),
    Case(
        "aws:kms/alias:Alias",
        "alias/disks",
        lambda stage: {"name": "alias/disks", "targetKeyId": stage.key},
        lambda client, it, outputs: client("kms").delete_alias(AliasName=it),
    ),
    Case(
        "aws:ssm/parameter:Parameter",
        "/demo/image",
        lambda stage: {
            "name": "/demo/image",
            "type": "String",
            "value": "ami-1",
            "description": "pinned",
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ssm").put_parameter(
            Name=it, Value="ami-2", Type="String", Overwrite=True
        ),
        "value",
        lambda stage: {"value": "ami-3", "tags": NEW_TAGS},
    ),
]


def setting(name: str, inputs: Inputs, drift: str, arguments: Inputs, seen: str, update: Inputs):
    return Case(
        f"aws:s3/{name[0].lower()}{name[1:]}:{name}",
        "stage-bucket",
        lambda stage: {"bucket": stage.bucket, **inputs},
        lambda client, it, outputs: getattr(client("s3"), drift)(Bucket=it, **arguments),
        seen,
        lambda stage: update,
        remains=name == "BucketVersioning",
    )


BLOCKS = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")

STORAGE = [
    Case(
        "aws:s3/bucket:Bucket",
        "data-bucket",
        lambda stage: {"bucket": "data-bucket", "forceDestroy": True, "tags": TAGS},
        lambda client, it, outputs: client("s3").delete_bucket_tagging(Bucket=it),
        "tags",
        lambda stage: {"tags": NEW_TAGS},
        frozenset({"forceDestroy"}),
    ),
    setting(
        "BucketVersioning",
        {"versioningConfiguration": {"status": "Enabled"}},
        "put_bucket_versioning",
        {"VersioningConfiguration": {"Status": "Suspended"}},
        "versioningConfiguration",
        {},
    ),
    setting(
        "BucketPublicAccessBlock",
        dict.fromkeys(BLOCKS, True),
        "delete_public_access_block",
        {},
        "",
        {"blockPublicAcls": False},
    ),
    setting(
        "BucketOwnershipControls",
        {"rule": {"objectOwnership": "BucketOwnerEnforced"}},
        "put_bucket_ownership_controls",
        {"OwnershipControls": {"Rules": [{"ObjectOwnership": "ObjectWriter"}]}},
        "rule",
        {"rule": {"objectOwnership": "BucketOwnerPreferred"}},
    ),
    setting(
        "BucketServerSideEncryptionConfiguration",
        {
            "rules": [
                {
                    "applyServerSideEncryptionByDefault": {
                        "sseAlgorithm": "aws:kms",
                        "kmsMasterKeyId": "alias/aws/s3",
                    },
                    "bucketKeyEnabled": True,
                }
            ]
        },
        "delete_bucket_encryption",
        {},
        "",
        {"rules": [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}]},
    ),
    setting(
        "BucketLifecycleConfiguration",
        {
            "rules": [
                {
                    "id": "old-versions",
                    "status": "Enabled",
                    "noncurrentVersionExpiration": {"noncurrentDays": 30},
                    "abortIncompleteMultipartUpload": {"daysAfterInitiation": 7},
                },
                {
                    "id": "checkpoints",
                    "status": "Enabled",
                    "filter": {"prefix": "checkpoints/"},
                    "expiration": {"days": 90},
                    "transitions": [{"days": 30, "storageClass": "GLACIER"}],
                },
                {
                    "id": "both",
                    "status": "Disabled",
                    "filter": {"and": {"prefix": "x/", "tags": {"a": "b"}}},
                    "expiration": {"days": 9},
                },
            ]
        },
        "put_bucket_lifecycle_configuration",
        {
            "LifecycleConfiguration": {
                "Rules": [
                    {
                        "ID": "old-versions",
                        "Status": "Disabled",
                        "Filter": {},
                        "Expiration": {"Days": 1},
                    }
                ]
            }
        },
        "rules",
        {"rules": [{"id": "one", "status": "Enabled", "filter": {}, "expiration": {"days": 1}}]},
    ),
    setting(
        "BucketPolicy",
        {"policy": ALLOW},
        "delete_bucket_policy",
        {},
        "",
        {"policy": ALLOW_MORE},
    ),
]

WATCHING = [
    Case(
        "aws:budgets/budget:Budget",
        r"\d{12}:monthly",
        lambda stage: {
            "name": "monthly",
            "budgetType": "COST",
            "timeUnit": "MONTHLY",
            "limitAmount": "1000.0",
            "limitUnit": "USD",
            "timePeriodStart": "2026-07-01_00:00",
            "costFilters": [{"name": "TagKeyValue", "values": ["user:stack$demo"]}],
            "notifications": [
                {
                    "comparisonOperator": "GREATER_THAN",
                    "notificationType": kind,
                    "threshold": threshold,
                    "thresholdType": "PERCENTAGE",
                    "subscriberEmailAddresses": ["ml@example.com"],
                }
                for kind, threshold in (("ACTUAL", 80), ("FORECASTED", 100))
            ],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("budgets").delete_notification(
            AccountId=outputs["accountId"],
            BudgetName="monthly",
            Notification={
                "NotificationType": "ACTUAL",
                "ComparisonOperator": "GREATER_THAN",
                "Threshold": 80,
                "ThresholdType": "PERCENTAGE",
            },
        ),
        "notifications",
        lambda stage: {"limitAmount": "2000", "notifications": None},
        frozenset({"tags", "notifications"}),
    ),
    Case(
        "aws:cloudwatch/logGroup:LogGroup",
        "/demo/nodes",
        lambda stage: {"name": "/demo/nodes", "retentionInDays": 30, "tags": TAGS},
        lambda client, it, outputs: client("logs").delete_retention_policy(logGroupName=it),
        "retentionInDays",
        lambda stage: {"retentionInDays": 7, "tags": NEW_TAGS},
    ),
    Case(
        "aws:cloudwatch/metricAlarm:MetricAlarm",
        "idle",
        lambda stage: {
            "name": "idle",
            "alarmDescription": "nobody works",
            "metricName": "CPUUtilization",
            "namespace": "AWS/EC2",
            "statistic": "Average",
            "period": 300,
            "evaluationPeriods": 2,
            "threshold": 5,
            "comparisonOperator": "LessThanThreshold",
            "dimensions": {"AutoScalingGroupName": "stage"},
            "alarmActions": [stage.topic],
            "treatMissingData": "notBreaching",
            "tags": TAGS,
        },
        lambda client, it, outputs: client("cloudwatch").put_metric_alarm(
            AlarmName=it,
            MetricName="CPUUtilization",
            Namespace="AWS/EC2",
            Statistic="Average",
            Period=300,
            EvaluationPeriods=2,
            Threshold=50,
            ComparisonOperator="LessThanThreshold",
        ),
        "threshold",
        lambda stage: {"threshold": 7.5, "alarmActions": None, "tags": NEW_TAGS},
    ),
    Case(
        "aws:cloudwatch/dashboard:Dashboard",
        "gpus",
        lambda stage: {"dashboardName": "gpus", "dashboardBody": '{"widgets": [ ]}'},
        lambda client, it, outputs: client("cloudwatch").delete_dashboards(DashboardNames=[it]),
        "",
        lambda stage: {"dashboardBody": '{"widgets":[{"type":"text"}]}'},
    ),
    Case(
        "aws:sns/topic:Topic",
        f"{ARN}sns:us-east-1:\\d+:alerts",
        lambda stage: {"name": "alerts", "displayName": "GPU alerts", "tags": TAGS},
        lambda client, it, outputs: client("sns").set_topic_attributes(
            TopicArn=it, AttributeName="DisplayName", AttributeValue="by hand"
        ),
        "displayName",
        lambda stage: {"displayName": "Alerts", "tags": NEW_TAGS},
    ),
    Case(
        "aws:sns/topicSubscription:TopicSubscription",
        f"{ARN}sns:us-east-1:\\d+:stage:[0-9a-f-]+",
        lambda stage: {"topic": stage.topic, "protocol": "email", "endpoint": "ml@example.com"},
        lambda client, it, outputs: client("sns").unsubscribe(SubscriptionArn=it),
        "",
        lambda stage: {"rawMessageDelivery": True},
    ),
    Case(
        "aws:sqs/queue:Queue",
        r"https?://.*/\d+/jobs",
        lambda stage: {
            "name": "jobs",
            "delaySeconds": 3,
            "visibilityTimeoutSeconds": 60,
            "sqsManagedSseEnabled": True,
            "tags": TAGS,
        },
        lambda client, it, outputs: client("sqs").set_queue_attributes(
            QueueUrl=it, Attributes={"DelaySeconds": "9"}
        ),
        "delaySeconds",
        lambda stage: {"visibilityTimeoutSeconds": 90, "tags": NEW_TAGS},
    ),
]

CASES = [*NETWORK, *COMPUTE, *IDENTITY, *STORAGE, *WATCHING, *STORES, *GUARDS]
cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.token + case.label)


def test_every_type_has_its_case():
    assert {case.token for case in CASES} == HANDLERS.keys()


def import_id(case: Case, resource_id: str, outputs: Inputs) -> str:
    """What `pulumi import` is given where the id does not say enough."""
    if case.token == "aws:iam/rolePolicyAttachment:RolePolicyAttachment":
        return f"{outputs['role']}/{outputs['policyArn']}"
    if "autoscalingGroupName" in outputs:
        return f"{outputs['autoscalingGroupName']}/{resource_id}"
    if case.within:
        return f"{outputs[case.within[0]]}{case.within[1]}{outputs[case.within[2]]}"
    return resource_id


@cases
def test_life(case, stage):
    handler = HANDLERS[case.token]
    inputs = case.inputs(stage)

    resource_id, outputs = handler.create(stage.call(case.token, inputs))
    known = stage.call(case.token, outputs)

    assert re.fullmatch(case.id, resource_id), resource_id
    assert {key: outputs[key] for key in inputs} == inputs
    assert handler.read(known, resource_id) == outputs

    imported = handler.read(stage.call(case.token, {}), import_id(case, resource_id, outputs))
    told = {key: value for key, value in inputs.items() if key not in case.forgotten}
    assert {key for key, value in told.items() if not alike(imported.get(key), value)} == set()

    changes = case.update(stage)
    if changes:
        wanted = {k: v for k, v in (inputs | changes).items() if v is not None}
        updated = handler.update(stage.call(case.token, wanted), resource_id, outputs)
        assert {key: updated[key] for key in wanted} == wanted
        known = stage.call(case.token, updated)
        assert handler.read(known, resource_id) == updated

    handler.delete(known, resource_id, known.inputs)
    after = handler.read(known, resource_id)
    if case.remains:
        assert after != known.inputs
    else:
        assert after is None
    handler.delete(known, resource_id, known.inputs)


@cases
def test_a_change_behind_the_back_is_seen_and_mended(case, stage):
    handler = HANDLERS[case.token]
    inputs = case.inputs(stage)
    resource_id, outputs = handler.create(stage.call(case.token, inputs))
    known = stage.call(case.token, outputs)

    case.drift(stage.client, resource_id, outputs)
    drifted = handler.read(known, resource_id)

    if not case.seen:
        assert drifted is None
        return
    assert drifted.get(case.seen) != outputs[case.seen]
    handler.update(stage.call(case.token, inputs), resource_id, drifted)
    mended = handler.read(known, resource_id)
    assert mended[case.seen] == outputs[case.seen]
    handler.delete(known, resource_id, outputs)


def alike(imported: Any, given: Any) -> bool:
    """Equal in meaning; lists that AWS keeps as sets may come in another order."""
    if isinstance(given, list) and isinstance(imported, list) and len(given) == len(imported):
        return all(any(covers(mine, theirs) for mine in imported) for theirs in given)
    return covers(imported, given)


def covers(imported: Any, given: Any) -> bool:
    """An import may tell more than the program wrote, never less."""
    if isinstance(imported, dict) and isinstance(given, dict):
        return all(covers(imported.get(key), value) for key, value in given.items())
    return same(imported, given)

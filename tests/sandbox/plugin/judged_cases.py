"""How the plugin is tried at each type of AWS."""

from tests.sandbox.plugin.judged import NOWHERE, POLICY, TRUST, Case
from tests.sandbox.plugin.judged_services import SERVICES

CASES = (
    Case(
        "aws:ec2/vpc:Vpc",
        {"cidrBlock": "10.9.0.0/16"},
        "cidrBlock",
        ("enableDnsSupport", "yes"),
    ),
    Case(
        "aws:ec2/subnet:Subnet",
        {"vpcId": "{vpc}", "cidrBlock": "10.1.9.0/24", "availabilityZone": "us-east-1a"},
        "vpcId",
        ("mapPublicIpOnLaunch", "no"),
        ("vpcId", f"vpc-{NOWHERE}"),
        "InvalidVpcID.NotFound",
    ),
    Case(
        "aws:ec2/internetGateway:InternetGateway",
        {"vpcId": "{vpc}"},
        "",
        ("tags", ["a"]),
        ("vpcId", f"vpc-{NOWHERE}"),
        "InvalidVpcID.NotFound",
    ),
    Case(
        "aws:ec2/eip:Eip",
        {"domain": "vpc"},
        "",
        ("domain", "vcp"),
        ("networkInterface", f"eni-{NOWHERE}"),
        "InvalidNetworkInterfaceID.NotFound",
    ),
    Case(
        "aws:ec2/natGateway:NatGateway",
        {"subnetId": "{subnet}", "allocationId": "{allocation}"},
        "subnetId",
        ("connectivityType", "hidden"),
        ("allocationId", f"eipalloc-{NOWHERE}"),
        "InvalidAllocationID.NotFound",
    ),
    Case(
        "aws:ec2/routeTable:RouteTable",
        {"vpcId": "{vpc}"},
        "vpcId",
        ("routes", "none"),
        ("vpcId", f"vpc-{NOWHERE}"),
        "InvalidVpcID.NotFound",
    ),
    Case(
        "aws:ec2/route:Route",
        {
            "routeTableId": "{table}",
            "destinationCidrBlock": "10.200.0.0/16",
            "gatewayId": "{gateway}",
        },
        "destinationCidrBlock",
        ("destinationCidrBlock", [10]),
        ("gatewayId", f"igw-{NOWHERE}"),
        "InvalidInternetGatewayID.NotFound",
    ),
    Case(
        "aws:ec2/routeTableAssociation:RouteTableAssociation",
        {"routeTableId": "{table}", "subnetId": "{subnet}"},
        "routeTableId",
        ("subnetId", ["{subnet}"]),
        ("routeTableId", f"rtb-{NOWHERE}"),
        "InvalidRouteTableID.NotFound",
    ),
    Case(
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        {"vpcId": "{vpc}", "serviceName": "com.amazonaws.us-east-1.s3"},
        "vpcId",
        ("routeTableIds", "{table}"),
        ("routeTableIds", [f"rtb-{NOWHERE}"]),
        "InvalidRouteTableID.NotFound",
    ),
    Case(
        "aws:ec2/securityGroup:SecurityGroup",
        {"vpcId": "{vpc}"},
        "",
        ("ingress", [{"protocol": "tcp", "fromPort": "many", "toPort": 22}]),
        ("vpcId", f"vpc-{NOWHERE}"),
        "InvalidVpcID.NotFound",
    ),
    *(
        Case(
            f"aws:vpc/securityGroup{direction}Rule:SecurityGroup{direction}Rule",
            {
                "securityGroupId": "{group}",
                "ipProtocol": "-1",
                "referencedSecurityGroupId": "{group}",
            },
            "ipProtocol",
            ("ipProtocol", [-1]),
            ("referencedSecurityGroupId", f"sg-{NOWHERE}"),
            "InvalidGroup.NotFound",
        )
        for direction in ("Ingress", "Egress")
    ),
    Case(
        "aws:ec2/networkInterface:NetworkInterface",
        {"subnetId": "{subnet}"},
        "subnetId",
        ("privateIpsCount", "two"),
        ("securityGroups", [f"sg-{NOWHERE}"]),
        "InvalidGroup.NotFound",
    ),
    Case(
        "aws:ec2/placementGroup:PlacementGroup",
        {"strategy": "cluster"},
        "strategy",
        ("partitionCount", "many"),
    ),
    Case(
        "aws:ec2/launchTemplate:LaunchTemplate",
        {"instanceType": "g6.xlarge"},
        "",
        ("blockDeviceMappings", [{"ebs": {"encrypted": ["yes"]}}]),
        ("iamInstanceProfile", {"name": "absent"}),
        "InvalidParameterValue",
    ),
    Case(
        "aws:ec2/instance:Instance",
        {"ami": "{image}", "instanceType": "t3.micro", "subnetId": "{subnet}"},
        "ami",
        ("metadataOptions", {"httpTokens": "always"}),
        ("vpcSecurityGroupIds", [f"sg-{NOWHERE}"]),
        "InvalidGroup.NotFound",
    ),
    Case(
        "aws:autoscaling/group:Group",
        {
            "minSize": 0,
            "maxSize": 1,
            "vpcZoneIdentifiers": ["{subnet}"],
            "launchTemplate": {"id": "{template}"},
        },
        "maxSize",
        ("maxSize", "many"),
        ("launchTemplate", {"id": f"lt-{NOWHERE}"}),
        "InvalidLaunchTemplateId.NotFound",
    ),
    Case(
        "aws:autoscaling/policy:Policy",
        {
            "autoscalingGroupName": "{scaling}",
            "policyType": "TargetTrackingScaling",
            "targetTrackingConfiguration": {
                "targetValue": 60,
                "predefinedMetricSpecification": {
                    "predefinedMetricType": "ASGAverageCPUUtilization"
                },
            },
        },
        "autoscalingGroupName",
        ("targetTrackingConfiguration", {"targetValue": "high"}),
        ("autoscalingGroupName", "absent"),
        "ValidationError",
    ),
    Case(
        "aws:iam/role:Role",
        {"assumeRolePolicy": TRUST},
        "assumeRolePolicy",
        ("maxSessionDuration", "1h"),
        ("permissionsBoundary", "arn:aws:iam::123456789012:policy/absent"),
        "NoSuchEntity",
    ),
    Case(
        "aws:iam/rolePolicy:RolePolicy",
        {"role": "{role}", "policy": POLICY},
        "policy",
        ("role", [7]),
        ("role", "absent"),
        "NoSuchEntity",
    ),
    Case(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        {"role": "{role}", "policyArn": "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"},
        "policyArn",
        ("policyArn", []),
        ("policyArn", "arn:aws:iam::aws:policy/Absent"),
        "NoSuchEntity",
    ),
    Case(
        "aws:iam/instanceProfile:InstanceProfile",
        {"role": "{role}"},
        "",
        ("role", {"name": "{role}"}),
        ("role", "absent"),
        "NoSuchEntity",
    ),
    Case("aws:iam/policy:Policy", {"policy": POLICY}, "policy", ("policy", [POLICY])),
    Case(
        "aws:lb/loadBalancer:LoadBalancer",
        {"subnets": ["{subnet}", "{subnet_b}"], "securityGroups": ["{group}"]},
        "subnets",
        ("internal", "yes"),
        ("subnets", ["{subnet}", f"subnet-{NOWHERE}"]),
        "InvalidSubnetID.NotFound",
    ),
    Case(
        "aws:lb/targetGroup:TargetGroup",
        {"port": 8000, "protocol": "HTTP", "vpcId": "{vpc}"},
        "port",
        ("port", "many"),
        ("vpcId", f"vpc-{NOWHERE}"),
        "InvalidVpcID.NotFound",
    ),
    Case(
        "aws:lb/listener:Listener",
        {
            "loadBalancerArn": "{balancer}",
            "port": 80,
            "protocol": "HTTP",
            "defaultActions": [{"type": "forward", "targetGroupArn": "{targets}"}],
        },
        "defaultActions",
        ("defaultActions", {"type": "forward"}),
        ("defaultActions", [{"type": "forward", "targetGroupArn": "arn:aws:absent"}]),
        "TargetGroupNotFound",
    ),
    Case("aws:s3/bucket:Bucket", {"bucket": "town-bucket-9"}, "", ("forceDestroy", "yes")),
    *(
        Case(
            f"aws:s3/bucket{kind}:Bucket{kind}",
            {"bucket": "{bucket}", key: value},
            required,
            (key, [1]),
            ("bucket", "absent-bucket"),
            "NoSuchBucket",
        )
        for kind, key, value, required in (
            ("Policy", "policy", POLICY, "policy"),
            ("PublicAccessBlock", "blockPublicAcls", True, "bucket"),
            ("OwnershipControls", "rule", {"objectOwnership": "BucketOwnerEnforced"}, "rule"),
            ("Versioning", "versioningConfiguration", {"status": "Enabled"}, "bucket"),
            (
                "ServerSideEncryptionConfiguration",
                "rules",
                [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}],
                "rules",
            ),
            (
                "LifecycleConfiguration",
                "rules",
                [
                    {
                        "id": "tidy",
                        "status": "Enabled",
                        "abortIncompleteMultipartUpload": {"daysAfterInitiation": 7},
                    }
                ],
                "bucket",
            ),
        )
    ),
    Case(
        "aws:budgets/budget:Budget",
        {"budgetType": "COST", "timeUnit": "MONTHLY", "limitAmount": "100", "limitUnit": "USD"},
        "timeUnit",
        ("limitAmount", [100]),
    ),
    Case(
        "aws:cloudwatch/logGroup:LogGroup", {"retentionInDays": 7}, "", ("retentionInDays", "week")
    ),
    Case(
        "aws:cloudwatch/metricAlarm:MetricAlarm",
        {
            "comparisonOperator": "GreaterThanThreshold",
            "evaluationPeriods": 1,
            "metricName": "CPUUtilization",
            "namespace": "AWS/EC2",
            "period": 60,
            "statistic": "Average",
            "threshold": 80,
        },
        "comparisonOperator",
        ("threshold", "80%"),
    ),
    *SERVICES,
)
IDS = [
    case.token.removeprefix("aws:").split("/")[0] + "." + case.token.rsplit(":", 1)[-1]
    for case in CASES
]

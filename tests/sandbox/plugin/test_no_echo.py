"""The plugin judges: one required input missing, one mistyped, one reference broken, per type."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.sandbox.plugin.filling import filled
from tests.sandbox.plugin.judged import NOWHERE, POLICY, TRUST, Case
from tests.sandbox.plugin.judged_services import SERVICES, more_of_the_town

# A bucket's versioning can only be suspended and its lock only be reset, by AWS's own rules; a
# topic always has a policy.
REMAINS = (
    "aws:s3/bucketVersioning:BucketVersioning",
    "aws:s3/bucketObjectLockConfiguration:BucketObjectLockConfiguration",
    "aws:sns/topicPolicy:TopicPolicy",
)


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


@pytest.fixture(scope="module")
def town(plugin: Any) -> Iterator[dict[str, str]]:
    """One of each thing that others refer to."""
    made: list[tuple[str, str, dict[str, Any]]] = []

    def make(token: str, **inputs: Any) -> tuple[str, dict[str, Any]]:
        resource_id, outputs = plugin.create(token, inputs, name=f"town{len(made)}")
        made.append((token, resource_id, outputs))
        return resource_id, outputs

    vpc, _ = make("aws:ec2/vpc:Vpc", cidrBlock="10.1.0.0/16")
    subnets = [
        make(
            "aws:ec2/subnet:Subnet",
            vpcId=vpc,
            cidrBlock=f"10.1.{number}.0/24",
            availabilityZone=f"us-east-1{letter}",
        )[0]
        for number, letter in enumerate("ab")
    ]
    role, _ = make("aws:iam/role:Role", assumeRolePolicy=TRUST)
    template, _ = make("aws:ec2/launchTemplate:LaunchTemplate", instanceType="g6.xlarge")
    group, _ = make("aws:ec2/securityGroup:SecurityGroup", vpcId=vpc)
    ids = {
        "vpc": vpc,
        "subnet": subnets[0],
        "subnet_b": subnets[1],
        "role": role,
        "template": template,
        "group": group,
        "gateway": make("aws:ec2/internetGateway:InternetGateway", vpcId=vpc)[0],
        "table": make("aws:ec2/routeTable:RouteTable", vpcId=vpc)[0],
        "allocation": make("aws:ec2/eip:Eip", domain="vpc")[0],
        "bucket": make("aws:s3/bucket:Bucket", bucket="town-bucket")[0],
        "scaling": make(
            "aws:autoscaling/group:Group",
            minSize=0,
            maxSize=1,
            vpcZoneIdentifiers=[subnets[0]],
            launchTemplate={"id": template},
        )[0],
        "balancer": make(
            "aws:lb/loadBalancer:LoadBalancer", subnets=subnets, securityGroups=[group]
        )[0],
        "targets": make("aws:lb/targetGroup:TargetGroup", port=80, protocol="HTTP", vpcId=vpc)[0],
        "image": plugin.invoke(
            "aws:ec2/getAmi:getAmi",
            mostRecent=True,
            owners=["amazon"],
            filters=[{"name": "name", "values": ["al2023-ami-2023*x86_64"]}],
        )["id"],
    }
    yield ids | more_of_the_town(make, role)
    for token, resource_id, outputs in reversed(made):
        plugin.delete(token, resource_id, outputs)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_good_inputs_stand_and_are_read_back_unchanged(
    case: Case, plugin: Any, town: dict[str, str]
) -> None:
    inputs, failures = plugin.check(case.token, filled(case.inputs, town), name="good")
    assert not failures
    resource_id, outputs = plugin.create(case.token, filled(case.inputs, town), name="good")
    try:
        answer = plugin.read(case.token, resource_id, "good", outputs=outputs, inputs=inputs)
        again = plugin.diff(case.token, inputs, inputs_of(answer))

        assert answer.id == resource_id
        assert list(again.diffs) == []
    finally:
        plugin.delete(case.token, resource_id, outputs)
    gone = plugin.read(case.token, resource_id, "good", outputs=outputs, inputs=inputs)
    assert (gone.id == "") is (case.token not in REMAINS)


def inputs_of(answer: Any) -> dict[str, Any]:
    from gpuinfra.sandbox.plugin.wire import from_wire

    return from_wire(answer.inputs)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.required], ids=lambda case: IDS[CASES.index(case)]
)
def test_a_missing_required_input_is_refused(
    case: Case, plugin: Any, town: dict[str, str]
) -> None:
    inputs = filled(case.inputs, town)
    del inputs[case.required]

    _, failures = plugin.check(case.token, inputs)

    assert list(failures) == [case.required]
    assert failures[case.required].startswith("missing required")
    assert case.required in failures[case.required]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_mistyped_input_is_refused(case: Case, plugin: Any, town: dict[str, str]) -> None:
    key, value = case.mistyped

    _, failures = plugin.check(case.token, filled({**case.inputs, key: value}, town))

    assert len(failures) == 1
    path, reason = failures.popitem()
    assert path.startswith(key)
    assert "expected" in reason or "is not one of" in reason


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_an_unknown_input_is_refused_with_the_word_meant(
    case: Case, plugin: Any, town: dict[str, str]
) -> None:
    key = next(iter(case.inputs))

    _, failures = plugin.check(case.token, filled({**case.inputs, f"{key}x": 1}, town))

    assert failures == {f"{key}x": f"unknown property '{key}x'; did you mean '{key}'? (sandbox)"}


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.broken], ids=lambda case: IDS[CASES.index(case)]
)
def test_a_broken_reference_is_refused_in_the_clouds_words(
    case: Case, plugin: Any, town: dict[str, str]
) -> None:
    assert case.broken is not None
    key, value = case.broken

    refusal = plugin.refusal(case.token, filled({**case.inputs, key: value}, town))

    assert refusal.startswith(f"{case.code}: ")
    assert refusal.endswith("(sandbox)")

"""A cluster with all that stands around it: built in order, removed in reverse, nothing left."""

from typing import Any

from gpuinfra.sandbox.aws import HANDLERS

TRUST = (
    '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole",'
    ' "Principal": {"Service": "ec2.amazonaws.com"}}]}'
)
READ = (
    '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject",'
    ' "Resource": "arn:aws:s3:::whole-bucket/*"}]}'
)
SELF = {"ipProtocol": "-1"}
PRICED = {"marketType": "spot", "spotOptions": {"maxPrice": "55.04"}}


def test_nothing_is_left(stage):
    before = standing(stage.client)
    built: list[tuple[str, str, dict[str, Any]]] = []

    def add(token: str, **inputs: Any) -> tuple[str, dict[str, Any]]:
        call = stage.call(token, inputs, f"r{len(built)}")
        resource_id, outputs = HANDLERS[token].create(call)
        built.append((token, resource_id, outputs))
        return resource_id, outputs

    build(add, stage.image)
    assert len(standing(stage.client) - before) > 15

    drifted = {
        token
        for token, resource_id, outputs in built
        if HANDLERS[token].read(stage.call(token, outputs), resource_id) != outputs
    }
    assert drifted == set()

    for token, resource_id, outputs in reversed(built):
        HANDLERS[token].delete(stage.call(token, outputs), resource_id, outputs)
    assert standing(stage.client) - before == set()


def build(add: Any, image: str) -> None:
    vpc, _ = add("aws:ec2/vpc:Vpc", cidrBlock="10.77.0.0/16", enableDnsHostnames=True)
    gateway, _ = add("aws:ec2/internetGateway:InternetGateway", vpcId=vpc)
    public, _ = subnet(add, vpc, "10.77.0.0/24", "a")
    other, _ = subnet(add, vpc, "10.77.1.0/24", "b")
    private, _ = subnet(add, vpc, "10.77.16.0/20", "a")
    address, _ = add("aws:ec2/eip:Eip", domain="vpc")
    nat, _ = add("aws:ec2/natGateway:NatGateway", allocationId=address, subnetId=public)
    for zone, target in ((public, {"gatewayId": gateway}), (private, {"natGatewayId": nat})):
        table, _ = add("aws:ec2/routeTable:RouteTable", vpcId=vpc)
        add("aws:ec2/route:Route", routeTableId=table, destinationCidrBlock="0.0.0.0/0", **target)
        add(
            "aws:ec2/routeTableAssociation:RouteTableAssociation",
            routeTableId=table,
            subnetId=zone,
        )
    service = "com.amazonaws.us-east-1.s3"
    add("aws:ec2/vpcEndpoint:VpcEndpoint", vpcId=vpc, serviceName=service, routeTableIds=[table])
    group, _ = add("aws:ec2/securityGroup:SecurityGroup", name="whole", vpcId=vpc)
    for word in ("Ingress", "Egress"):
        token = f"aws:vpc/securityGroup{word}Rule:SecurityGroup{word}Rule"
        add(token, securityGroupId=group, referencedSecurityGroupId=group, **SELF)
    bucket, _ = add("aws:s3/bucket:Bucket", bucket="whole-bucket", forceDestroy=True)
    add(
        "aws:s3/bucketVersioning:BucketVersioning",
        bucket=bucket,
        versioningConfiguration={"status": "Enabled"},
    )
    role, _ = add("aws:iam/role:Role", name="whole", assumeRolePolicy=TRUST)
    add("aws:iam/rolePolicy:RolePolicy", name="read", role=role, policy=READ)
    managed = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
    add("aws:iam/rolePolicyAttachment:RolePolicyAttachment", role=role, policyArn=managed)
    profile, _ = add("aws:iam/instanceProfile:InstanceProfile", name="whole", role=role)
    template, made = add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        name="whole",
        imageId=image,
        instanceType="p5.48xlarge",
        iamInstanceProfile={"name": profile},
        instanceMarketOptions=PRICED,
        metadataOptions={"httpTokens": "required"},
        networkInterfaces=interfaces(group),
    )
    version = {"id": template, "version": str(made["latestVersion"])}
    asg, _ = add(
        "aws:autoscaling/group:Group",
        name="whole",
        minSize=2,
        maxSize=2,
        desiredCapacity=2,
        vpcZoneIdentifiers=[private],
        launchTemplate=version,
    )
    hook = "autoscaling:EC2_INSTANCE_TERMINATING"
    add(
        "aws:autoscaling/lifecycleHook:LifecycleHook",
        name="drain",
        autoscalingGroupName=asg,
        lifecycleTransition=hook,
    )
    balancer, _ = add(
        "aws:lb/loadBalancer:LoadBalancer",
        name="whole",
        internal=True,
        subnets=[public, other],
        securityGroups=[group],
    )
    target, _ = add(
        "aws:lb/targetGroup:TargetGroup", name="whole", port=80, protocol="HTTP", vpcId=vpc
    )
    add(
        "aws:lb/listener:Listener",
        loadBalancerArn=balancer,
        port=80,
        protocol="HTTP",
        defaultActions=[{"type": "forward", "targetGroupArn": target}],
    )
    add(
        "aws:budgets/budget:Budget",
        name="whole",
        budgetType="COST",
        timeUnit="MONTHLY",
        limitAmount="100",
        limitUnit="USD",
    )


def subnet(add: Any, vpc: str, cidr: str, zone: str) -> tuple[str, dict[str, Any]]:
    return add(
        "aws:ec2/subnet:Subnet", vpcId=vpc, cidrBlock=cidr, availabilityZone=f"us-east-1{zone}"
    )


def interfaces(group: str) -> list[dict[str, Any]]:
    """p5's layout: one with an address, one efa-only per card."""
    shared = {"securityGroups": [group], "deleteOnTermination": "true"}
    cards = [
        {"networkCardIndex": card, "deviceIndex": int(card == 0), "interfaceType": "efa-only"}
        for card in range(32)
    ]
    first = {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}
    return [nic | shared for nic in (first, *cards)]


def standing(client: Any) -> set[str]:
    """Whatever would be found in the account by a person who looks everywhere."""
    ec2, iam, elb, scaling = (client(it) for it in ("ec2", "iam", "elbv2", "autoscaling"))
    account = client("sts").get_caller_identity()["Account"]
    groups = [
        ids(ec2.describe_vpcs()["Vpcs"], "VpcId"),
        ids(ec2.describe_subnets()["Subnets"], "SubnetId"),
        ids(ec2.describe_internet_gateways()["InternetGateways"], "InternetGatewayId"),
        ids(ec2.describe_addresses()["Addresses"], "AllocationId"),
        ids(ec2.describe_route_tables()["RouteTables"], "RouteTableId"),
        [
            endpoint["VpcEndpointId"]
            for endpoint in ec2.describe_vpc_endpoints()["VpcEndpoints"]
            if endpoint["State"] != "deleted"
        ],
        ids(ec2.describe_security_groups()["SecurityGroups"], "GroupId"),
        ids(ec2.describe_security_group_rules()["SecurityGroupRules"], "SecurityGroupRuleId"),
        ids(ec2.describe_network_interfaces()["NetworkInterfaces"], "NetworkInterfaceId"),
        ids(ec2.describe_volumes()["Volumes"], "VolumeId"),
        ids(ec2.describe_launch_templates()["LaunchTemplates"], "LaunchTemplateId"),
        [
            gateway["NatGatewayId"]
            for gateway in ec2.describe_nat_gateways()["NatGateways"]
            if gateway["State"] != "deleted"
        ],
        [
            machine["InstanceId"]
            for reservation in ec2.describe_instances()["Reservations"]
            for machine in reservation["Instances"]
            if machine["State"]["Name"] != "terminated"
        ],
        ids(scaling.describe_auto_scaling_groups()["AutoScalingGroups"], "AutoScalingGroupName"),
        ids(scaling.describe_policies()["ScalingPolicies"], "PolicyARN"),
        ids(elb.describe_load_balancers()["LoadBalancers"], "LoadBalancerArn"),
        ids(elb.describe_target_groups()["TargetGroups"], "TargetGroupArn"),
        ids(iam.list_roles()["Roles"], "Arn"),
        ids(iam.list_instance_profiles()["InstanceProfiles"], "Arn"),
        ids(client("s3").list_buckets()["Buckets"], "Name"),
        ids(
            client("budgets").describe_budgets(AccountId=account).get("Budgets", []), "BudgetName"
        ),
    ]
    return {resource_id for group in groups for resource_id in group}


def ids(items: list[dict[str, Any]], key: str) -> list[str]:
    return [item[key] for item in items]

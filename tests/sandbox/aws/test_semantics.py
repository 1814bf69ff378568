"""What the real provider and AWS do beyond storing inputs."""

import subprocess
import sys
from dataclasses import replace

import pytest
from botocore.exceptions import ClientError

from gpuinfra.sandbox.aws import HANDLERS
from gpuinfra.sandbox.plugin.contract import CloudRefusalError

SG = "aws:ec2/securityGroup:SecurityGroup"
INSTANCE = "aws:ec2/instance:Instance"
LT = "aws:ec2/launchTemplate:LaunchTemplate"
ASG = "aws:autoscaling/group:Group"
BUCKET = "aws:s3/bucket:Bucket"
VPC = "aws:ec2/vpc:Vpc"
TRUST = (
    '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole",'
    ' "Principal": {"Service": "ec2.amazonaws.com"}}]}'
)


def make(stage, token, inputs, name="it"):
    call = stage.call(token, inputs, name)
    return call, *HANDLERS[token].create(call)


def test_importing_the_handlers_loads_no_boto3():
    code = "import sys, gpuinfra.sandbox.aws; print({'boto3', 'botocore'} & set(sys.modules))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "set()"


def test_a_new_security_group_allows_nothing(stage):
    inputs = {"name": "bare", "vpcId": stage.vpc}
    _, group, outputs = make(stage, SG, inputs)

    rules = stage.client("ec2").describe_security_group_rules(
        Filters=[{"Name": "group-id", "Values": [group]}]
    )
    assert rules["SecurityGroupRules"] == []
    assert outputs["description"] == "Managed by Pulumi"
    assert "egress" not in outputs


def test_rules_beside_a_security_group_are_no_drift_of_it(stage):
    _, group, outputs = make(stage, SG, {"name": "beside", "vpcId": stage.vpc})
    make(
        stage,
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        {"securityGroupId": group, "ipProtocol": "-1", "referencedSecurityGroupId": group},
    )

    assert HANDLERS[SG].read(stage.call(SG, outputs), group) == outputs
    imported = HANDLERS[SG].read(stage.call(SG, {"region": "us-east-1"}), group)
    assert imported["ingress"] == [{"protocol": "-1", "fromPort": 0, "toPort": 0, "self": True}]


@pytest.mark.parametrize("public", [True, False])
def test_an_imported_machine_says_whether_it_has_a_public_address(stage, public):
    """So the provider does, and stating it in the program is no change then."""
    interface = {"DeviceIndex": 0, "SubnetId": stage.subnet, "AssociatePublicIpAddress": public}
    started = stage.client("ec2").run_instances(
        ImageId=stage.client("ec2").describe_images(Owners=["amazon"])["Images"][0]["ImageId"],
        InstanceType="t3.micro",
        MinCount=1,
        MaxCount=1,
        NetworkInterfaces=[interface],
    )["Instances"][0]["InstanceId"]

    read = HANDLERS[INSTANCE].read(stage.call(INSTANCE, {"region": "us-east-1"}), started)

    assert read["associatePublicIpAddress"] is public


def test_a_nat_gateway_is_no_drift_of_its_address(stage):
    eip = "aws:ec2/eip:Eip"
    _, address, outputs = make(stage, eip, {"domain": "vpc"})
    nat = "aws:ec2/natGateway:NatGateway"
    call, gateway, made = make(stage, nat, {"allocationId": address, "subnetId": stage.subnet})

    assert HANDLERS[eip].read(stage.call(eip, outputs), address) == outputs
    HANDLERS[nat].delete(call, gateway, made)
    HANDLERS[eip].delete(stage.call(eip, outputs), address, outputs)
    assert HANDLERS[eip].read(stage.call(eip, outputs), address) is None


def test_a_template_grows_a_version_per_change_of_content(stage):
    inputs = {"name": "versions", "instanceType": "t3.micro", "updateDefaultVersion": True}
    _, template, made = make(stage, LT, inputs)
    retagged = HANDLERS[LT].update(stage.call(LT, inputs | {"tags": {"a": "b"}}), template, made)
    bigger = HANDLERS[LT].update(
        stage.call(LT, inputs | {"instanceType": "t3.large"}), template, retagged
    )
    fixed = HANDLERS[LT].update(
        stage.call(LT, {"name": "versions", "instanceType": "t3.2xlarge", "defaultVersion": 1}),
        template,
        bigger,
    )

    numbers = [
        (it["latestVersion"], it["defaultVersion"]) for it in (made, retagged, bigger, fixed)
    ]
    assert numbers == [(1, 1), (1, 1), (2, 2), (3, 1)]


def test_a_template_names_the_tags_of_what_it_launches_alone(stage):
    _, _, outputs = make(stage, LT, {"name": "own-tags", "imageId": "ami-1", "tags": {"a": "b"}})

    assert "tagSpecifications" not in outputs
    assert outputs["tagsAll"] == {"a": "b"}


def test_an_instance_takes_the_metadata_options_of_its_template(stage):
    inputs = {
        "launchTemplate": {"id": stage.template, "version": "$Latest"},
        "subnetId": stage.subnet,
    }
    _, machine, outputs = make(stage, "aws:ec2/instance:Instance", inputs)

    reservation = stage.client("ec2").describe_instances(InstanceIds=[machine])["Reservations"][0]
    assert reservation["Instances"][0]["MetadataOptions"]["HttpTokens"] == "required"
    assert outputs["metadataOptions"]["httpTokens"] == "required"


def test_a_group_starts_its_machines_and_ends_them(stage):
    inputs = {
        "name": "pool",
        "minSize": 1,
        "maxSize": 3,
        "desiredCapacity": 2,
        "vpcZoneIdentifiers": [stage.subnet, stage.other_subnet],
        "mixedInstancesPolicy": {
            "launchTemplate": {
                "launchTemplateSpecification": {"launchTemplateId": stage.template},
                "overrides": [
                    {"instanceType": "g6.xlarge", "weightedCapacity": "1"},
                    {"instanceType": "g5.xlarge"},
                ],
            },
            "instancesDistribution": {
                "onDemandBaseCapacity": 1,
                "onDemandPercentageAboveBaseCapacity": 0,
                "spotAllocationStrategy": "price-capacity-optimized",
            },
        },
    }
    call, name, outputs = make(stage, ASG, inputs)
    scaling = stage.client("autoscaling")
    group = scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[name])["AutoScalingGroups"]
    machines = [machine["InstanceId"] for machine in group[0]["Instances"]]
    assert len(machines) == 2
    assert tokens(stage, machines) == {"required"}
    assert outputs["mixedInstancesPolicy"] == inputs["mixedInstancesPolicy"]

    HANDLERS[ASG].delete(call, name, outputs)

    reservations = stage.client("ec2").describe_instances(InstanceIds=machines)["Reservations"]
    states = {
        it["State"]["Name"] for reservation in reservations for it in reservation["Instances"]
    }
    assert states == {"terminated"}


def tokens(stage, machines):
    reservations = stage.client("ec2").describe_instances(InstanceIds=machines)["Reservations"]
    return {
        it["MetadataOptions"]["HttpTokens"] for group in reservations for it in group["Instances"]
    }


def test_desired_capacity_changed_by_hand_is_seen(stage):
    inputs = {
        "name": "desired",
        "minSize": 0,
        "maxSize": 3,
        "vpcZoneIdentifiers": [stage.subnet],
        "launchTemplate": {"id": stage.template, "version": "$Latest"},
    }
    call, name, outputs = make(stage, ASG, inputs)
    stage.client("autoscaling").set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=2)

    drifted = HANDLERS[ASG].read(stage.call(ASG, outputs), name)

    assert (outputs["desiredCapacity"], drifted["desiredCapacity"]) == (0, 2)
    HANDLERS[ASG].delete(call, name, outputs)


def fill(stage, bucket):
    s3 = stage.client("s3")
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    for body in (b"1", b"2"):
        s3.put_object(Bucket=bucket, Key="model", Body=body)
    s3.delete_object(Bucket=bucket, Key="model")


def test_a_bucket_with_force_destroy_goes_with_every_version(stage):
    call, bucket, outputs = make(stage, BUCKET, {"bucket": "full-one", "forceDestroy": True})
    fill(stage, bucket)

    HANDLERS[BUCKET].delete(call, bucket, outputs)

    assert HANDLERS[BUCKET].read(stage.call(BUCKET, outputs), bucket) is None


def test_a_full_bucket_without_it_is_refused(stage):
    call, bucket, outputs = make(stage, BUCKET, {"bucket": "full-two"})
    fill(stage, bucket)

    with pytest.raises(ClientError, match="BucketNotEmpty"):
        HANDLERS[BUCKET].delete(call, bucket, outputs)


def test_a_vpc_with_subnets_is_refused(stage):
    call, vpc, outputs = make(stage, VPC, {"cidrBlock": "10.66.0.0/16"})
    stage.client("ec2").create_subnet(VpcId=vpc, CidrBlock="10.66.1.0/24")

    with pytest.raises(ClientError, match="DependencyViolation"):
        HANDLERS[VPC].delete(call, vpc, outputs)


def test_a_name_is_made_up_from_the_prefix_where_none_is_given(stage):
    _, role, _ = make(
        stage,
        "aws:iam/role:Role",
        {"namePrefix": "node-", "assumeRolePolicy": TRUST},
    )

    assert role.startswith("node-")
    assert len(role) == len("node-") + 7


def test_the_route_id_is_the_real_providers():
    from gpuinfra.sandbox.aws.route_tables import _route_id

    # terraform-provider-aws: r-<table><crc32 of the destination>; 0.0.0.0/0 is 1080289494 there
    assert _route_id("rtb-1", "0.0.0.0/0") == "r-rtb-11080289494"


def test_what_a_hand_made_version_leaves_out_is_seen(stage):
    inputs = {"name": "leaves-out", "instanceType": "t3.micro", "imageId": stage.image}
    _, template, outputs = make(stage, LT, inputs)
    stage.client("ec2").create_launch_template_version(
        LaunchTemplateId=template, LaunchTemplateData={"InstanceType": "t3.micro"}
    )

    drifted = HANDLERS[LT].read(stage.call(LT, outputs), template)

    assert "imageId" not in drifted
    assert drifted["latestVersion"] == 2


def test_a_group_that_shrinks_leaves_no_interfaces(stage):
    inputs = {
        "name": "shrinks",
        "minSize": 0,
        "maxSize": 2,
        "desiredCapacity": 2,
        "vpcZoneIdentifiers": [stage.subnet],
        "launchTemplate": {"id": stage.template, "version": "$Latest"},
    }
    call, name, outputs = make(stage, ASG, inputs)
    before = interfaces(stage)

    smaller = stage.call(ASG, inputs | {"desiredCapacity": 0})
    HANDLERS[ASG].update(smaller, name, outputs)

    assert len(before - interfaces(stage)) == 2
    HANDLERS[ASG].delete(call, name, outputs)


def interfaces(stage):
    interfaces_now = stage.client("ec2").describe_network_interfaces()["NetworkInterfaces"]
    return {interface["NetworkInterfaceId"] for interface in interfaces_now}


def test_a_boundary_is_set_and_taken_away(stage):
    role = "aws:iam/role:Role"
    boundary = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
    inputs = {"name": "bounded", "assumeRolePolicy": TRUST}
    _, name, outputs = make(stage, role, inputs | {"permissionsBoundary": boundary})

    freed = HANDLERS[role].update(stage.call(role, inputs), name, outputs)

    assert outputs["permissionsBoundary"] == boundary
    assert "permissionsBoundary" not in freed


def test_the_route_of_a_gateway_endpoint_is_no_drift_of_its_table(stage):
    token = "aws:ec2/routeTable:RouteTable"
    routes = [{"cidrBlock": "0.0.0.0/0", "gatewayId": stage.gateway}]
    _, table, outputs = make(stage, token, {"vpcId": stage.vpc, "routes": routes})
    make(
        stage,
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        {
            "vpcId": stage.vpc,
            "serviceName": "com.amazonaws.us-east-1.s3",
            "routeTableIds": [table],
        },
    )

    assert HANDLERS[token].read(stage.call(token, outputs), table) == outputs


def test_a_bucket_elsewhere_stands_in_its_region(stage):
    import boto3

    endpoint = stage.client("s3").meta.endpoint_url
    west = boto3.client(
        "s3",
        "us-west-2",
        endpoint_url=endpoint,
        aws_access_key_id="sandbox",
        aws_secret_access_key="sandbox",
    )
    inputs = {"bucket": "bucket-elsewhere"}
    call = replace(stage.call(BUCKET, inputs), region="us-west-2", client=lambda service: west)

    bucket, outputs = HANDLERS[BUCKET].create(call)

    assert outputs["bucketRegion"] == "us-west-2"
    HANDLERS[BUCKET].delete(call, bucket, outputs)
    west.close()


def test_a_flow_log_that_watches_nothing_is_refused(stage):
    with pytest.raises(CloudRefusalError, match="ResourceIds"):
        make(stage, "aws:ec2/flowLog:FlowLog", {"trafficType": "ALL"})

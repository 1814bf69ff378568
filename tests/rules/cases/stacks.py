"""Small stacks as strangers write them: pools, spot, single machines, buckets, networks."""

import json
from typing import Any

from tests.rules.cases.program import Handle, Program


def deny_plain(name: str) -> str:
    """A bucket policy that refuses plain HTTP, as people copy it from AWS's pages."""
    return json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Deny",
                    "Principal": "*",
                    "Action": "s3:*",
                    "Resource": [f"arn:aws:s3:::{name}", f"arn:aws:s3:::{name}/*"],
                    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
                }
            ],
        }
    )


def mixed_pool(**distribution: Any) -> Program:
    """A serving pool of two machine types behind a load balancer."""
    program = Program(region=None)
    add = program.add
    subnets = [
        add(
            "aws:ec2/subnet:Subnet",
            f"s{zone}",
            availabilityZone=f"eu-west-1{zone}",
            cidrBlock=f"10.0.{number}.0/24",
        )
        for number, zone in enumerate("ab")
    ]
    ids = [subnet.id for subnet in subnets]
    group = add("aws:ec2/securityGroup:SecurityGroup", "web")
    template = add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "server",
        namePrefix="server-",
        imageId="ami-1",
        vpcSecurityGroupIds=[group.id],
        metadataOptions={"httpTokens": "required"},
        blockDeviceMappings=[
            {"deviceName": "/dev/xvda", "ebs": {"volumeSize": 100, "encrypted": "true"}}
        ],
    )
    add("aws:lb/loadBalancer:LoadBalancer", "front", subnets=ids, securityGroups=[group.id])
    vpc = add("aws:ec2/vpc:Vpc", "net", cidrBlock="10.0.0.0/16")
    target = add("aws:lb/targetGroup:TargetGroup", "to", port=8000, protocol="HTTP", vpcId=vpc.id)
    specification = {"launchTemplateId": template.id, "version": template.out("latestVersion")}
    add(
        "aws:autoscaling/group:Group",
        "servers",
        minSize=1,
        maxSize=10,
        vpcZoneIdentifiers=ids,
        targetGroupArns=[target.arn],
        mixedInstancesPolicy={
            "instancesDistribution": distribution,
            "launchTemplate": {
                "launchTemplateSpecification": specification,
                "overrides": [
                    {"instanceType": "g6.xlarge"},
                    {"instanceType": "g5.xlarge", "weightedCapacity": "2"},
                ],
            },
        },
    )
    return program


def open_machine() -> Program:
    """A single GPU machine with everything that a tutorial leaves open."""
    program = Program()
    add = program.add
    group = add(
        "aws:ec2/securityGroup:SecurityGroup",
        "ssh",
        ingress=[{"protocol": "tcp", "fromPort": 22, "toPort": 22, "cidrBlocks": ["0.0.0.0/0"]}],
        egress=[{"protocol": "-1", "fromPort": 0, "toPort": 0, "cidrBlocks": ["0.0.0.0/0"]}],
    )
    role = add(
        "aws:iam/role:Role",
        "god",
        assumeRolePolicy="{}",
        managedPolicyArns=["arn:aws:iam::aws:policy/AdministratorAccess"],
    )
    profile = add("aws:iam/instanceProfile:InstanceProfile", "god", role=role.out("name"))
    add(
        "aws:ec2/instance:Instance",
        "notebook",
        ami="ami-1",
        instanceType="g5.2xlarge",
        associatePublicIpAddress=True,
        vpcSecurityGroupIds=[group.id],
        iamInstanceProfile=profile.out("name"),
        rootBlockDevice={"volumeSize": 100, "volumeType": "gp3"},
        userData="#!/bin/sh\nexport AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\n",
    )
    return program


def spot_machine(**options: Any) -> Program:
    """One machine from a template that asks for spot."""
    program = Program()
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "cheap",
        instanceType="p4d.24xlarge",
        instanceMarketOptions={"marketType": "spot", "spotOptions": options},
    )
    program.add("aws:ec2/instance:Instance", "one", launchTemplate={"id": template.id})
    return program


def fleet(target: dict[str, Any], overrides: list[dict[str, Any]]) -> Program:
    """An EC2 fleet from one template."""
    program = Program()
    template = program.add("aws:ec2/launchTemplate:LaunchTemplate", "base", imageId="ami-1")
    specification = {"launchTemplateId": template.id, "version": "1"}
    program.add(
        "aws:ec2/fleet:Fleet",
        "burst",
        targetCapacitySpecification=target,
        launchTemplateConfigs=[
            {"launchTemplateSpecification": specification, "overrides": overrides}
        ],
    )
    return program


def network() -> Program:
    """What a network costs by itself."""
    program = Program()
    add = program.add
    vpc = add("aws:ec2/vpc:Vpc", "net", cidrBlock="10.0.0.0/16")
    subnet = add("aws:ec2/subnet:Subnet", "pub", vpcId=vpc.id)
    address = add("aws:ec2/eip:Eip", "out", domain="vpc")
    add("aws:ec2/natGateway:NatGateway", "out", subnetId=subnet.id, allocationId=address.id)
    add("aws:ec2/vpcEndpoint:VpcEndpoint", "s3", vpcId=vpc.id, serviceName="s3")
    add(
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        "ssm",
        vpcId=vpc.id,
        vpcEndpointType="Interface",
        subnetIds=[subnet.id],
    )
    return program


def bare_bucket() -> tuple[Program, Handle]:
    """A bucket with nothing around it."""
    program = Program()
    return program, program.add("aws:s3/bucket:Bucket", "tokens", bucket="tokens")


def good_bucket() -> tuple[Program, Handle, dict[str, Handle]]:
    """A bucket with all its companions, by the name that a test changes them by."""
    program, bucket = bare_bucket()

    def add(kind: str, **inputs: Any) -> Handle:
        token = f"aws:s3/{kind[0].lower()}{kind[1:]}:{kind}"
        return program.add(token, f"tokens-{kind}", bucket=bucket.id, **inputs)

    rule = {
        "id": "old",
        "status": "Enabled",
        "noncurrentVersionExpiration": {"noncurrentDays": 30},
        "abortIncompleteMultipartUpload": {"daysAfterInitiation": 7},
    }
    default = {"applyServerSideEncryptionByDefault": {"sseAlgorithm": "aws:kms"}}
    return (
        program,
        bucket,
        {
            "block": add(
                "BucketPublicAccessBlock",
                blockPublicAcls=True,
                blockPublicPolicy=True,
                ignorePublicAcls=True,
                restrictPublicBuckets=True,
            ),
            "encryption": add("BucketServerSideEncryptionConfiguration", rules=[default]),
            "versioning": add("BucketVersioning", versioningConfiguration={"status": "Enabled"}),
            "lifecycle": add("BucketLifecycleConfiguration", rules=[rule]),
            "policy": add("BucketPolicy", policy=deny_plain("tokens")),
            "owner": add(
                "BucketOwnershipControls", rule={"objectOwnership": "BucketOwnerEnforced"}
            ),
        },
    )

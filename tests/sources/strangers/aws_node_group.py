"""GPU nodes of a Kubernetes cluster, all on spot, of a fixed number."""

import json

import pulumi
import pulumi_aws as aws


def role(name: str, service: str) -> aws.iam.Role:
    return aws.iam.Role(
        name,
        assume_role_policy=json.dumps(
            {
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Principal": {"Service": service},
                        "Action": "sts:AssumeRole",
                    }
                ],
            }
        ),
    )


vpc = aws.ec2.Vpc("kube", cidr_block="10.9.0.0/16")
subnets = [
    aws.ec2.Subnet(
        f"kube-{zone}",
        vpc_id=vpc.id,
        cidr_block=f"10.9.{number}.0/24",
        availability_zone=f"us-east-1{zone}",
    )
    for number, zone in enumerate("ab")
]
cluster = aws.eks.Cluster(
    "kube",
    role_arn=role("kube", "eks.amazonaws.com").arn,
    vpc_config={"subnet_ids": [subnet.id for subnet in subnets]},
)
nodes = role("nodes", "ec2.amazonaws.com")
aws.iam.RolePolicyAttachment(
    "nodes", role=nodes.name, policy_arn="arn:aws:iam::aws:policy/AdministratorAccess"
)
aws.eks.NodeGroup(
    "gpus",
    cluster_name=cluster.name,
    node_role_arn=nodes.arn,
    subnet_ids=[subnet.id for subnet in subnets],
    instance_types=["g5.12xlarge"],
    capacity_type="SPOT",
    disk_size=200,
    scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
)
pulumi.export("cluster", cluster.name)

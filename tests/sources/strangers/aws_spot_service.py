"""A model served on spot machines alone, behind plain HTTP, with a key handed out."""

import json

import pulumi
import pulumi_aws as aws

vpc = aws.ec2.Vpc("serve", cidr_block="10.7.0.0/16")
subnets = [
    aws.ec2.Subnet(
        f"serve-{zone}",
        vpc_id=vpc.id,
        cidr_block=f"10.7.{number}.0/24",
        availability_zone=f"us-east-1{zone}",
    )
    for number, zone in enumerate("ab")
]
gateway = aws.ec2.InternetGateway("serve", vpc_id=vpc.id)
web = aws.ec2.SecurityGroup(
    "web",
    vpc_id=vpc.id,
    ingress=[{"from_port": 80, "to_port": 80, "protocol": "tcp", "cidr_blocks": ["0.0.0.0/0"]}],
    egress=[{"from_port": 0, "to_port": 0, "protocol": "-1", "cidr_blocks": ["0.0.0.0/0"]}],
)
role = aws.iam.Role(
    "serve",
    assume_role_policy=json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Principal": {"Service": "ec2.amazonaws.com"},
                    "Action": "sts:AssumeRole",
                }
            ],
        }
    ),
)
aws.iam.RolePolicy(
    "serve",
    role=role.id,
    policy=json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}],
        }
    ),
)
profile = aws.iam.InstanceProfile("serve", role=role.name)
template = aws.ec2.LaunchTemplate(
    "serve",
    image_id="ami-0a1b2c3d4e5f60718",
    instance_type="g5.xlarge",
    iam_instance_profile={"arn": profile.arn},
    vpc_security_group_ids=[web.id],
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 1},
    block_device_mappings=[
        {
            "device_name": "/dev/sda1",
            "ebs": {"volume_size": 200, "volume_type": "gp3", "encrypted": "true"},
        }
    ],
)
balancer = aws.lb.LoadBalancer(
    "serve", subnets=[subnet.id for subnet in subnets], security_groups=[web.id]
)
targets = aws.lb.TargetGroup("serve", port=8000, protocol="HTTP", vpc_id=vpc.id)
aws.lb.Listener(
    "serve",
    load_balancer_arn=balancer.arn,
    port=80,
    protocol="HTTP",
    default_actions=[{"type": "forward", "target_group_arn": targets.arn}],
)
aws.autoscaling.Group(
    "serve",
    min_size=2,
    max_size=2,
    vpc_zone_identifiers=[subnet.id for subnet in subnets],
    target_group_arns=[targets.arn],
    mixed_instances_policy={
        "instances_distribution": {
            "on_demand_base_capacity": 0,
            "on_demand_percentage_above_base_capacity": 0,
            "spot_allocation_strategy": "lowest-price",
        },
        "launch_template": {
            "launch_template_specification": {
                "launch_template_id": template.id,
                "version": template.latest_version.apply(str),
            },
            "overrides": [{"instance_type": "g5.xlarge"}, {"instance_type": "g5.2xlarge"}],
        },
    },
)
weights = aws.s3.Bucket("weights")
aws.s3.BucketPublicAccessBlock(
    "weights", bucket=weights.id, block_public_acls=False, block_public_policy=False
)
aws.s3.BucketVersioning(
    "weights", bucket=weights.id, versioning_configuration={"status": "Enabled"}
)
pulumi.export("url", balancer.dns_name)
pulumi.export("token", "ghp_0123456789abcdefghijklmnopqrstuvwxyz")

"""A launch template, a group and a load balancer over the default zones."""

import base64

import pulumi
import pulumi_aws as aws

config = pulumi.Config()
biggest = config.get_int("max") or 3

zones = aws.get_availability_zones(state="available")
region = aws.get_region()
vpc = aws.ec2.Vpc("site", cidr_block="10.1.0.0/16")
gateway = aws.ec2.InternetGateway("site", vpc_id=vpc.id, tags={"Name": f"site-{region.region}"})
subnets = [
    aws.ec2.Subnet(
        f"site-{index}",
        vpc_id=vpc.id,
        cidr_block=f"10.1.{index}.0/24",
        availability_zone=zones.names[index],
    )
    for index in range(2)
]
balancer_group = aws.ec2.SecurityGroup("site-lb", vpc_id=vpc.id)
aws.vpc.SecurityGroupIngressRule(
    "http",
    security_group_id=balancer_group.id,
    ip_protocol="tcp",
    from_port=80,
    to_port=80,
    cidr_ipv4="0.0.0.0/0",
)
server_group = aws.ec2.SecurityGroup(
    "site-servers",
    vpc_id=vpc.id,
    ingress=[
        {
            "protocol": "tcp",
            "from_port": 8080,
            "to_port": 8080,
            "security_groups": [balancer_group.id],
        }
    ],
)
image = aws.ssm.get_parameter(
    name="/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"
)
trust = aws.iam.get_policy_document(
    statements=[
        {
            "actions": ["sts:AssumeRole"],
            "principals": [{"type": "Service", "identifiers": ["ec2.amazonaws.com"]}],
        }
    ]
)
role = aws.iam.Role("site", assume_role_policy=trust.json)
aws.iam.RolePolicyAttachment(
    "ssm", role=role.name, policy_arn="arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
)
profile = aws.iam.InstanceProfile("site", role=role.name)
template = aws.ec2.LaunchTemplate(
    "site",
    image_id=image.value,
    instance_type="t3.small",
    iam_instance_profile={"arn": profile.arn},
    vpc_security_group_ids=[server_group.id],
    user_data=base64.b64encode(b"#!/bin/sh\necho hi\n").decode(),
    metadata_options={"http_tokens": "required"},
)
targets = aws.lb.TargetGroup(
    "site", port=8080, protocol="HTTP", vpc_id=vpc.id, health_check={"path": "/health"}
)
balancer = aws.lb.LoadBalancer(
    "site",
    load_balancer_type="application",
    security_groups=[balancer_group.id],
    subnets=[subnet.id for subnet in subnets],
)
aws.lb.Listener(
    "http",
    load_balancer_arn=balancer.arn,
    port=80,
    default_actions=[{"type": "forward", "target_group_arn": targets.arn}],
)
group = aws.autoscaling.Group(
    "site",
    min_size=1,
    max_size=biggest,
    vpc_zone_identifiers=[subnet.id for subnet in subnets],
    target_group_arns=[targets.arn],
    launch_template={"id": template.id, "version": "$Latest"},
    health_check_type="ELB",
    tags=[{"key": "Name", "value": "site", "propagate_at_launch": True}],
)
aws.autoscaling.Policy(
    "cpu",
    autoscaling_group_name=group.name,
    policy_type="TargetTrackingScaling",
    target_tracking_configuration={
        "predefined_metric_specification": {"predefined_metric_type": "ASGAverageCPUUtilization"},
        "target_value": 50,
    },
)

pulumi.export("endpoint", pulumi.Output.concat("http://", balancer.dns_name))

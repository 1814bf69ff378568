"""Four H100 machines on EFA, as a first try looks: much of the fabric is missing."""

import base64

import pulumi
import pulumi_aws as aws

vpc = aws.ec2.Vpc("train", cidr_block="10.4.0.0/16", enable_dns_hostnames=True)
subnets = [
    aws.ec2.Subnet(
        f"train-{zone}",
        vpc_id=vpc.id,
        cidr_block=f"10.4.{number}.0/24",
        availability_zone=f"us-east-1{zone}",
    )
    for number, zone in enumerate("ab")
]
inside = aws.ec2.SecurityGroup(
    "efa",
    vpc_id=vpc.id,
    ingress=[
        {"from_port": 0, "to_port": 0, "protocol": "-1", "self": True},
        {"from_port": 22, "to_port": 22, "protocol": "tcp", "cidr_blocks": ["0.0.0.0/0"]},
    ],
    egress=[{"from_port": 0, "to_port": 0, "protocol": "-1", "cidr_blocks": ["0.0.0.0/0"]}],
)
script = """#!/bin/bash
export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH
python3 -m torch.distributed.run train.py
"""
template = aws.ec2.LaunchTemplate(
    "h100",
    image_id="ami-0a1b2c3d4e5f60718",
    instance_type="p5.48xlarge",
    user_data=base64.b64encode(script.encode()).decode(),
    metadata_options={"http_tokens": "optional", "http_put_response_hop_limit": 3},
    network_interfaces=[
        {
            "device_index": 0 if card == 0 else 1,
            "network_card_index": card,
            "interface_type": "efa",
            "security_groups": [inside.id],
        }
        for card in range(4)
    ],
    block_device_mappings=[
        {"device_name": "/dev/sda1", "ebs": {"volume_size": 500, "volume_type": "gp3"}}
    ],
)
aws.autoscaling.Group(
    "h100",
    min_size=4,
    max_size=4,
    vpc_zone_identifiers=[subnet.id for subnet in subnets],
    launch_template={"id": template.id, "version": "$Latest"},
)
pulumi.export("template", template.id)

"""A web server in its own network, as tutorials write it."""

import pulumi
import pulumi_aws as aws

config = pulumi.Config()
size = config.get("instanceType") or "t3.micro"

ami = aws.ec2.get_ami(
    most_recent=True,
    owners=["amazon"],
    filters=[
        {"name": "name", "values": ["al2023-ami-2023.*-x86_64"]},
        {"name": "virtualization-type", "values": ["hvm"]},
    ],
)
vpc = aws.ec2.Vpc(
    "web-vpc",
    cidr_block="10.0.0.0/16",
    enable_dns_hostnames=True,
    enable_dns_support=True,
    tags={"Name": "web-vpc"},
)
gateway = aws.ec2.InternetGateway("web-igw", vpc_id=vpc.id)
routes = aws.ec2.RouteTable(
    "web-routes",
    vpc_id=vpc.id,
    routes=[{"cidr_block": "0.0.0.0/0", "gateway_id": gateway.id}],
)
subnet = aws.ec2.Subnet(
    "web-subnet", vpc_id=vpc.id, cidr_block="10.0.1.0/24", map_public_ip_on_launch=True
)
aws.ec2.RouteTableAssociation("web-rta", subnet_id=subnet.id, route_table_id=routes.id)
group = aws.ec2.SecurityGroup(
    "web-secgrp",
    description="Enable HTTP access",
    vpc_id=vpc.id,
    ingress=[{"protocol": "tcp", "from_port": 80, "to_port": 80, "cidr_blocks": ["0.0.0.0/0"]}],
    egress=[{"protocol": "-1", "from_port": 0, "to_port": 0, "cidr_blocks": ["0.0.0.0/0"]}],
)
server = aws.ec2.Instance(
    "web-server",
    instance_type=size,
    ami=ami.id,
    subnet_id=subnet.id,
    vpc_security_group_ids=[group.id],
    user_data="#!/bin/bash\necho 'Hello' > index.html\nnohup python3 -m http.server 80 &\n",
    tags={"Name": "web-server"},
)

pulumi.export("ip", server.public_ip)
pulumi.export("url", server.public_dns.apply(lambda name: f"http://{name}"))

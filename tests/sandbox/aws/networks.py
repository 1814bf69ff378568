"""The lives of what connects: networks, addresses, routes, security groups, interfaces."""

from typing import Any

from tests.sandbox.aws.cases import HEX, NEW_TAGS, TAGS, Case, Inputs, tag


def group_rule(word: str) -> Case:
    def revoke(client: Any, resource_id: str, outputs: Inputs) -> None:
        getattr(client("ec2"), f"revoke_security_group_{word.lower()}")(
            GroupId=outputs["securityGroupId"], SecurityGroupRuleIds=[resource_id]
        )

    return Case(
        f"aws:vpc/securityGroup{word}Rule:SecurityGroup{word}Rule",
        f"sgr-{HEX}",
        lambda stage: {
            "securityGroupId": stage.group,
            "ipProtocol": "-1",
            "referencedSecurityGroupId": stage.group,
            "description": "the cluster itself",
            "tags": TAGS,
        },
        revoke,
        forgotten=frozenset({"description"}),
    )


NETWORK = [
    Case(
        "aws:ec2/vpc:Vpc",
        f"vpc-{HEX}",
        lambda stage: {"cidrBlock": "10.1.0.0/16", "enableDnsHostnames": True, "tags": TAGS},
        lambda client, it, outputs: client("ec2").modify_vpc_attribute(
            VpcId=it, EnableDnsHostnames={"Value": False}
        ),
        "enableDnsHostnames",
        lambda stage: {"tags": NEW_TAGS, "enableDnsSupport": False},
    ),
    Case(
        "aws:ec2/subnet:Subnet",
        f"subnet-{HEX}",
        lambda stage: {
            "vpcId": stage.vpc,
            "cidrBlock": "10.9.3.0/24",
            "availabilityZone": "us-east-1a",
            "mapPublicIpOnLaunch": False,
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").modify_subnet_attribute(
            SubnetId=it, MapPublicIpOnLaunch={"Value": True}
        ),
        "mapPublicIpOnLaunch",
        lambda stage: {"tags": None},
    ),
    Case(
        "aws:ec2/internetGateway:InternetGateway",
        f"igw-{HEX}",
        lambda stage: {
            "vpcId": stage.client("ec2").create_vpc(CidrBlock="10.2.0.0/16")["Vpc"]["VpcId"],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").detach_internet_gateway(
            InternetGatewayId=it, VpcId=outputs["vpcId"]
        ),
        "vpcId",
        lambda stage: {"tags": NEW_TAGS},
    ),
    Case(
        "aws:ec2/eip:Eip",
        f"eipalloc-{HEX}",
        lambda stage: {"domain": "vpc", "tags": TAGS},
        tag,
        "tags",
        lambda stage: {"tags": NEW_TAGS},
    ),
    Case(
        "aws:ec2/natGateway:NatGateway",
        f"nat-{HEX}",
        lambda stage: {
            "allocationId": stage.allocation,
            "subnetId": stage.subnet,
            "connectivityType": "public",
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").delete_nat_gateway(NatGatewayId=it),
    ),
    Case(
        "aws:ec2/routeTable:RouteTable",
        f"rtb-{HEX}",
        lambda stage: {
            "vpcId": stage.vpc,
            "routes": [
                {"cidrBlock": "0.0.0.0/0", "gatewayId": stage.gateway},
                {"cidrBlock": "192.168.0.0/16", "gatewayId": stage.gateway},
            ],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").delete_route(
            RouteTableId=it, DestinationCidrBlock="0.0.0.0/0"
        ),
        "routes",
        lambda stage: {"routes": [{"cidrBlock": "172.16.0.0/12", "gatewayId": stage.gateway}]},
    ),
    Case(
        "aws:ec2/route:Route",
        rf"r-rtb-{HEX}\d+",
        lambda stage: {
            "routeTableId": stage.table,
            "destinationCidrBlock": "0.0.0.0/0",
            "gatewayId": stage.gateway,
        },
        lambda client, it, outputs: client("ec2").delete_route(
            RouteTableId=outputs["routeTableId"], DestinationCidrBlock="0.0.0.0/0"
        ),
    ),
    Case(
        "aws:ec2/routeTableAssociation:RouteTableAssociation",
        f"rtbassoc-{HEX}",
        lambda stage: {"routeTableId": stage.table, "subnetId": stage.subnet},
        lambda client, it, outputs: client("ec2").disassociate_route_table(AssociationId=it),
    ),
    Case(
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        f"vpce-{HEX}",
        lambda stage: {
            "vpcId": stage.vpc,
            "serviceName": "com.amazonaws.us-east-1.s3",
            "vpcEndpointType": "Gateway",
            "routeTableIds": [stage.table],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").modify_vpc_endpoint(
            VpcEndpointId=it, RemoveRouteTableIds=outputs["routeTableIds"]
        ),
        "routeTableIds",
        lambda stage: {"tags": NEW_TAGS},
    ),
    Case(
        "aws:ec2/securityGroup:SecurityGroup",
        f"sg-{HEX}",
        lambda stage: {
            "name": "inline",
            "description": "inline rules",
            "vpcId": stage.vpc,
            "ingress": [
                {
                    "protocol": "tcp",
                    "fromPort": 443,
                    "toPort": 443,
                    "cidrBlocks": ["172.16.0.0/12"],
                    "securityGroups": [stage.group],
                    "description": "the same port again",
                },
                {
                    "protocol": "tcp",
                    "fromPort": 443,
                    "toPort": 443,
                    "cidrBlocks": ["10.0.0.0/8", "192.168.0.0/16"],
                    "description": "web",
                },
                {"protocol": "-1", "fromPort": 0, "toPort": 0, "self": True},
            ],
            "egress": [
                {"protocol": "-1", "fromPort": 0, "toPort": 0, "cidrBlocks": ["0.0.0.0/0"]},
            ],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").authorize_security_group_ingress(
            GroupId=it,
            IpPermissions=[
                {
                    "IpProtocol": "tcp",
                    "FromPort": 22,
                    "ToPort": 22,
                    "IpRanges": [{"CidrIp": "0.0.0.0/0"}],
                }
            ],
        ),
        "ingress",
        lambda stage: {
            "ingress": [
                {
                    "protocol": "udp",
                    "fromPort": 53,
                    "toPort": 53,
                    "securityGroups": [stage.group],
                }
            ],
            "egress": None,
        },
        frozenset({"ingress"}),
    ),
    group_rule("Ingress"),
    group_rule("Egress"),
    Case(
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        f"sgr-{HEX}",
        lambda stage: {
            "securityGroupId": stage.group,
            "ipProtocol": "tcp",
            "fromPort": 443,
            "toPort": 443,
            "cidrIpv4": "10.0.0.0/8",
            "description": "web",
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").modify_security_group_rules(
            GroupId=outputs["securityGroupId"],
            SecurityGroupRules=[
                {
                    "SecurityGroupRuleId": it,
                    "SecurityGroupRule": {
                        "IpProtocol": "tcp",
                        "FromPort": 22,
                        "ToPort": 22,
                        "CidrIpv4": "0.0.0.0/0",
                    },
                }
            ],
        ),
        "cidrIpv4",
        lambda stage: {"fromPort": 8443, "toPort": 8443, "tags": NEW_TAGS},
        label=" with a range",
    ),
    Case(
        "aws:ec2/networkInterface:NetworkInterface",
        f"eni-{HEX}",
        lambda stage: {
            "subnetId": stage.subnet,
            "securityGroups": [stage.group],
            "interfaceType": "efa",
            "description": "fabric",
            "privateIps": ["10.9.1.77"],
            "sourceDestCheck": False,
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").modify_network_interface_attribute(
            NetworkInterfaceId=it, SourceDestCheck={"Value": True}
        ),
        "sourceDestCheck",
        lambda stage: {"securityGroups": [stage.other_group], "tags": NEW_TAGS},
        frozenset({"interfaceType"}),
    ),
]

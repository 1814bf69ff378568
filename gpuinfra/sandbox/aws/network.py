"""VPCs, subnets and internet gateways."""

from gpuinfra.sandbox.aws import ec2, tags
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields

# Pulumi input -> (attribute of ModifyVpcAttribute, default of the real provider)
_VPC_SWITCHES = {
    "enableDnsSupport": ("EnableDnsSupport", True),
    "enableDnsHostnames": ("EnableDnsHostnames", False),
    "enableNetworkAddressUsageMetrics": ("EnableNetworkAddressUsageMetrics", False),
}
_SUBNET_SWITCHES = {
    "mapPublicIpOnLaunch": "MapPublicIpOnLaunch",
    "assignIpv6AddressOnCreation": "AssignIpv6AddressOnCreation",
}


class Vpc(ResourceHandler):
    """``aws:ec2/vpc:Vpc``; moto keeps the default network ACL, which its API can't remove."""

    def create(self, call: Call) -> str:
        client = call.client("ec2")
        request = arguments(client, "CreateVpc", call.inputs, _VPC_AWS_NAMES)
        vpc_id: str = client.create_vpc(**request, **ec2.tag_specifications(call, "vpc"))["Vpc"][
            "VpcId"
        ]
        self._switch(call, vpc_id)
        return vpc_id

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        vpc = ec2.describe_one(call, "describe_vpcs", "Vpcs", VpcIds=[resource_id])
        if vpc is None:
            return None
        ipv6 = ec2.head(vpc.get("Ipv6CidrBlockAssociationSet"))
        main_table = self._id_of_main(call, resource_id, "route_tables", "association.main")
        return {
            **read_fields(call.token, vpc),
            "assignGeneratedIpv6CidrBlock": bool(ipv6),
            "ipv6CidrBlock": ipv6.get("Ipv6CidrBlock"),
            "ipv6AssociationId": ipv6.get("AssociationId"),
            "arn": ec2.arn(call, vpc["OwnerId"], "vpc", resource_id),
            "mainRouteTableId": main_table,
            "defaultRouteTableId": main_table,
            "defaultNetworkAclId": self._id_of_main(call, resource_id, "network_acls", "default"),
            "defaultSecurityGroupId": self._default_group(call, resource_id),
            **self._switches(call, resource_id),
            **tags.tag_outputs(call, tags.mapping(vpc.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        self._switch(call, resource_id)
        ec2.retag(call, resource_id)

    def _switch(self, call: Call, vpc_id: str) -> None:
        for name, (attribute, default) in _VPC_SWITCHES.items():
            value = {attribute: {"Value": bool(call.inputs.get(name, default))}}
            call.client("ec2").modify_vpc_attribute(VpcId=vpc_id, **value)

    def _switches(self, call: Call, vpc_id: str) -> Properties:
        describe = call.client("ec2").describe_vpc_attribute
        return {
            name: describe(VpcId=vpc_id, Attribute=name)[attribute]["Value"]
            for name, (attribute, _) in _VPC_SWITCHES.items()
        }

    def _id_of_main(self, call: Call, vpc_id: str, kind: str, flag: str) -> str | None:
        key, field = {
            "route_tables": ("RouteTables", "RouteTableId"),
            "network_acls": ("NetworkAcls", "NetworkAclId"),
        }[kind]
        filters = [{"Name": "vpc-id", "Values": [vpc_id]}, {"Name": flag, "Values": ["true"]}]
        row = ec2.describe_one(call, f"describe_{kind}", key, Filters=filters)
        return row[field] if row else None

    def _default_group(self, call: Call, vpc_id: str) -> str | None:
        filters = [
            {"Name": "vpc-id", "Values": [vpc_id]},
            {"Name": "group-name", "Values": ["default"]},
        ]
        group = ec2.describe_one(
            call, "describe_security_groups", "SecurityGroups", Filters=filters
        )
        return group["GroupId"] if group else None


_VPC_AWS_NAMES = {"assignGeneratedIpv6CidrBlock": "AmazonProvidedIpv6CidrBlock"}


class Subnet(ResourceHandler):
    """``aws:ec2/subnet:Subnet``."""

    def create(self, call: Call) -> str:
        client = call.client("ec2")
        request = arguments(client, "CreateSubnet", call.inputs)
        response = client.create_subnet(**request, **ec2.tag_specifications(call, "subnet"))
        subnet_id: str = response["Subnet"]["SubnetId"]
        self._switch(call, subnet_id)
        return subnet_id

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        subnet = ec2.describe_one(call, "describe_subnets", "Subnets", SubnetIds=[resource_id])
        if subnet is None:
            return None
        ipv6 = ec2.head(subnet.get("Ipv6CidrBlockAssociationSet"))
        dns = subnet.get("PrivateDnsNameOptionsOnLaunch") or {}
        return {
            **read_fields(call.token, subnet),
            "ipv6CidrBlock": ipv6.get("Ipv6CidrBlock"),
            "ipv6CidrBlockAssociationId": ipv6.get("AssociationId"),
            "privateDnsHostnameTypeOnLaunch": dns.get("HostnameType"),
            **{name: subnet[field] for name, field in _SUBNET_SWITCHES.items()},
            **tags.tag_outputs(call, tags.mapping(subnet.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        self._switch(call, resource_id)
        ec2.retag(call, resource_id)

    def _switch(self, call: Call, subnet_id: str) -> None:
        for name, field in _SUBNET_SWITCHES.items():
            value = {field: {"Value": bool(call.inputs.get(name, False))}}
            call.client("ec2").modify_subnet_attribute(SubnetId=subnet_id, **value)


class InternetGateway(ResourceHandler):
    """``aws:ec2/internetGateway:InternetGateway``, attached to its VPC."""

    def create(self, call: Call) -> str:
        client = call.client("ec2")
        response = client.create_internet_gateway(
            **ec2.tag_specifications(call, "internet-gateway")
        )
        gateway_id: str = response["InternetGateway"]["InternetGatewayId"]
        if vpc := call.inputs.get("vpcId"):
            client.attach_internet_gateway(InternetGatewayId=gateway_id, VpcId=vpc)
        return gateway_id

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        gateway = ec2.describe_one(
            call,
            "describe_internet_gateways",
            "InternetGateways",
            InternetGatewayIds=[resource_id],
        )
        if gateway is None:
            return None
        attachment = ec2.head(gateway.get("Attachments"))
        return {
            "vpcId": attachment.get("VpcId"),
            "arn": ec2.arn(call, gateway["OwnerId"], "internet-gateway", resource_id),
            "ownerId": gateway["OwnerId"],
            **tags.tag_outputs(call, tags.mapping(gateway.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("ec2")
        vpc = call.inputs.get("vpcId")
        existing = (self.read_properties(call, resource_id) or {}).get("vpcId")
        if existing and existing != vpc:
            client.detach_internet_gateway(InternetGatewayId=resource_id, VpcId=existing)
        if vpc and existing != vpc:
            client.attach_internet_gateway(InternetGatewayId=resource_id, VpcId=vpc)
        ec2.retag(call, resource_id)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("ec2")
        if vpc := (self.read_properties(call, resource_id) or {}).get("vpcId"):
            client.detach_internet_gateway(InternetGatewayId=resource_id, VpcId=vpc)
        client.delete_internet_gateway(InternetGatewayId=resource_id)

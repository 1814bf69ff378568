"""Things that an AWS input can refer to: how to find one, and what AWS says when it is missing.

Codes and words: the "Error codes for the Amazon EC2 API" page (docs.aws.amazon.com/AWSEC2/latest/
APIReference/errors-overview.html) and the API reference of each other service.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of thing.

    Attributes:
        made_by: the Pulumi type that makes it; empty for what AWS itself has.
        or_by: another type that makes one; empty: there is none.
        key: the output that holds the reference, `id` for the resource's id.
        service, operation, parameter: the call that finds it in moto; no operation: ledger only.
        many: the parameter takes a list.
        code, message: the refusal, with {value}.
    """

    made_by: str = ""
    or_by: str = ""
    key: str = "id"
    service: str = "ec2"
    operation: str = ""
    parameter: str = ""
    many: bool = True
    code: str
    message: str

    def request(self, value: str) -> dict[str, Any]:
        """Arguments of the call that finds one."""
        return {self.parameter: [value] if self.many else value}


def _ec2(token: str, operation: str, parameter: str, code: str, noun: str) -> Kind:
    return Kind(
        made_by=f"aws:ec2/{token[0].lower()}{token[1:]}:{token}" if token else "",
        operation=operation,
        parameter=parameter,
        code=code,
        message=f"The {noun} '{{value}}' does not exist",
    )


OF_EC2: dict[str, Kind] = {
    "vpc": _ec2("Vpc", "describe_vpcs", "VpcIds", "InvalidVpcID.NotFound", "vpc ID"),
    "subnet": _ec2(
        "Subnet", "describe_subnets", "SubnetIds", "InvalidSubnetID.NotFound", "subnet ID"
    ),
    "security-group": _ec2(
        "SecurityGroup",
        "describe_security_groups",
        "GroupIds",
        "InvalidGroup.NotFound",
        "security group",
    ),
    "internet-gateway": _ec2(
        "InternetGateway",
        "describe_internet_gateways",
        "InternetGatewayIds",
        "InvalidInternetGatewayID.NotFound",
        "internetGateway ID",
    ),
    "nat-gateway": _ec2(
        "NatGateway",
        "describe_nat_gateways",
        "NatGatewayIds",
        "InvalidNatGatewayID.NotFound",
        "natGateway ID",
    ),
    "route-table": _ec2(
        "RouteTable",
        "describe_route_tables",
        "RouteTableIds",
        "InvalidRouteTableID.NotFound",
        "routeTable ID",
    ),
    "network-interface": _ec2(
        "NetworkInterface",
        "describe_network_interfaces",
        "NetworkInterfaceIds",
        "InvalidNetworkInterfaceID.NotFound",
        "networkInterface ID",
    ),
    "instance": _ec2(
        "Instance",
        "describe_instances",
        "InstanceIds",
        "InvalidInstanceID.NotFound",
        "instance ID",
    ),
    "allocation": _ec2(
        "Eip",
        "describe_addresses",
        "AllocationIds",
        "InvalidAllocationID.NotFound",
        "allocation ID",
    ),
    "key-pair": _ec2("", "describe_key_pairs", "KeyNames", "InvalidKeyPair.NotFound", "key pair"),
    "launch-template": Kind(
        made_by="aws:ec2/launchTemplate:LaunchTemplate",
        operation="describe_launch_templates",
        parameter="LaunchTemplateIds",
        code="InvalidLaunchTemplateId.NotFound",
        message="The specified launch template, with template ID {value}, does not exist.",
    ),
    "launch-template-name": Kind(
        made_by="aws:ec2/launchTemplate:LaunchTemplate",
        key="name",
        operation="describe_launch_templates",
        parameter="LaunchTemplateNames",
        code="InvalidLaunchTemplateName.NotFoundException",
        message="The specified launch template, with template name {value}, does not exist.",
    ),
    "placement-group": Kind(
        made_by="aws:ec2/placementGroup:PlacementGroup",
        key="name",
        code="InvalidPlacementGroup.Unknown",
        message="The Placement Group '{value}' is unknown.",
    ),
    "capacity-reservation": Kind(
        made_by="aws:ec2/capacityReservation:CapacityReservation",
        or_by="aws:ec2/capacityBlockReservation:CapacityBlockReservation",
        code="InvalidCapacityReservationId.NotFound",
        message="The capacity reservation '{value}' does not exist.",
    ),
    "zone": Kind(
        operation="describe_availability_zones",
        parameter="ZoneNames",
        code="InvalidParameterValue",
        message="Invalid availability zone: [{value}]",
    ),
    "instance-type": Kind(
        operation="describe_instance_types",
        parameter="InstanceTypes",
        code="InvalidInstanceType",
        message="The following supplied instance types do not exist: [{value}]",
    ),
}

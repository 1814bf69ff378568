"""NAT gateways and Elastic IP addresses."""

from gpuinfra.sandbox.aws import ec2, tags
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler, none_if_missing
from gpuinfra.sandbox.aws.shapes import arguments
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields


class NatGateway(ResourceHandler):
    """``aws:ec2/natGateway:NatGateway``; a deleted one stays listed for a while, as on AWS."""

    def create(self, call: Call) -> str:
        client = call.client("ec2")
        _release_address(call, call.inputs.get("allocationId"))
        request = arguments(client, "CreateNatGateway", call.inputs)
        response = client.create_nat_gateway(
            **request, **ec2.tag_specifications(call, "natgateway")
        )
        return str(response["NatGateway"]["NatGatewayId"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        nat = ec2.describe_one(
            call, "describe_nat_gateways", "NatGateways", NatGatewayIds=[resource_id]
        )
        if nat is None or nat["State"] in {"deleting", "deleted"}:
            return None
        address = ec2.head(nat.get("NatGatewayAddresses"))
        return {
            "subnetId": nat["SubnetId"],
            "connectivityType": nat.get("ConnectivityType") or "public",
            **read_fields(call.token, address),
            **tags.tag_outputs(call, tags.mapping(nat.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        ec2.retag(call, resource_id)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("ec2")
        client.delete_nat_gateway(NatGatewayId=resource_id)
        if interface := old.get("networkInterfaceId"):
            none_if_missing(lambda: client.delete_network_interface(NetworkInterfaceId=interface))
        _release_address(call, old.get("allocationId"))


class ElasticIp(ResourceHandler):
    """``aws:ec2/eip:Eip``; its association with a NAT gateway is not drift."""

    volatile = frozenset({"associationId", "networkInterface", "privateIp"})

    def create(self, call: Call) -> str:
        client = call.client("ec2")
        request = {"domain": "vpc"} | call.inputs
        response = client.allocate_address(
            **arguments(client, "AllocateAddress", request),
            **ec2.tag_specifications(call, "elastic-ip"),
        )
        allocation: str = response["AllocationId"]
        self._associate(call, allocation)
        return allocation

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        address = ec2.describe_one(
            call, "describe_addresses", "Addresses", AllocationIds=[resource_id]
        )
        if address is None:
            return None
        dashed = address["PublicIp"].replace(".", "-")
        return {
            **read_fields(call.token, address),
            "instance": address.get("InstanceId") or None,
            "allocationId": resource_id,
            "publicDns": f"ec2-{dashed}.{call.region}.compute.amazonaws.com",
            "arn": ec2.arn(call, ec2.account(call), "elastic-ip", resource_id),
            **tags.tag_outputs(call, tags.mapping(address.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        changes = [
            old.get(key) != call.inputs.get(key) for key in ("instance", "networkInterface")
        ]
        if any(changes):
            self._associate(call, resource_id)
        ec2.retag(call, resource_id)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("ec2")
        address = ec2.describe_one(
            call, "describe_addresses", "Addresses", AllocationIds=[resource_id]
        )
        if address and address.get("AssociationId"):
            client.disassociate_address(AssociationId=address["AssociationId"])
        client.release_address(AllocationId=resource_id)

    def _associate(self, call: Call, allocation: str) -> None:
        inputs = call.inputs
        target = {
            "InstanceId": inputs.get("instance"),
            "NetworkInterfaceId": inputs.get("networkInterface"),
            "PrivateIpAddress": inputs.get("associateWithPrivateIp"),
        }
        target = {key: value for key, value in target.items() if value}
        if target:
            call.client("ec2").associate_address(AllocationId=allocation, **target)


def _release_address(call: Call, allocation: str | None) -> None:
    """Release an address from deleted gateways, which AWS does and moto does not."""
    if not allocation:
        return
    client = call.client("ec2")
    address = ec2.describe_one(call, "describe_addresses", "Addresses", AllocationIds=[allocation])
    holders = [
        gateway["State"]
        for gateway in client.describe_nat_gateways()["NatGateways"]
        if allocation in ec2.ids(gateway["NatGatewayAddresses"], "AllocationId")
    ]
    if address and address.get("AssociationId") and set(holders) == {"deleted"}:
        client.disassociate_address(AssociationId=address["AssociationId"])

"""VPC endpoints, gateway and interface."""

from typing import Any

from gpuinfra.sandbox.aws import ec2, tags
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments, camel
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields


class VpcEndpoint(ResourceHandler):
    """``aws:ec2/vpcEndpoint:VpcEndpoint``, gateway and interface."""

    def create(self, call: Call) -> str:
        client = call.client("ec2")
        request = {"VpcEndpointType": "Gateway"} | arguments(
            client, "CreateVpcEndpoint", call.inputs, {"policy": "PolicyDocument"}
        )
        request.pop("SubnetConfigurations", None)
        response = client.create_vpc_endpoint(
            **request, **ec2.tag_specifications(call, "vpc-endpoint")
        )
        return str(response["VpcEndpoint"]["VpcEndpointId"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        endpoint = ec2.describe_one(
            call, "describe_vpc_endpoints", "VpcEndpoints", VpcEndpointIds=[resource_id]
        )
        if endpoint is None or endpoint["State"] in {"deleting", "deleted"}:
            return None
        is_interface = endpoint["VpcEndpointType"] == "Interface"
        return {
            **read_fields(call.token, endpoint),
            "privateDnsEnabled": endpoint["PrivateDnsEnabled"] if is_interface else False,
            "routeTableIds": endpoint.get("RouteTableIds", []),
            "subnetIds": endpoint.get("SubnetIds", []),
            "securityGroupIds": ec2.ids(endpoint.get("Groups", []), "GroupId"),
            "networkInterfaceIds": endpoint.get("NetworkInterfaceIds", []),
            "dnsEntries": [
                {camel(key): value for key, value in entry.items()}
                for entry in endpoint.get("DnsEntries", [])
            ],
            "prefixListId": None if is_interface else self._prefix_list(call, endpoint),
            "requesterManaged": False,
            "arn": ec2.arn(call, endpoint["OwnerId"], "vpc-endpoint", resource_id),
            **tags.tag_outputs(call, tags.mapping(endpoint.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        request: dict[str, Any] = {}
        sets = {"routeTableIds": "RouteTableIds", "subnetIds": "SubnetIds"}
        for key, aws in (sets | {"securityGroupIds": "SecurityGroupIds"}).items():
            before, after = set(old.get(key) or ()), set(call.inputs.get(key) or ())
            request |= {f"Add{aws}": sorted(after - before)} if after - before else {}
            request |= {f"Remove{aws}": sorted(before - after)} if before - after else {}
        if policy := call.inputs.get("policy"):
            request["PolicyDocument"] = policy
        call.client("ec2").modify_vpc_endpoint(VpcEndpointId=resource_id, **request)
        ec2.retag(call, resource_id)

    def _prefix_list(self, call: Call, endpoint: dict[str, Any]) -> str | None:
        filters = [{"Name": "prefix-list-name", "Values": [endpoint["ServiceName"]]}]
        prefix_list = ec2.describe_one(
            call, "describe_managed_prefix_lists", "PrefixLists", Filters=filters
        )
        return prefix_list["PrefixListId"] if prefix_list else None

"""FSx for Lustre file systems."""

from typing import Any

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.generated_names import digest
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments, without
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts

_SEPARATE_PROPERTIES = frozenset(
    facts("aws", "separate")["aws:fsx/lustreFileSystem:LustreFileSystem"]
)


class LustreFileSystem(ResourceHandler):
    """``aws:fsx/lustreFileSystem:LustreFileSystem``.

    moto can create, describe and delete one and change nothing but its tags: what can be changed
    in place is answered as last known.
    """

    def create(self, call: Call) -> str:
        client, inputs = call.client("fsx"), call.inputs
        lustre = without(inputs, _SEPARATE_PROPERTIES)
        outer = {
            key: value
            for key, value in inputs.items()
            if key in _SEPARATE_PROPERTIES - {"tags", "tagsAll"}
        }
        outer["subnetIds"] = [inputs["subnetIds"]]
        request = arguments(
            client,
            "CreateFileSystem",
            {**outer, "lustreConfiguration": _lustre_configuration(client, lustre)},
        )
        labels = tags.pairs(tags.declared_tags(inputs))
        tagged = {"Tags": labels} if labels else {}
        response = client.create_file_system(FileSystemType="LUSTRE", **request, **tagged)
        return str(response["FileSystem"]["FileSystemId"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client, inputs = call.client("fsx"), call.inputs
        listed = client.describe_file_systems(FileSystemIds=[resource_id])["FileSystems"]
        if not listed:
            return None
        system = listed[0]
        arn = system["ResourceARN"]
        subnet = system["SubnetIds"][0]
        network = call.client("ec2").describe_subnets(SubnetIds=[subnet])["Subnets"]
        return {
            "subnetIds": subnet,
            "storageType": system.get("StorageType") or inputs.get("storageType"),
            "storageCapacity": inputs.get("storageCapacity") or system.get("StorageCapacity"),
            "dnsName": system["DNSName"],
            # Lustre file systems of the first kind mount as "fsx", all others by 8 characters.
            "mountName": "fsx" if _is_scratch_1(inputs) else digest(resource_id)[:8],
            "networkInterfaceIds": [],
            "ownerId": arn.split(":")[4],
            "vpcId": network[0]["VpcId"] if network else None,
            "arn": arn,
            **tags.tag_outputs(call, tags.current_tags(client, ResourceARN=arn)),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        tags.change(call, call.client("fsx"), ResourceARN=old["arn"])


def _is_scratch_1(inputs: Properties) -> bool:
    return inputs.get("deploymentType") in (None, "SCRATCH_1")


def _lustre_configuration(client: Any, inputs: Properties) -> Properties:
    """Return the inputs that CreateFileSystem's Lustre configuration has."""
    shape = client.meta.service_model.shape_for("CreateFileSystemLustreConfiguration")
    members = {member.lower() for member in shape.members}
    return {key: value for key, value in inputs.items() if key.lower() in members}

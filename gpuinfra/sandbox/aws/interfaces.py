"""Network interfaces as separate resources."""

from typing import Any

from gpuinfra.sandbox.aws import ec2, tags
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields

_ATTRIBUTES = {"description": "Description", "sourceDestCheck": "SourceDestCheck"}


class NetworkInterface(ResourceHandler):
    """``aws:ec2/networkInterface:NetworkInterface``; moto keeps no interface type."""

    def create(self, call: Call) -> str:
        client = call.client("ec2")
        request = arguments(client, "CreateNetworkInterface", call.inputs)
        if groups := call.inputs.get("securityGroups"):
            request["Groups"] = groups
        if addresses := call.inputs.get("privateIps"):
            request["PrivateIpAddresses"] = [
                {"PrivateIpAddress": address, "Primary": index == 0}
                for index, address in enumerate(addresses)
            ]
        response = client.create_network_interface(
            **request, **ec2.tag_specifications(call, "network-interface")
        )
        interface_id: str = response["NetworkInterface"]["NetworkInterfaceId"]
        self._switch(call, interface_id)
        self._attach(call, interface_id)
        return interface_id

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        interface = self._find(call, resource_id)
        if interface is None:
            return None
        addresses = interface.get("PrivateIpAddresses") or []
        return {
            **read_fields(call.token, interface),
            "securityGroups": ec2.ids(interface.get("Groups") or [], "GroupId"),
            "privateIps": ec2.ids(addresses, "PrivateIpAddress"),
            "attachments": _attachments(interface, call.inputs.get("attachments")),
            "arn": ec2.arn(call, interface["OwnerId"], "network-interface", resource_id),
            **tags.tag_outputs(call, tags.mapping(interface.get("TagSet"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        if groups := call.inputs.get("securityGroups"):
            call.client("ec2").modify_network_interface_attribute(
                NetworkInterfaceId=resource_id, Groups=groups
            )
        self._switch(call, resource_id)
        if call.inputs.get("attachments") != old.get("attachments"):
            self._detach(call, resource_id)
            self._attach(call, resource_id)
        ec2.retag(call, resource_id)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        self._detach(call, resource_id)
        call.client("ec2").delete_network_interface(NetworkInterfaceId=resource_id)

    def _find(self, call: Call, interface_id: str) -> dict[str, Any] | None:
        return ec2.describe_one(
            call,
            "describe_network_interfaces",
            "NetworkInterfaces",
            NetworkInterfaceIds=[interface_id],
        )

    def _switch(self, call: Call, interface_id: str) -> None:
        for key, attribute in _ATTRIBUTES.items():
            if call.inputs.get(key) is not None:
                call.client("ec2").modify_network_interface_attribute(
                    NetworkInterfaceId=interface_id, **{attribute: {"Value": call.inputs[key]}}
                )

    def _attach(self, call: Call, interface_id: str) -> None:
        for attachment in call.inputs.get("attachments") or []:
            call.client("ec2").attach_network_interface(
                NetworkInterfaceId=interface_id,
                InstanceId=attachment["instance"],
                DeviceIndex=int(attachment["deviceIndex"]),
            )

    def _detach(self, call: Call, interface_id: str) -> None:
        attachment = (self._find(call, interface_id) or {}).get("Attachment") or {}
        if attachment.get("AttachmentId"):
            call.client("ec2").detach_network_interface(
                AttachmentId=attachment["AttachmentId"], Force=True
            )


def _attachments(
    interface: dict[str, Any], known: list[Properties] | None
) -> list[Properties] | None:
    existing = interface.get("Attachment") or {}
    if not existing.get("InstanceId"):
        return None
    read = {
        "instance": existing["InstanceId"],
        "deviceIndex": existing["DeviceIndex"],
        "attachmentId": existing["AttachmentId"],
    }
    keys = known[0].keys() if known else read.keys()
    return [{key: value for key, value in read.items() if key in keys}]

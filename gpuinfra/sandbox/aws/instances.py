"""EC2 instances."""

import base64
from collections.abc import Iterable
from typing import Any

from gpuinfra.sandbox.aws import ec2, tags, volumes
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments, camel, to_aws, without
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts, read_fields

_NAMES = {"ami": "ImageId", "vpcSecurityGroupIds": "SecurityGroupIds"}
# Inputs whose form in RunInstances differs; they are built by hand below.
_SEPARATE_PROPERTIES = facts("aws", "separate")["aws:ec2/instance:Instance"]
# What moto takes from neither RunInstances nor a launch template, set right after the start.
_ATTRIBUTES = {
    "disableApiTermination": "DisableApiTermination",
    "disableApiStop": "DisableApiStop",
    "sourceDestCheck": "SourceDestCheck",
}
_DEFAULTS = {"disableApiTermination": False, "disableApiStop": False, "sourceDestCheck": True}
_METADATA = (
    "HttpEndpoint",
    "HttpTokens",
    "HttpPutResponseHopLimit",
    "HttpProtocolIpv6",
    "InstanceMetadataTags",
)


class Instance(ResourceHandler):
    """``aws:ec2/instance:Instance``; one that is shutting down counts as deleted."""

    def create(self, call: Call) -> str:
        response = call.client("ec2").run_instances(MinCount=1, MaxCount=1, **_request(call))
        instance_id: str = response["Instances"][0]["InstanceId"]
        self._set_attributes(call, instance_id)
        self._set_metadata(call, instance_id)
        return instance_id

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        reservations = call.client("ec2").describe_instances(InstanceIds=[resource_id])[
            "Reservations"
        ]
        if not reservations:
            return None
        machine, owner = reservations[0]["Instances"][0], reservations[0]["OwnerId"]
        if machine["State"]["Name"] in {"shutting-down", "terminated"}:
            return None
        interface = ec2.head(machine.get("NetworkInterfaces"))
        groups = interface.get("Groups") or machine.get("SecurityGroups") or []
        profile = machine.get("IamInstanceProfile", {}).get("Arn")
        return {
            **read_fields(call.token, machine),
            "availabilityZone": machine["Placement"]["AvailabilityZone"],
            "tenancy": machine["Placement"].get("Tenancy"),
            "monitoring": machine["Monitoring"]["State"] == "enabled",
            "iamInstanceProfile": profile.rpartition("/")[2] if profile else None,
            "vpcSecurityGroupIds": ec2.ids(groups, "GroupId"),
            "primaryNetworkInterfaceId": interface.get("NetworkInterfaceId"),
            "associatePublicIpAddress": bool(machine.get("PublicIpAddress")),
            "instanceState": machine["State"]["Name"],
            "arn": ec2.arn(call, owner, "instance", resource_id),
            "metadataOptions": _metadata(machine.get("MetadataOptions") or {}, call.inputs),
            **volumes.read_back(call, machine),
            **self._attributes(call, resource_id),
            **_user_data(call, resource_id),
            **tags.tag_outputs(call, tags.mapping(machine.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("ec2")
        for key, attribute in (("instanceType", "InstanceType"), ("ebsOptimized", "EbsOptimized")):
            value = call.inputs.get(key)
            if value is not None and value != old.get(key):
                client.modify_instance_attribute(
                    InstanceId=resource_id, **{attribute: {"Value": value}}
                )
        if groups := call.inputs.get("vpcSecurityGroupIds"):
            # moto shows the interface's groups and the instance's together, so set both
            client.modify_instance_attribute(InstanceId=resource_id, Groups=groups)
            client.modify_network_interface_attribute(
                NetworkInterfaceId=old["primaryNetworkInterfaceId"], Groups=groups
            )
        self._set_attributes(call, resource_id)
        self._set_metadata(call, resource_id)
        ec2.retag(call, resource_id)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("ec2")
        if call.inputs.get("forceDestroy") or old.get("forceDestroy"):
            client.modify_instance_attribute(
                InstanceId=resource_id, DisableApiTermination={"Value": False}
            )
        client.terminate_instances(InstanceIds=[resource_id])
        brought = ec2.ids(_existing_interfaces(old), "networkInterfaceId")
        ec2.drop_interfaces(call, [resource_id], brought)

    def _set_attributes(self, call: Call, instance_id: str) -> None:
        for key, attribute in _ATTRIBUTES.items():
            value = bool(call.inputs.get(key, _DEFAULTS[key]))
            call.client("ec2").modify_instance_attribute(
                InstanceId=instance_id, **{attribute: {"Value": value}}
            )

    def _attributes(self, call: Call, instance_id: str) -> Properties:
        describe = call.client("ec2").describe_instance_attribute
        return {
            key: describe(InstanceId=instance_id, Attribute=key)[attribute]["Value"]
            for key, attribute in _ATTRIBUTES.items()
        }

    def _set_metadata(self, call: Call, instance_id: str) -> None:
        """Set the metadata options: the program's over the launch template's, as EC2 merges."""
        client = call.client("ec2")
        given_ones = call.inputs.get("metadataOptions") or {}
        metadata_options = to_aws(client, "InstanceMetadataOptionsRequest", given_ones)
        template = call.inputs.get("launchTemplate")
        inherited = metadata_of(call, template) if template else {}
        set_metadata(call, [instance_id], inherited | metadata_options)


def metadata_of(call: Call, template: Properties) -> dict[str, Any]:
    """Return the metadata options of a launch template by `id` or `name`, and `version`."""
    which = {"id": "LaunchTemplateId", "name": "LaunchTemplateName"}
    answer = call.client("ec2").describe_launch_template_versions(
        **{aws: template[key] for key, aws in which.items() if template.get(key)},
        Versions=[str(template.get("version") or "$Default")],
    )
    data = answer["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    options: dict[str, Any] = data.get("MetadataOptions", {})
    return options


def set_metadata(call: Call, machines: Iterable[str], options: dict[str, Any]) -> None:
    """Set machines' metadata options, merged with their current ones, which moto would drop."""
    client = call.client("ec2")
    for machine in machines if options else ():
        reservation = client.describe_instances(InstanceIds=[machine])["Reservations"][0]
        existing = reservation["Instances"][0].get("MetadataOptions") or {}
        merged = {key: existing[key] for key in _METADATA if key in existing} | options
        client.modify_instance_metadata_options(InstanceId=machine, **merged)


def _request(call: Call) -> dict[str, Any]:
    client, inputs = call.client("ec2"), call.inputs
    plain = without(inputs, _SEPARATE_PROPERTIES)
    request = arguments(client, "RunInstances", plain, _NAMES) | ec2.tag_specifications(
        call, "instance"
    )
    for key, shape in (
        ("launchTemplate", "LaunchTemplateSpecification"),
        ("instanceMarketOptions", "InstanceMarketOptionsRequest"),
        ("capacityReservationSpecification", "CapacityReservationSpecification"),
    ):
        if inputs.get(key):
            names = {"id": "LaunchTemplateId", "name": "LaunchTemplateName"}
            request[key[0].upper() + key[1:]] = to_aws(client, shape, inputs[key], names)
    if inputs.get("iamInstanceProfile"):
        request["IamInstanceProfile"] = {"Name": inputs["iamInstanceProfile"]}
    if inputs.get("monitoring") is not None:
        request["Monitoring"] = {"Enabled": bool(inputs["monitoring"])}
    if inputs.get("privateIp"):
        request["PrivateIpAddress"] = inputs["privateIp"]
    request |= _placement(inputs) | _first_interfaces(inputs) | _decoded_user_data(inputs)
    if mappings := volumes.mappings(call):
        request["BlockDeviceMappings"] = mappings
    return request


def _placement(inputs: Properties) -> dict[str, Any]:
    fields = {
        "AvailabilityZone": inputs.get("availabilityZone"),
        "GroupName": inputs.get("placementGroup"),
        "Tenancy": inputs.get("tenancy"),
    }
    placement = {key: value for key, value in fields.items() if value}
    return {"Placement": placement} if placement else {}


def _first_interfaces(inputs: Properties) -> dict[str, Any]:
    built = [
        {
            "DeviceIndex": int(interface["deviceIndex"]),
            "NetworkInterfaceId": interface["networkInterfaceId"],
        }
        for interface in _existing_interfaces(inputs)
    ]
    return {"NetworkInterfaces": built} if built else {}


def _existing_interfaces(inputs: Properties) -> list[Properties]:
    """Return the interfaces that exist before the machine and outlive it."""
    primary = inputs.get("primaryNetworkInterface")
    first = [{"deviceIndex": 0, **primary}] if primary else []
    return [*first, *(inputs.get("networkInterfaces") or [])]


def _decoded_user_data(inputs: Properties) -> dict[str, Any]:
    """Return RunInstances' user data, decoded if needed, since boto3 encodes it again."""
    if inputs.get("userDataBase64"):
        return {"UserData": base64.b64decode(inputs["userDataBase64"])}
    return {"UserData": inputs["userData"]} if inputs.get("userData") else {}


def _user_data(call: Call, instance_id: str) -> Properties:
    client = call.client("ec2")
    answer = client.describe_instance_attribute(InstanceId=instance_id, Attribute="userData")
    encoded = answer.get("UserData", {}).get("Value")
    if "userDataBase64" in call.inputs or not encoded:
        return {"userDataBase64": encoded, **({} if encoded else {"userData": None})}
    return {"userData": base64.b64decode(encoded).decode(errors="replace")}


def _metadata(options: dict[str, Any], inputs: Properties) -> Properties:
    known = inputs.get("metadataOptions")
    read = {camel(key): options[key] for key in _METADATA if key in options}
    return read if known is None else {key: value for key, value in read.items() if key in known}

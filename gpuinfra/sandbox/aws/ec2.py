"""Shared functions of EC2 resource types: look-up by id, tags, ARNs."""

from collections.abc import Iterable
from typing import Any

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.plugin.contract import Call


def describe_one(call: Call, operation: str, key: str, **filters: Any) -> dict[str, Any] | None:
    """Return the only item that `operation` (``describe_vpcs``) lists under `key`, or None."""
    items: list[dict[str, Any]] = getattr(call.client("ec2"), operation)(**filters)[key]
    return items[0] if items else None


def tag_specifications(call: Call, resource_type: str) -> dict[str, Any]:
    """Return the TagSpecifications argument of a create call; empty without tags."""
    declared = tags.declared_tags(call.inputs)
    if not declared:
        return {}
    return {"TagSpecifications": [{"ResourceType": resource_type, "Tags": tags.pairs(declared)}]}


def retag(call: Call, resource_id: str) -> None:
    """Set the resource's tags to those of the inputs."""
    client = call.client("ec2")
    put, dropped = tags.difference(
        current_tags(call, resource_id), tags.declared_tags(call.inputs)
    )
    if put:
        client.create_tags(Resources=[resource_id], Tags=tags.pairs(put))
    if dropped:
        client.delete_tags(Resources=[resource_id], Tags=[{"Key": key} for key in dropped])


def current_tags(call: Call, resource_id: str) -> dict[str, str]:
    """Return the tags of any EC2 resource, even if its own listing shows only initial ones."""
    filters = [{"Name": "resource-id", "Values": [resource_id]}]
    return tags.mapping(call.client("ec2").describe_tags(Filters=filters)["Tags"])


def arn(call: Call, account: str, kind: str, resource_id: str) -> str:
    """Return the ARN of an EC2 resource; `kind` as in ``security-group``."""
    return f"arn:aws:ec2:{call.region}:{account}:{kind}/{resource_id}"


def account(call: Call) -> str:
    """Return the account of the sandbox's credentials."""
    return str(call.client("sts").get_caller_identity()["Account"])


def ids(items: Iterable[dict[str, Any]], key: str) -> list[str]:
    """Return one field of each item."""
    return [item[key] for item in items]


def head(items: list[dict[str, Any]] | None) -> dict[str, Any]:
    """Return the first item, or an empty mapping."""
    return items[0] if items else {}


def drop_interfaces(
    call: Call, machines: Iterable[str], kept_interfaces: Iterable[str] = ()
) -> None:
    """Delete the interfaces of ended machines, as AWS does and moto does not."""
    ids_ = list(machines)
    if not ids_:
        return
    client = call.client("ec2")
    filters = [{"Name": "attachment.instance-id", "Values": ids_}]
    interfaces = client.describe_network_interfaces(Filters=filters)["NetworkInterfaces"]
    for interface in set(ids(interfaces, "NetworkInterfaceId")) - set(kept_interfaces):
        client.delete_network_interface(NetworkInterfaceId=interface)

"""Load balancers and target groups."""

from collections.abc import Mapping
from typing import Any

from gpuinfra.sandbox.aws import ec2, elb_tags, tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments, to_aws
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts, read_fields

# Pulumi input -> key of Modify…Attributes, from the ELBv2 API reference of those operations.
_BALANCER_ATTRIBUTES = facts("aws", "attributes")["aws:lb/loadBalancer:LoadBalancer"]
_TARGET_ATTRIBUTES = facts("aws", "attributes")["aws:lb/targetGroup:TargetGroup"]
_STICKINESS = {"enabled": "stickiness.enabled", "type": "stickiness.type"}
_HEALTH = facts("aws", "attributes")["aws:lb/targetGroup:TargetGroup healthCheck"]


class LoadBalancer(ResourceHandler):
    """``aws:lb/loadBalancer:LoadBalancer``."""

    def create(self, call: Call) -> str:
        client, inputs = call.client("elbv2"), call.inputs
        mappings = [
            to_aws(
                client, "SubnetMapping", {_private(key): value for key, value in mapping.items()}
            )
            for mapping in inputs.get("subnetMappings") or []
        ]
        optional = {
            "Subnets": inputs.get("subnets"),
            "SubnetMappings": mappings,
            "SecurityGroups": inputs.get("securityGroups"),
            "IpAddressType": inputs.get("ipAddressType"),
            "Tags": tags.pairs(tags.declared_tags(inputs)),
        }
        response = client.create_load_balancer(
            Name=physical_name(call)[:32],
            Type=inputs.get("loadBalancerType") or "application",
            Scheme="internal" if inputs.get("internal") else "internet-facing",
            **{key: value for key, value in optional.items() if value},
        )
        arn: str = response["LoadBalancers"][0]["LoadBalancerArn"]
        self._attributes(call, arn)
        return arn

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("elbv2")
        balancer = client.describe_load_balancers(LoadBalancerArns=[resource_id])["LoadBalancers"][
            0
        ]
        answer = client.describe_load_balancer_attributes(LoadBalancerArn=resource_id)
        attributes = {attribute["Key"]: attribute["Value"] for attribute in answer["Attributes"]}
        return {
            **read_fields(call.token, balancer),
            "internal": balancer["Scheme"] == "internal",
            "subnets": ec2.ids(balancer["AvailabilityZones"], "SubnetId"),
            "securityGroups": balancer.get("SecurityGroups") or [],
            "arn": resource_id,
            "arnSuffix": resource_id.partition("loadbalancer/")[2],
            **_typed_attributes(attributes, _BALANCER_ATTRIBUTES),
            **elb_tags.tag_outputs(call, resource_id),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client, inputs = call.client("elbv2"), call.inputs
        if inputs.get("securityGroups"):
            client.set_security_groups(
                LoadBalancerArn=resource_id, SecurityGroups=inputs["securityGroups"]
            )
        if inputs.get("subnets") and set(inputs["subnets"]) != set(old.get("subnets") or ()):
            client.set_subnets(LoadBalancerArn=resource_id, Subnets=inputs["subnets"])
        self._attributes(call, resource_id)
        elb_tags.retag(call, resource_id)

    def _attributes(self, call: Call, arn: str) -> None:
        if attributes := _attribute_list(call.inputs, _BALANCER_ATTRIBUTES):
            call.client("elbv2").modify_load_balancer_attributes(
                LoadBalancerArn=arn, Attributes=attributes
            )


class TargetGroup(ResourceHandler):
    """``aws:lb/targetGroup:TargetGroup``."""

    volatile = frozenset({"loadBalancerArns"})

    def create(self, call: Call) -> str:
        client, inputs = call.client("elbv2"), call.inputs
        plain = {key: value for key, value in inputs.items() if key != "tags"}
        request = {"TargetType": "instance"} | arguments(client, "CreateTargetGroup", plain)
        if labels := tags.declared_tags(inputs):
            request["Tags"] = tags.pairs(labels)
        request |= {"Name": physical_name(call)[:32], **_health_request(inputs)}
        response = client.create_target_group(**request)
        arn: str = response["TargetGroups"][0]["TargetGroupArn"]
        self._attributes(call, arn)
        return arn

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("elbv2")
        group = client.describe_target_groups(TargetGroupArns=[resource_id])["TargetGroups"][0]
        answer = client.describe_target_group_attributes(TargetGroupArn=resource_id)
        attributes = {attribute["Key"]: attribute["Value"] for attribute in answer["Attributes"]}
        return {
            **read_fields(call.token, group),
            "healthCheck": _health(group, call.inputs.get("healthCheck")),
            "stickiness": _stickiness(attributes, call.inputs.get("stickiness")),
            "loadBalancerArns": group.get("LoadBalancerArns", []),
            "arn": resource_id,
            "arnSuffix": resource_id[resource_id.index("targetgroup/") :],
            **_typed_attributes(attributes, _TARGET_ATTRIBUTES),
            **elb_tags.tag_outputs(call, resource_id),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        if call.inputs.get("healthCheck"):
            call.client("elbv2").modify_target_group(
                TargetGroupArn=resource_id, **_health_request(call.inputs)
            )
        self._attributes(call, resource_id)
        elb_tags.retag(call, resource_id)

    def _attributes(self, call: Call, arn: str) -> None:
        attributes = _attribute_list(call.inputs, _TARGET_ATTRIBUTES)
        attributes += _attribute_list(call.inputs.get("stickiness") or {}, _STICKINESS)
        if attributes:
            call.client("elbv2").modify_target_group_attributes(
                TargetGroupArn=arn, Attributes=attributes
            )


def _private(key: str) -> str:
    return "privateIPv4Address" if key == "privateIpv4Address" else key


def _health_request(inputs: Properties) -> dict[str, Any]:
    check = inputs.get("healthCheck") or {}
    numbers = {"interval", "timeout", "healthyThreshold", "unhealthyThreshold"}
    request = {
        _HEALTH[key]: int(value) if key in numbers else value
        for key, value in check.items()
        if key in _HEALTH and value is not None
    }
    if matcher := check.get("matcher"):
        request["Matcher"] = {"HttpCode": matcher}
    return request


def _health(group: dict[str, Any], known: Properties | None) -> Properties:
    read = {key: group[field] for key, field in _HEALTH.items() if field in group}
    read["matcher"] = (group.get("Matcher") or {}).get("HttpCode")
    if known is not None:
        return {key: value for key, value in read.items() if key in known}
    return {key: value for key, value in read.items() if value is not None}


def _stickiness(attributes: Mapping[str, str], known: Properties | None) -> Properties:
    read = _typed_attributes(attributes, _STICKINESS)
    if known is None:
        return read
    return dict(known) | {key: value for key, value in read.items() if key in known}


def _attribute_list(inputs: Properties, names: Mapping[str, str]) -> list[dict[str, str]]:
    return [
        {"Key": key, "Value": str(inputs[name]).lower()}
        for name, key in names.items()
        if inputs.get(name) is not None
    ]


def _typed_attributes(attributes: Mapping[str, str], names: Mapping[str, str]) -> Properties:
    """Return text attributes as Pulumi's booleans and numbers."""
    words: dict[str, Any] = {"true": True, "false": False}
    read = {name: attributes[key] for name, key in names.items() if key in attributes}
    return {
        name: words.get(text, int(text) if text.isdigit() else text) for name, text in read.items()
    }

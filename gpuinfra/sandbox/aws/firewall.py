"""Security groups, with rules inline or as separate resources."""

from typing import Any

from gpuinfra.sandbox.aws import ec2, inline_rules, tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields

_DIRECTIONS = {"ingress": "IpPermissions", "egress": "IpPermissionsEgress"}


class SecurityGroup(ResourceHandler):
    """``aws:ec2/securityGroup:SecurityGroup``.

    The provider removes AWS's own allow-all egress rule on create:
    https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/ec2/vpc_security_group.go
    """

    inline = frozenset(_DIRECTIONS)

    def create(self, call: Call) -> str:
        client = call.client("ec2")
        vpc = {"VpcId": call.inputs["vpcId"]} if call.inputs.get("vpcId") else {}
        response = client.create_security_group(
            GroupName=physical_name(call),
            Description=call.inputs.get("description") or "Managed by Pulumi",
            **vpc,
            **ec2.tag_specifications(call, "security-group"),
        )
        group_id: str = response["GroupId"]
        self._allow(call, group_id, "egress", call.inputs.get("egress") or [])
        self._allow(call, group_id, "ingress", call.inputs.get("ingress") or [])
        return group_id

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        group = _group(call, resource_id)
        if group is None:
            return None
        rules = {
            direction: inline_rules.read_back(
                group[field], call.inputs.get(direction) or [], resource_id
            )
            for direction, field in _DIRECTIONS.items()
        }
        return {
            **read_fields(call.token, group),
            **rules,
            **tags.tag_outputs(call, tags.mapping(group.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        for direction in _DIRECTIONS:
            if direction in call.inputs or direction in old:
                self._allow(call, resource_id, direction, call.inputs.get(direction) or [])
        ec2.retag(call, resource_id)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        if call.inputs.get("revokeRulesOnDelete"):
            for direction in _DIRECTIONS:
                self._allow(call, resource_id, direction, [])
        call.client("ec2").delete_security_group(GroupId=resource_id)

    def _allow(self, call: Call, group_id: str, direction: str, rules: list[Properties]) -> None:
        """Replace the rules of one direction with these."""
        client = call.client("ec2")
        existing = (_group(call, group_id) or {}).get(_DIRECTIONS[direction])
        if existing:
            getattr(client, f"revoke_security_group_{direction}")(
                GroupId=group_id, IpPermissions=existing
            )
        if rules:
            getattr(client, f"authorize_security_group_{direction}")(
                GroupId=group_id,
                IpPermissions=[inline_rules.permission(rule, group_id) for rule in rules],
            )


class SecurityGroupRule(ResourceHandler):
    """``aws:vpc/securityGroupIngressRule`` and ``…EgressRule``: a rule with one peer."""

    def __init__(self, direction: str) -> None:
        self._direction = direction

    def create(self, call: Call) -> str:
        permission = _permission_of(call.inputs)
        client = call.client("ec2")
        response = getattr(client, f"authorize_security_group_{self._direction}")(
            GroupId=call.inputs["securityGroupId"],
            IpPermissions=[permission],
            **ec2.tag_specifications(call, "security-group-rule"),
        )
        return str(response["SecurityGroupRules"][0]["SecurityGroupRuleId"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        rule = ec2.describe_one(
            call,
            "describe_security_group_rules",
            "SecurityGroupRules",
            SecurityGroupRuleIds=[resource_id],
        )
        if rule is None:
            return None
        all_ports = rule["IpProtocol"] == "-1"
        account = ec2.account(call)
        return {
            "securityGroupId": rule["GroupId"],
            "ipProtocol": rule["IpProtocol"],
            "fromPort": _port(call, "fromPort", None if all_ports else rule.get("FromPort")),
            "toPort": _port(call, "toPort", None if all_ports else rule.get("ToPort")),
            "cidrIpv4": rule.get("CidrIpv4"),
            "cidrIpv6": rule.get("CidrIpv6"),
            "prefixListId": rule.get("PrefixListId"),
            "referencedSecurityGroupId": rule.get("ReferencedGroupInfo", {}).get("GroupId"),
            "description": _note(call, rule),
            "securityGroupRuleId": resource_id,
            "arn": ec2.arn(call, account, "security-group-rule", resource_id),
            **tags.tag_outputs(call, tags.mapping(rule.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        inputs = call.inputs
        rule = {
            "IpProtocol": inputs["ipProtocol"],
            "FromPort": inputs.get("fromPort"),
            "ToPort": inputs.get("toPort"),
            "CidrIpv4": inputs.get("cidrIpv4"),
            "CidrIpv6": inputs.get("cidrIpv6"),
            "PrefixListId": inputs.get("prefixListId"),
            "ReferencedGroupId": inputs.get("referencedSecurityGroupId"),
            "Description": inputs.get("description"),
        }
        fields = {key: value for key, value in rule.items() if value is not None}
        call.client("ec2").modify_security_group_rules(
            GroupId=inputs["securityGroupId"],
            SecurityGroupRules=[{"SecurityGroupRuleId": resource_id, "SecurityGroupRule": fields}],
        )
        ec2.retag(call, resource_id)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        existing = self.read_properties(call, resource_id)
        if existing is not None:
            getattr(call.client("ec2"), f"revoke_security_group_{self._direction}")(
                GroupId=existing["securityGroupId"], SecurityGroupRuleIds=[resource_id]
            )


def _port(call: Call, name: str, port: int | None) -> int | None:
    """Return the port, else the program's: AWS returns none for all protocols."""
    return call.inputs.get(name) if port is None else port


def _note(call: Call, rule: dict[str, Any]) -> str | None:
    """Return the description, else the program's: moto keeps none for a peer group."""
    note: str | None = rule.get("Description")
    return call.inputs.get("description") if "ReferencedGroupInfo" in rule and not note else note


def _group(call: Call, group_id: str) -> dict[str, Any] | None:
    return ec2.describe_one(
        call, "describe_security_groups", "SecurityGroups", GroupIds=[group_id]
    )


def _permission_of(inputs: Properties) -> dict[str, Any]:
    note = {"Description": inputs["description"]} if inputs.get("description") else {}
    peers = {
        "cidrIpv4": ("IpRanges", "CidrIp"),
        "cidrIpv6": ("Ipv6Ranges", "CidrIpv6"),
        "prefixListId": ("PrefixListIds", "PrefixListId"),
        "referencedSecurityGroupId": ("UserIdGroupPairs", "GroupId"),
    }
    permission: dict[str, Any] = {"IpProtocol": str(inputs["ipProtocol"])}
    for port, field in (("fromPort", "FromPort"), ("toPort", "ToPort")):
        if inputs.get(port) is not None:
            permission[field] = int(inputs[port])
    for key, (field, member) in peers.items():
        if inputs.get(key):
            permission[field] = [{member: inputs[key], **note}]
    return permission

"""AWS changes that replace only under a condition: `immutable_if` of data/aws.json, made testable.

Not testable from inputs, so in place here: a new instance type that shares no architecture with
the old one, a primary private address removed from a network interface.
"""

from collections.abc import Mapping
from typing import Any

from gpuinfra.sandbox.plugin.diff import Condition

Inputs = Mapping[str, Any]

_SOURCES = ("cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId")


def _user_data(_old: Inputs, new: Inputs) -> bool:
    return new.get("userDataReplaceOnChange") is True


def _template_version(old: Inputs, new: Inputs) -> bool:
    before = (old.get("launchTemplate") or {}).get("version")
    return bool((new.get("launchTemplate") or {}).get("version") != before)


def _tenancy(old: Inputs, new: Inputs) -> bool:
    return (old.get("instanceTenancy"), new.get("instanceTenancy") or "default") != (
        "dedicated",
        "default",
    )


def _fixed_cidr(_old: Inputs, new: Inputs) -> bool:
    return new.get("ipv4NetmaskLength") is None


def _gateway_endpoint(_old: Inputs, new: Inputs) -> bool:
    return new.get("vpcEndpointType") != "Interface"


def _tier_lowered(old: Inputs, new: Inputs) -> bool:
    return old.get("tier") == "Advanced" and new.get("tier") == "Standard"


def _source_moved(old: Inputs, new: Inputs) -> bool:
    before, after = ({key for key in _SOURCES if side.get(key)} for side in (old, new))
    return before != after


def _network_groups(old: Inputs, new: Inputs) -> bool:
    network = new.get("loadBalancerType") == "network"
    return network and bool(old.get("securityGroups")) != bool(new.get("securityGroups"))


def _network_subnets(old: Inputs, new: Inputs) -> bool:
    lost = set(old.get("subnets") or ()) - set(new.get("subnets") or ())
    return new.get("loadBalancerType") == "network" and bool(lost)


def _network_mappings(old: Inputs, new: Inputs) -> bool:
    kept = new.get("subnetMappings") or []
    lost = [item for item in old.get("subnetMappings") or [] if item not in kept]
    return new.get("loadBalancerType") == "network" and bool(lost)


def _addresses_fewer(old: Inputs, new: Inputs) -> bool:
    key = "secondaryIpsAutoAssignedPerSubnet"
    return (new.get(key) or 0) < (old.get(key) or 0)


def _capacity_lowered(old: Inputs, new: Inputs) -> bool:
    lower = (new.get("storageCapacity") or 0) < (old.get("storageCapacity") or 0)
    return lower or new.get("deploymentType") == "SCRATCH_1"


def _iops_lowered(old: Inputs, new: Inputs) -> bool:
    before, after = (side.get("metadataConfiguration") or {} for side in (old, new))
    lower = (after.get("iops") or 0) < (before.get("iops") or 0)
    return lower and after.get("mode") == "USER_PROVISIONED"


def _version_lowered(old: Inputs, new: Inputs) -> bool:
    return str(new.get("fileSystemTypeVersion") or "") < str(
        old.get("fileSystemTypeVersion") or ""
    )


def _first_address(old: Inputs, new: Inputs) -> bool:
    before, after = ((side.get("privateIpLists") or [None])[0] for side in (old, new))
    return bool(before != after)


def _primary_ipv6_off(old: Inputs, new: Inputs) -> bool:
    return bool(old.get("enablePrimaryIpv6")) and not new.get("enablePrimaryIpv6")


def _ipv6_assigned(old: Inputs, _new: Inputs) -> bool:
    return old.get("assignIpv6AddressOnCreation") is True


def _encryption_removed(old: Inputs, new: Inputs) -> bool:
    return bool(old.get("encryptionConfig")) and not new.get("encryptionConfig")


def _node_role_swapped(old: Inputs, new: Inputs) -> bool:
    before, after = ((side.get("computeConfig") or {}).get("nodeRoleArn") for side in (old, new))
    return bool(before) and bool(after) and before != after


_MOVES: dict[str, Condition] = dict.fromkeys(_SOURCES, _source_moved)

CONDITIONS: dict[str, dict[str, Condition]] = {
    "aws:ec2/instance:Instance": {
        "userData": _user_data,
        "userDataBase64": _user_data,
        "launchTemplate.version": _template_version,
        "enablePrimaryIpv6": _primary_ipv6_off,
    },
    "aws:ec2/networkInterface:NetworkInterface": {
        "privateIpLists": _first_address,
        "enablePrimaryIpv6": _primary_ipv6_off,
    },
    "aws:ec2/subnet:Subnet": {"ipv6CidrBlock": _ipv6_assigned},
    "aws:ec2/vpc:Vpc": {"instanceTenancy": _tenancy, "cidrBlock": _fixed_cidr},
    "aws:ec2/vpcEndpoint:VpcEndpoint": {"privateDnsEnabled": _gateway_endpoint},
    "aws:eks/cluster:Cluster": {
        "encryptionConfig": _encryption_removed,
        "computeConfig.nodeRoleArn": _node_role_swapped,
    },
    "aws:fsx/lustreFileSystem:LustreFileSystem": {
        "storageCapacity": _capacity_lowered,
        "metadataConfiguration.iops": _iops_lowered,
        "fileSystemTypeVersion": _version_lowered,
    },
    "aws:lb/loadBalancer:LoadBalancer": {
        "securityGroups": _network_groups,
        "subnets": _network_subnets,
        "subnetMappings": _network_mappings,
        "secondaryIpsAutoAssignedPerSubnet": _addresses_fewer,
    },
    "aws:ssm/parameter:Parameter": {"tier": _tier_lowered},
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": _MOVES,
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": _MOVES,
}

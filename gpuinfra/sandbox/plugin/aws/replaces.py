"""The AWS changes that replace on a condition: checks for `immutable_if` of data/aws.json.

Not testable from inputs, so in place here: a new instance type that shares no architecture with
the old one, a primary private address removed from a network interface.
"""

from gpuinfra.sandbox.plugin.contract import Inputs
from gpuinfra.sandbox.plugin.diff import Condition, is_lowered, is_removed

_SOURCES = ("cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId")


def _template_version(old: Inputs, new: Inputs) -> bool:
    before = (old.get("launchTemplate") or {}).get("version")
    return bool((new.get("launchTemplate") or {}).get("version") != before)


def _tenancy(old: Inputs, new: Inputs) -> bool:
    return (old.get("instanceTenancy"), new.get("instanceTenancy") or "default") != (
        "dedicated",
        "default",
    )


def _source_moved(old: Inputs, new: Inputs) -> bool:
    before, after = ({key for key in _SOURCES if side.get(key)} for side in (old, new))
    return before != after


def _network_groups(old: Inputs, new: Inputs) -> bool:
    is_network_balancer = new.get("loadBalancerType") == "network"
    return is_network_balancer and bool(old.get("securityGroups")) != bool(
        new.get("securityGroups")
    )


def _network_subnets(old: Inputs, new: Inputs) -> bool:
    lost = set(old.get("subnets") or ()) - set(new.get("subnets") or ())
    return new.get("loadBalancerType") == "network" and bool(lost)


def _network_mappings(old: Inputs, new: Inputs) -> bool:
    mappings = new.get("subnetMappings") or []
    lost = [item for item in old.get("subnetMappings") or [] if item not in mappings]
    return new.get("loadBalancerType") == "network" and bool(lost)


def _capacity_lowered(old: Inputs, new: Inputs) -> bool:
    is_lower = (new.get("storageCapacity") or 0) < (old.get("storageCapacity") or 0)
    return is_lower or new.get("deploymentType") == "SCRATCH_1"


def _iops_lowered(old: Inputs, new: Inputs) -> bool:
    before, after = (side.get("metadataConfiguration") or {} for side in (old, new))
    is_lower = (after.get("iops") or 0) < (before.get("iops") or 0)
    return is_lower and after.get("mode") == "USER_PROVISIONED"


def _version_lowered(old: Inputs, new: Inputs) -> bool:
    return str(new.get("fileSystemTypeVersion") or "") < str(
        old.get("fileSystemTypeVersion") or ""
    )


def _first_address(old: Inputs, new: Inputs) -> bool:
    before, after = ((side.get("privateIpLists") or [None])[0] for side in (old, new))
    return bool(before != after)


def _node_role_swapped(old: Inputs, new: Inputs) -> bool:
    before, after = ((side.get("computeConfig") or {}).get("nodeRoleArn") for side in (old, new))
    return bool(before) and bool(after) and before != after


_MOVES: dict[str, Condition] = dict.fromkeys(_SOURCES, _source_moved)

CONDITIONS: dict[str, dict[str, Condition]] = {
    "aws:ec2/instance:Instance": {
        "userData": lambda _, new: new.get("userDataReplaceOnChange") is True,
        "userDataBase64": lambda _, new: new.get("userDataReplaceOnChange") is True,
        "launchTemplate.version": _template_version,
        "enablePrimaryIpv6": is_removed("enablePrimaryIpv6"),
    },
    "aws:ec2/networkInterface:NetworkInterface": {
        "privateIpLists": _first_address,
        "enablePrimaryIpv6": is_removed("enablePrimaryIpv6"),
    },
    "aws:ec2/subnet:Subnet": {
        "ipv6CidrBlock": lambda old, _: old.get("assignIpv6AddressOnCreation") is True
    },
    "aws:ec2/vpc:Vpc": {
        "instanceTenancy": _tenancy,
        "cidrBlock": lambda _, new: new.get("ipv4NetmaskLength") is None,
    },
    "aws:ec2/vpcEndpoint:VpcEndpoint": {
        "privateDnsEnabled": lambda _, new: new.get("vpcEndpointType") != "Interface"
    },
    "aws:eks/cluster:Cluster": {
        "encryptionConfig": is_removed("encryptionConfig"),
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
        "secondaryIpsAutoAssignedPerSubnet": is_lowered("secondaryIpsAutoAssignedPerSubnet"),
    },
    "aws:ssm/parameter:Parameter": {
        "tier": lambda old, new: (old.get("tier"), new.get("tier")) == ("Advanced", "Standard")
    },
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": _MOVES,
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": _MOVES,
}

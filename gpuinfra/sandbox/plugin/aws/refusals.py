"""AWS's checks of machines, on definition or start, that moto lacks, rule by rule.

AWS says most of it when a machine starts; the sandbox says it at the launch template or at the
group that would start it, because its groups start nothing that could fail later.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gpuinfra.sandbox.plugin.aws import capacity_refusals, machines, service_refusals
from gpuinfra.sandbox.plugin.aws.machines import GROUP, INSTANCE, NODE_GROUP, TEMPLATE
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.facts import facts
from gpuinfra.sandbox.plugin.operation_context import OperationContext
from gpuinfra.sandbox.plugin.refusing import RefusalRule, Refusals, refuse

_EFA_TYPES = ("efa", "efa-only")
_ADDRESS_INPUTS = facts("aws", "address_inputs")["aws:ec2/launchTemplate:LaunchTemplate"]


def verify(context: OperationContext) -> None:
    """Raise the first refusal for this resource; the message names its source."""
    refuse(context, (*RULES, *capacity_refusals.RULES, *service_refusals.RULES))


def _cards(context: OperationContext) -> Refusals:
    nics, network = _layout(context)
    cards = {card["NetworkCardIndex"]: card for card in network.get("NetworkCards", ())}
    if not cards:
        return
    for nic in nics:
        card, device = nic.get("networkCardIndex") or 0, nic.get("deviceIndex") or 0
        if card not in cards:
            yield CloudRefusalError(
                "InvalidParameterValue",
                f"The specified network card index '{card}' exceeds the network cards of "
                f"'{context.call.inputs['instanceType']}'. Specify a number from 0 to "
                f"{max(cards)}",
            )
        elif device >= cards[card]["MaximumNetworkInterfaces"]:
            yield CloudRefusalError(
                "InvalidParameterValue",
                f"The specified number '{device}' for the device index exceeds the maximum number "
                f"of network interfaces supported by the network card at network card index "
                f"{card}. Specify a number from 0 to "
                f"{cards[card]['MaximumNetworkInterfaces'] - 1}",
            )


def _slots(context: OperationContext) -> Refusals:
    nics, _ = _layout(context)
    used = Counter((nic.get("networkCardIndex") or 0, nic.get("deviceIndex") or 0) for nic in nics)
    for (card, device), count in used.items():
        if count > 1:
            yield CloudRefusalError(
                "InvalidParameterValue",
                f"{count} network interfaces use device index {device} of network card {card}; "
                "each needs its own",
            )


def _efa_count(context: OperationContext) -> Refusals:
    nics, network = _layout(context)
    efas = [nic for nic in nics if nic.get("interfaceType") in _EFA_TYPES]
    most = (network.get("EfaInfo") or {}).get("MaximumEfaInterfaces", 0)
    if network and len(efas) > most:
        machine = context.call.inputs["instanceType"]
        yield CloudRefusalError(
            "InvalidParameterCombination",
            f"{machine} supports {most} Elastic Fabric Adapter interfaces, not {len(efas)}",
        )
    per_card = Counter(nic.get("networkCardIndex") or 0 for nic in efas)
    for card, count in per_card.items():
        if count > 1:
            yield CloudRefusalError(
                "InvalidParameterValue",
                f"network card {card} takes at most one EFA interface, {count} requested",
            )


def _efa_only(context: OperationContext) -> Refusals:
    nics, _ = _layout(context)
    for nic in nics:
        if nic.get("interfaceType") != "efa-only":
            continue
        if not (nic.get("networkCardIndex") or nic.get("deviceIndex")):
            yield CloudRefusalError(
                "InvalidParameterValue", "an efa-only interface can't be the primary interface"
            )
        address_keys = [key for key in _ADDRESS_INPUTS if nic.get(key)]
        if address_keys:
            yield CloudRefusalError(
                "InvalidParameterValue",
                f"an efa-only interface has no IP address: remove {', '.join(address_keys)}",
            )


def _public_address(context: OperationContext) -> Refusals:
    nics, _ = _layout(context)
    if len(nics) > 1 and any(_is_true(nic.get("associatePublicIpAddress")) for nic in nics):
        yield CloudRefusalError("InvalidParameterCombination", _PUBLIC)


def _public_subnet(context: OperationContext) -> Refusals:
    crowded = any(
        len(start.template.get("networkInterfaces") or ()) > 1
        for start in machines.starts(context)
    )
    subnets = _subnets(context) if crowded else []
    if any(subnet.get("MapPublicIpOnLaunch") for subnet in subnets):
        yield CloudRefusalError(
            "InvalidParameterCombination", f"{_PUBLIC}; the subnet has mapPublicIpOnLaunch set"
        )


_PUBLIC = (
    "The associatePublicIPAddress parameter cannot be specified when launching with multiple "
    "network interfaces"
)


def _usage(context: OperationContext) -> Refusals:
    for start in machines.starts(context):
        facts = machines.facts(context, start.machine)
        classes = (facts or {}).get("SupportedUsageClasses") or [start.capacity]
        if start.capacity not in classes:
            yield CloudRefusalError(
                "Unsupported",
                f"The requested configuration is currently not supported: {start.machine} is "
                f"sold as {', '.join(classes)}, not as {start.capacity}",
            )


def _placement(context: OperationContext) -> Refusals:
    for start in machines.starts(context):
        name = (
            context.call.inputs.get("placementGroup")
            or start.template.get("placementGroup")
            or (start.template.get("placement") or {}).get("groupName")
        )
        group = context.properties(machines.PLACEMENT, "name", name) if name else None
        facts = machines.facts(context, start.machine) if group else None
        if group is None or facts is None:
            continue
        strategy = str(group.get("strategy"))
        if strategy not in facts.get("PlacementGroupInfo", {}).get("SupportedStrategies", ()):
            yield CloudRefusalError(
                "InvalidParameterCombination",
                f"{strategy.capitalize()} placement groups are not supported by the "
                f"'{start.machine}' instance type.",
            )


def _zone(context: OperationContext) -> Refusals:
    for start in machines.starts(context):
        offered = machines.offered_in(context, start.machine) if start.zones else frozenset()
        missing = sorted(set(start.zones) - offered)
        if missing:
            others = ", ".join(sorted(offered)) or "another region"
            yield CloudRefusalError(
                "Unsupported",
                f"Your requested instance type ({start.machine}) is not supported in your "
                f"requested Availability Zone ({missing[0]}). Please retry your request by "
                f"choosing {others}.",
            )


def _addresses(context: OperationContext) -> Refusals:
    inputs = context.call.inputs
    required = inputs.get("desiredCapacity") or inputs.get("minSize") or 0
    free = sum(subnet.get("AvailableIpAddressCount", 0) for subnet in _subnets(context))
    starts = machines.starts(context)
    each = max((_ip_interface_count(start.template) for start in starts), default=0)
    if context.call.inputs.get("vpcZoneIdentifiers") and each and required * each > free:
        yield CloudRefusalError(
            "InsufficientFreeAddressesInSubnet",
            f"There are not enough free addresses in subnet "
            f"'{', '.join(inputs['vpcZoneIdentifiers'])}' to satisfy the requested number of "
            f"instances: {required} x {each} addresses, {free} free.",
        )


def _ip_interface_count(template: Mapping[str, Any]) -> int:
    nics = template.get("networkInterfaces") or [{}]
    return sum(nic.get("interfaceType") != "efa-only" for nic in nics)


def _layout(context: OperationContext) -> tuple[Sequence[Mapping[str, Any]], Mapping[str, Any]]:
    inputs = context.call.inputs
    machine = inputs.get("instanceType")
    facts = machines.facts(context, machine) if machine else None
    return inputs.get("networkInterfaces") or [], (facts or {}).get("NetworkInfo") or {}


def _subnets(context: OperationContext) -> list[dict[str, Any]]:
    inputs = context.call.inputs
    ids = inputs.get("vpcZoneIdentifiers") or [inputs.get("subnetId")]
    ids = [item for item in ids if item]
    if not ids or not context.in_moto("aws:ec2/subnet:Subnet"):
        return []
    answer = context.call.client("ec2").describe_subnets(SubnetIds=ids)
    return list(answer["Subnets"])


def _is_true(value: Any) -> bool:
    return str(value).lower() == "true"


_EFA_GUIDE = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html"
_STARTERS = (INSTANCE, GROUP, NODE_GROUP)

RULES: tuple[RefusalRule, ...] = (
    RefusalRule((TEMPLATE,), _cards, "https://github.com/eksctl-io/eksctl/issues/7520"),
    RefusalRule((TEMPLATE,), _slots, _EFA_GUIDE),
    RefusalRule((TEMPLATE,), _efa_count, _EFA_GUIDE),
    RefusalRule(
        (TEMPLATE,), _efa_only, "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html"
    ),
    RefusalRule(
        (TEMPLATE,),
        _public_address,
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html",
    ),
    RefusalRule(
        (INSTANCE, GROUP),
        _public_subnet,
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html",
    ),
    RefusalRule(_STARTERS, _usage, "DescribeInstanceTypes: SupportedUsageClasses"),
    RefusalRule(_STARTERS, _placement, "DescribeInstanceTypes: PlacementGroupInfo"),
    RefusalRule(_STARTERS, _zone, "DescribeInstanceTypeOfferings"),
    RefusalRule(
        (GROUP,),
        _addresses,
        "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html",
    ),
)

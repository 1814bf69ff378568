"""Azure's requirements for networks: protection, security rules, load balancer parts."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.sandbox.plugin.azure.input_requirement import (
    InputRequirements,
    failure_of,
    items_at,
    value_at,
)
from gpuinfra.sandbox.plugin.contract import Inputs
from gpuinfra.sandbox.plugin.input_validation import Failure

_VNET: Final = ("network:VirtualNetwork",)
_GROUP: Final = ("network:NetworkSecurityGroup",)
_BALANCER: Final = ("network:LoadBalancer",)
_RULE_ENDS: Final = (
    ("sourceAddressPrefix", "sourceAddressPrefixes", "sourceApplicationSecurityGroups"),
    (
        *("destinationAddressPrefix", "destinationAddressPrefixes"),
        "destinationApplicationSecurityGroups",
    ),
    ("sourcePortRange", "sourcePortRanges"),
    ("destinationPortRange", "destinationPortRanges"),
)
_PARTS: Final = (
    *("frontendIPConfigurations", "backendAddressPools", "probes", "loadBalancingRules"),
    *("inboundNatRules", "inboundNatPools", "outboundRules"),
)
_SDK: Final = "pulumi_azure_native 3.29.0, docstring of the input"
_TEMPLATES: Final = "https://learn.microsoft.com/azure/templates/microsoft.network"
_PROTOCOLS_WITH_PATH: Final = frozenset({"Http", "Https"})

REQUIREMENTS = InputRequirements()


@REQUIREMENTS.register(_VNET, _SDK)
def _protection_plan_failures(inputs: Inputs) -> Iterator[Failure]:
    if (
        value_at(inputs, "enableDdosProtection") is True
        and value_at(inputs, "ddosProtectionPlan") is None
    ):
        yield Failure("ddosProtectionPlan", "DDoS protection requires a DDoS protection plan")


@REQUIREMENTS.register(_GROUP, "https://github.com/Azure/migAz/issues/103")
def _rule_end_failures(inputs: Inputs) -> Iterator[Failure]:
    for index, rule in enumerate(_items(inputs, "securityRules")):
        for end_keys in _RULE_ENDS:
            if all(rule.get(key) in (None, []) for key in end_keys):
                yield failure_of(
                    f"securityRules[{index}].{end_keys[0]}",
                    "SecurityRuleParametersMissing",
                    f"Security rule must specify one of {', '.join(end_keys)}.",
                )


@REQUIREMENTS.register(
    _GROUP, "https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview"
)
def _rule_priority_failures(inputs: Inputs) -> Iterator[Failure]:
    earlier: dict[tuple[Any, Any], Any] = {}
    for index, rule in enumerate(_items(inputs, "securityRules")):
        key = (rule.get("direction"), rule.get("priority"))
        if not all(isinstance(part, str | int | float) for part in key):
            continue
        if key in earlier:
            yield failure_of(
                f"securityRules[{index}].priority",
                "SecurityRuleConflict",
                f"Security rule {rule.get('name')} conflicts with rule {earlier[key]}. Rules "
                "cannot have the same Priority and Direction.",
            )
        earlier[key] = rule.get("name")


@REQUIREMENTS.register(_GROUP, f"{_TEMPLATES}/networksecuritygroups")
def _rule_name_failures(inputs: Inputs) -> Iterator[Failure]:
    yield from _unnamed_part_failures(inputs, "securityRules")


@REQUIREMENTS.register(_BALANCER, f"{_TEMPLATES}/loadbalancers")
def _balancer_part_name_failures(inputs: Inputs) -> Iterator[Failure]:
    for key in _PARTS:
        yield from _unnamed_part_failures(inputs, key)


def _unnamed_part_failures(inputs: Inputs, key: str) -> Iterator[Failure]:
    for index, part in enumerate(_items(inputs, key)):
        if part.get("name") is None:
            yield Failure(f"{key}[{index}].name", "a part of a resource requires a name")


@REQUIREMENTS.register(_BALANCER, f"{_TEMPLATES}/loadbalancers")
def _balancing_rule_failures(inputs: Inputs) -> Iterator[Failure]:
    for index, rule in enumerate(_items(inputs, "loadBalancingRules")):
        at = f"loadBalancingRules[{index}]"
        if value_at(rule, "frontendIPConfiguration.id") is None:
            yield Failure(
                f"{at}.frontendIPConfiguration", "a load balancing rule requires a frontend"
            )
        if rule.get("backendPort") is None:
            yield Failure(f"{at}.backendPort", "a load balancing rule requires a backend port")


@REQUIREMENTS.register(_BALANCER, _SDK)
def _probe_path_failures(inputs: Inputs) -> Iterator[Failure]:
    for index, probe in enumerate(_items(inputs, "probes")):
        is_path_protocol = probe.get("protocol") in _PROTOCOLS_WITH_PATH
        if is_path_protocol and probe.get("requestPath") is None:
            yield Failure(
                f"probes[{index}].requestPath",
                "Path is required if a protocol is set to http",
            )


def _items(inputs: Inputs, key: str) -> list[Inputs]:
    """Return the known items of a list."""
    return [entry for entry in items_at(inputs, key) if isinstance(entry, dict)]

"""Machines take what their size can, and their identity may do what their script does."""

import base64
import re
from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.azure.declare import rights
from gpuinfra.clouds.azure.machines import capabilities
from gpuinfra.graph import Resource
from gpuinfra.sandbox.plugin.azure.input_requirement import value_at
from tests.witnesses import values
from tests.witnesses.aws.stack import Stack, each, listed

PROFILE: Final = "virtualMachineProfile"
CARDS: Final = f"{PROFILE}.networkProfile.networkInterfaceConfigurations"

DONE: Final = (
    (re.compile(r"^mount_bucket \S+ '[^']*' \S* read$", re.MULTILINE), rights.BLOB_READER),
    (re.compile(r"^mount_bucket \S+ '[^']*' \S* write$", re.MULTILINE), rights.BLOB_WRITER),
    (re.compile(r"^METRICS=\(", re.MULTILINE), rights.METRICS_PUBLISHER),
)
"""Lines of scripts, and the role that Azure asks for what they do:
https://learn.microsoft.com/azure/role-based-access-control/built-in-roles"""

PERCENT: Final = 100
PEERS: Final = "exec python3 /etc/gpuinfra/agent.py peers"
"""How several machines find each other, in the list of their set."""

FIGURES: Final = re.compile(r"^METRICS=\((\S+) ([^)]*)\)$", re.MULTILINE)
"""The namespace and the figures that a script publishes."""


def complaints(stack: Stack) -> Iterator[str]:
    """What machines lack of what they could have or need."""
    for group, inputs in stack.of("VirtualMachineScaleSet"):
        messages = (
            *_able(inputs),
            *_told(inputs),
            *_guarded(group, inputs, stack),
            *_may(group, inputs, stack),
        )
        yield from (f"{group.key}: {message}" for message in messages)
    for setting, inputs in stack.of("AutoscaleSetting"):
        yield from (f"{setting.key}: {message}" for message in _followed(inputs, stack))


def script(inputs: dict[str, Any]) -> str:
    """The script with which machines start."""
    data = value_at(inputs, f"{PROFILE}.osProfile.customData")
    return base64.b64decode(data).decode() if isinstance(data, str) else ""


def _able(inputs: dict[str, Any]) -> Iterator[str]:
    """Settings that a size can have and that are off unless they are said.

    https://learn.microsoft.com/azure/virtual-network/accelerated-networking-overview,
    https://learn.microsoft.com/azure/virtual-machines/disk-encryption
    """
    able = capabilities(str(value_at(inputs, "sku.name")))
    cards = list(each(inputs, CARDS))
    if able.accelerated_networking:
        for card in cards:
            if card.get("enableAcceleratedNetworking") is not True:
                yield "an interface is not accelerated"
    if able.encryption_at_host and value_at(
        inputs, f"{PROFILE}.securityProfile.encryptionAtHost"
    ) in (
        None,
        False,
    ):
        yield "temporary disks and caches are not encrypted"


def _told(inputs: dict[str, Any]) -> Iterator[str]:
    """Regular machines are told before they are deleted; spot machines can't be.

    https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-terminate-notification
    """
    told = f"{PROFILE}.scheduledEventsProfile.terminateNotificationProfile.enable"
    regular = value_at(inputs, f"{PROFILE}.priority") in (None, "Regular")
    if regular and value_at(inputs, told) is not True:
        yield "machines are deleted without a word"


def _guarded(group: Resource, inputs: dict[str, Any], stack: Stack) -> Iterator[str]:
    """https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview"""
    around = [
        firewall
        for firewall, _ in stack.of("NetworkSecurityGroup")
        if firewall.key in stack.before(group)
    ]
    own = any(nic.get("networkSecurityGroup") for nic in each(inputs, CARDS))
    if not around and not own:
        yield "no security group stands around its machines"


def _may(group: Resource, inputs: dict[str, Any], stack: Stack) -> Iterator[str]:
    """What the script does takes a role, and tokens of an identity that it names.

    https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token
    """
    text = script(inputs)
    roles = {
        str(own.get("roleDefinitionId")).rpartition("/")[2]
        for assignment, own in stack.of("RoleAssignment")
        if assignment.parent == group.parent
    }
    needed = [role for line, role in DONE if line.search(text)]
    if PEERS in text and value_at(inputs, "sku.capacity") != 1 and not _balanced(inputs):
        needed.append(rights.READER)
    for role in needed:
        if role not in roles:
            yield f"its script does what takes the role {role}"
    if ".clientId}" not in text:
        yield "its script does not name the identity of its machines"


def _balanced(inputs: dict[str, Any]) -> bool:
    addresses = each(inputs, f"{CARDS}.ipConfigurations")
    return any(address.get("loadBalancerBackendAddressPools") for address in addresses)


def _followed(inputs: dict[str, Any], stack: Stack) -> Iterator[str]:
    """A setting follows a figure that the machines of its set publish."""
    goal = inputs.get("targetResourceUri")
    group = stack.graph.resources[goal.ref.key] if isinstance(goal, values.Output) else None
    published = FIGURES.search(script(stack.inputs(group))) if group else None
    space, names = published.groups() if published else ("", "")
    for trigger in each(inputs, "profiles.rules.metricTrigger"):
        followed = (trigger.get("metricNamespace"), trigger.get("metricName"))
        if followed not in {(space, name) for name in listed(names.split())}:
            yield f"its machines publish no figure {followed[1]} in {followed[0]}"
        if not 0 < trigger.get("threshold", 0) < PERCENT:
            yield f"{followed[1]} is a percentage, and never comes to {trigger.get('threshold')}"

"""What Azure demands of names, places, durations and roles, resource by resource.

Each demand has its source in Azure's documentation; unknown values are let through.
"""

import ipaddress
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from pulumi._types import input_type_py_to_pulumi_names

from gpuinfra.clouds.azure.images import public_image
from gpuinfra.clouds.azure.regions import REGIONS
from gpuinfra.components.register import arguments_class
from gpuinfra.graph import Resource, ResourceGraph
from tests.witnesses import values

PACKAGE: Final = "azure-native:"

DURATION: Final = re.compile(r"P(?!$)(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?")
DURATIONS: Final = frozenset(
    {
        *("gracePeriod", "pauseTimeBetweenBatches", "restoreTimeout", "notBeforeTimeout"),
        *("timeGrain", "timeWindow", "cooldown"),
    }
)
"""Inputs that are "specified in ISO 8601 format", as the docstrings of the SDK's classes say."""

PERIODS: Final = frozenset({"Monthly", "Quarterly", "Annually"})
"""What the time grain of a budget is instead."""

ALWAYS: Final = re.compile(r"(?:should always|must) be '(\w+)'")
"""How the SDK's docstrings name what a part of an id has to be; left out, Pulumi makes a name:
https://www.pulumi.com/docs/iac/concepts/resources/names/#autonaming"""

MADE_HERE: Final = "azure-native:managedidentity:UserAssignedIdentity"
STASH: Final = "pulumi:index:Stash"


def complaints(graph: ResourceGraph, resource: Resource) -> Iterator[str]:
    """What Azure's documentation does not allow of a resource."""
    if resource.type == STASH and "input" not in resource.inputs:
        yield "input: a stash keeps what it is given, and this one is given nothing"
    if not resource.type.startswith(PACKAGE):
        return
    inputs = values.inputs(resource)
    yield from _durations(inputs, "")
    yield from _constants(resource.type, inputs)
    location = inputs.get("location")
    if isinstance(location, str) and location not in REGIONS.all():
        yield f"location: {location!r} is no region of Azure"
    for kind, check in CHECKS.items():
        if resource.type == f"{PACKAGE}{kind}":
            yield from check(graph, inputs)


def _durations(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _durations(item, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from _durations(item, path)
    elif path.rpartition(".")[2] in DURATIONS and isinstance(value, str):
        fits = DURATION.fullmatch(value) or value in PERIODS
        yield from () if fits else (f"{path[1:]}: {value!r} is no duration of ISO 8601",)


@cache
def constants(kind: str) -> Mapping[str, str]:
    """The inputs of a type that have one value only, by their docstrings."""
    arguments = arguments_class(kind)
    pairs = {
        camel: ALWAYS.search(" ".join((getattr(arguments, snake).__doc__ or "").split()))
        for snake, camel in input_type_py_to_pulumi_names(arguments).items()
    }
    return {camel: match[1] for camel, match in pairs.items() if match and camel.endswith("Name")}


def _constants(kind: str, inputs: dict[str, Any]) -> Iterator[str]:
    for key, value in constants(kind).items():
        if inputs.get(key) != value:
            yield f"{key}: has to be {value!r}, and Pulumi makes a name where none is said"


def _assigned(graph: ResourceGraph, inputs: dict[str, Any]) -> Iterator[str]:
    """An identity of the same update is not known everywhere yet; said to be one, it is taken.

    https://learn.microsoft.com/azure/role-based-access-control/troubleshooting
    """
    whose = inputs.get("principalId")
    made = isinstance(whose, values.Output) and graph.resources[whose.ref.key].type == MADE_HERE
    if made and inputs.get("principalType") != "ServicePrincipal":
        yield "principalType: an identity of this update is a ServicePrincipal, and has to be said"
    if (inputs.get("condition") is None) != (inputs.get("conditionVersion") is None):
        yield "conditionVersion: a condition has one, and nothing else does"


def _image(_: ResourceGraph, inputs: dict[str, Any]) -> Iterator[str]:
    """A Marketplace image has four words, and those of the table are as the table has them.

    https://learn.microsoft.com/azure/virtual-machines/linux/cli-ps-findimage
    """
    profile = inputs.get("virtualMachineProfile", {})
    image = profile.get("storageProfile", {}).get("imageReference", {})
    if "id" in image or "communityGalleryImageId" in image or "sharedGalleryImageId" in image:
        return
    words = ("publisher", "offer", "sku", "version")
    for key in words:
        if key not in image:
            yield f"imageReference.{key}: a Marketplace image has {', '.join(words)}"
    named = tuple(image.get(key) for key in words)
    known = [public_image(purpose, "x86_64") for purpose in ("training", "inference")]
    tabled = {(image.publisher, image.offer, image.sku, image.version) for image in known if image}
    near = {
        image for image in tabled if sum(a == b for a, b in zip(image, named, strict=True)) > 1
    }
    if named not in tabled and near:
        yield f"imageReference: {':'.join(map(str, named))} is no image that is known"


def _set(_: ResourceGraph, inputs: dict[str, Any]) -> Iterator[str]:
    """A set says how it is upgraded, and its machines have an interface.

    https://learn.microsoft.com/azure/templates/microsoft.compute/virtualmachinescalesets
    """
    profile = inputs.get("virtualMachineProfile", {})
    if "mode" not in inputs.get("upgradePolicy", {}):
        yield "upgradePolicy.mode: a set says how its machines follow its model"
    system = profile.get("osProfile", {})
    if inputs.get("orchestrationMode") == "Uniform" and "computerNamePrefix" not in system:
        yield "computerNamePrefix: a uniform set says how its machines are called"
    if not profile.get("networkProfile", {}).get("networkInterfaceConfigurations"):
        yield "networkInterfaceConfigurations: a machine has an interface"


def _machines(graph: ResourceGraph, inputs: dict[str, Any]) -> Iterator[str]:
    yield from _image(graph, inputs)
    yield from _set(graph, inputs)


def _network(_: ResourceGraph, inputs: dict[str, Any]) -> Iterator[str]:
    """https://learn.microsoft.com/azure/templates/microsoft.network/virtualnetworks"""
    if not inputs.get("addressSpace"):
        yield "addressSpace: a network has addresses"


def _balancer(_: ResourceGraph, inputs: dict[str, Any]) -> Iterator[str]:
    """A rule refers to parts of its own balancer by their ids, which hold its name.

    https://learn.microsoft.com/azure/templates/microsoft.network/loadbalancers
    """
    for rule in inputs.get("loadBalancingRules", ()):
        for key, kind in PARTS.items():
            named = rule.get(key, {}).get("id") if isinstance(rule, dict) else None
            own = re.escape(str(inputs.get("loadBalancerName")))
            form = rf".+/providers/Microsoft\.Network/loadBalancers/{own}/{kind}/[^/]+"
            if isinstance(named, str) and not re.fullmatch(form, named):
                yield f"{key}: {named} is no part of this balancer"


def _firewall(_: ResourceGraph, inputs: dict[str, Any]) -> Iterator[str]:
    """A prefix is an address, a range, or a tag of a service; a rule has a priority.

    https://learn.microsoft.com/azure/virtual-network/service-tags-overview,
    https://learn.microsoft.com/rest/api/virtualnetwork/network-security-groups/create-or-update
    """
    for rule in inputs.get("securityRules", ()):
        if "priority" not in rule:
            yield "securityRules.priority: a rule has one"
        for key in ("sourceAddressPrefix", "destinationAddressPrefix"):
            value = rule.get(key)
            if isinstance(value, str) and value not in TAGS and not _address(value):
                yield f"securityRules.{key}: {value!r} is no address and no tag"


def _address(text: str) -> bool:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return values.partly(text)
    return True


def _account(graph: ResourceGraph, inputs: dict[str, Any]) -> Iterator[str]:
    """Another name is another account, empty, and the full one is deleted: so it is kept.

    https://learn.microsoft.com/azure/storage/common/storage-account-overview
    """
    name = inputs.get("accountName")
    if isinstance(name, values.Output) and graph.resources[name.ref.key].type == STASH:
        return
    if not isinstance(name, str):
        yield "accountName: is not kept in a stash"


def _container(_: ResourceGraph, inputs: dict[str, Any]) -> Iterator[str]:
    """Mounts and roles say the container's name, which Pulumi would make up."""
    if "containerName" not in inputs:
        yield "containerName: is left to Pulumi, and mounts name it"


def _place(_: ResourceGraph, inputs: dict[str, Any]) -> Iterator[str]:
    """https://learn.microsoft.com/rest/api/resources/resource-groups/create-or-update"""
    if "location" not in inputs:
        yield "location: a resource group has one"


def _subnet(_: ResourceGraph, inputs: dict[str, Any]) -> Iterator[str]:
    """https://learn.microsoft.com/azure/virtual-network/virtual-network-service-endpoints-overview"""
    for endpoint in inputs.get("serviceEndpoints", ()):
        if endpoint.get("service") not in ENDPOINTS:
            service = endpoint.get("service")
            yield f"serviceEndpoints.service: {service} is no service with endpoints"


def _kept(_: ResourceGraph, inputs: dict[str, Any]) -> Iterator[str]:
    """What is kept is kept for 1 to 365 days (the docstring of the SDK).

    https://learn.microsoft.com/rest/api/storageservices/set-blob-service-properties
    """
    for key in ("deleteRetentionPolicy", "containerDeleteRetentionPolicy"):
        policy = inputs.get(key, {})
        if policy.get("enabled") is True and policy.get("days") not in range(1, 366):
            yield f"{key}.days: {policy.get('days')} is not within 1 to 365"


def _tidied(_: ResourceGraph, inputs: dict[str, Any]) -> Iterator[str]:
    """Rules are about block blobs and append blobs (the docstring of the SDK).

    https://learn.microsoft.com/azure/storage/blobs/lifecycle-management-policy-structure
    """
    for rule in inputs.get("policy", {}).get("rules", ()):
        filters = rule.get("definition", {}).get("filters", {})
        for kind in filters.get("blobTypes", ()):
            if kind not in ("blockBlob", "appendBlob"):
                yield f"blobTypes: {kind} is no type of blob"


PARTS: Final = {
    "frontendIPConfiguration": "frontendIPConfigurations",
    "backendAddressPool": "backendAddressPools",
    "probe": "probes",
}
TAGS: Final = frozenset({"*", "VirtualNetwork", "AzureLoadBalancer", "Internet"})
"""What a rule may name instead of addresses, as far as it is declared."""

ENDPOINTS: Final = frozenset(
    f"Microsoft.{service}"
    for service in (
        *("Storage", "Storage.Global", "Sql", "AzureCosmosDB", "KeyVault", "ServiceBus"),
        *("EventHub", "Web", "CognitiveServices", "ContainerRegistry"),
    )
)
"""Services with endpoints, cited from memory on 2026-11-22."""

CHECKS: Final = {
    "authorization:RoleAssignment": _assigned,
    "compute:VirtualMachineScaleSet": _machines,
    "network:VirtualNetwork": _network,
    "network:LoadBalancer": _balancer,
    "network:NetworkSecurityGroup": _firewall,
    "network:Subnet": _subnet,
    "resources:ResourceGroup": _place,
    "storage:BlobServiceProperties": _kept,
    "storage:ManagementPolicy": _tidied,
    "storage:StorageAccount": _account,
    "storage:BlobContainer": _container,
}
"""What is demanded of a type besides."""

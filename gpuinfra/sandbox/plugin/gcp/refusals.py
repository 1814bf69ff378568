"""Google Cloud's checks against existing resources: networks, zones, placement."""

import ipaddress
from collections.abc import Mapping
from typing import Any

from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.gcp import (
    addresses,
    machines,
    places,
    references,
    resource_names,
    scheduling,
)
from gpuinfra.sandbox.plugin.gcp.machines import (
    INSTANCE,
    MANAGER,
    NODE_POOL,
    REGION_MANAGER,
    REGION_TEMPLATE,
    TEMPLATE,
)
from gpuinfra.sandbox.plugin.operation_context import OperationContext
from gpuinfra.sandbox.plugin.refusing import RefusalRule, Refusals, refuse

_SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
_AUTOSCALERS = (
    "gcp:compute/autoscaler:Autoscaler",
    "gcp:compute/regionAutoscaler:RegionAutoscaler",
)
_RESIZE = "gcp:compute/resizeRequest:ResizeRequest"
_STARTERS = (INSTANCE, MANAGER, REGION_MANAGER, NODE_POOL)
_RDMA = "MRDMA"
_ROCE = "-vpc-roce"


def verify(context: OperationContext) -> None:
    """Raise the first refusal for this resource; the message names its source."""
    refuse(context, RULES)


def _overlapping_range(context: OperationContext) -> Refusals:
    inputs = context.call.inputs
    network = references.reference(context.call, "network", inputs.get("network"))
    own_ranges = _ranges(inputs)
    for other in context.records(_SUBNETWORK):
        other_properties = other.properties
        project = str(other_properties.get("project"))
        other_path = resource_names.full_path(
            str(other_properties.get("network")), "networks", project, "global"
        )
        if other.urn == context.call.urn or other_path != network:
            continue
        for own_range in own_ranges:
            if any(
                own_range.overlaps(other_range)
                for other_range in _ranges(other_properties)
                if other_range.version == own_range.version
            ):
                yield CloudRefusalError(
                    "invalid",
                    f"Error 400: Invalid IPCidrRange: {own_range} conflicts with existing "
                    f"subnetwork '{other.properties.get('name')}' in region "
                    f"'{other.properties.get('region')}'.",
                )


def _settings(context: OperationContext) -> Refusals:
    for failure in scheduling.problems(context.call.inputs):
        yield CloudRefusalError(
            "invalid",
            f"Error 400: Invalid value for field 'resource.{failure.path}': {failure.reason}.",
        )


def _ranges(inputs: Mapping[str, Any]) -> list[Any]:
    range_inputs = [inputs, *(inputs.get("secondaryIpRanges") or ())]
    texts = [entry.get("ipCidrRange") for entry in range_inputs]
    return [ipaddress.ip_network(text, strict=False) for text in texts if text]


def _subnet_outside_profile_zone(context: OperationContext) -> Refusals:
    network = references.target(context, "network", context.call.inputs.get("network"))
    zone = _profile_zone(network)
    if zone and places.region_of(zone) != context.call.region:
        yield _wrong_location_error(zone)


def _wrong_location_error(zone: str) -> CloudRefusalError:
    return CloudRefusalError(
        "invalid", f"Error 400: Network profile only allows resource creation in location {zone}."
    )


def _profile_zone(network: Mapping[str, Any]) -> str:
    name = resource_names.last_segment(str(network.get("networkProfile") or ""))
    return name.partition(_ROCE)[0] if _ROCE in name else ""


def _interface_against_profile(context: OperationContext) -> Refusals:
    for nic in context.call.inputs.get("networkInterfaces") or ():
        network = _network(context, nic)
        zone = _profile_zone(network)
        is_rdma = nic.get("nicType") == _RDMA
        if zone and not is_rdma:
            yield CloudRefusalError(
                "invalid",
                f"Error 400: the network profile of '{network.get('name')}' accepts only {_RDMA} "
                f"interfaces, not {nic.get('nicType') or 'one without nicType'}.",
            )
        if is_rdma and network and not zone:
            yield CloudRefusalError(
                "invalid",
                f"Error 400: an {_RDMA} interface needs a network with an RDMA network profile; "
                f"'{network.get('name')}' has none.",
            )


def _start_outside_profile_zone(context: OperationContext) -> Refusals:
    for start in machines.starts(context):
        for nic in start.template.get("networkInterfaces") or ():
            zone = _profile_zone(_network(context, nic))
            if zone and start.zones and set(start.zones) != {zone}:
                yield _wrong_location_error(zone)


def _network(context: OperationContext, nic: Mapping[str, Any]) -> Mapping[str, Any]:
    network = nic.get("network") or addresses.subnet(context, nic.get("subnetwork")).get("network")
    return references.target(context, "network", network)


def _machine_offer_refusals(context: OperationContext) -> Refusals:
    for start in machines.starts(context):
        offered = places.zones_with_machine(start.machine)
        missing = sorted(zone for zone in start.zones if offered and zone not in offered)
        if missing and "-ai" not in missing[0]:
            yield CloudRefusalError(
                "invalid",
                f"Error 400: Invalid value for field 'resource.machineType': the machine type "
                f"'{start.machine}' does not exist in zone '{missing[0]}'; it is offered in "
                f"{', '.join(sorted(offered))}.",
            )


def _space(context: OperationContext) -> Refusals:
    for start in machines.starts(context):
        for nic in start.template.get("networkInterfaces") or ():
            cidr = addresses.subnet(context, nic.get("subnetwork")).get("ipCidrRange")
            if cidr and addresses.usable_addresses(cidr) < start.count:
                yield CloudRefusalError(
                    "IP_SPACE_EXHAUSTED",
                    f"The IP space of '{resource_names.last_segment(str(nic.get('subnetwork')))}' "
                    f"({cidr}) is exhausted: {start.count} machines, "
                    f"{addresses.usable_addresses(cidr)} addresses.",
                )


def _placement(context: OperationContext) -> Refusals:
    for start in machines.starts(context):
        template = start.template
        policy_names = (
            context.call.inputs.get("resourcePolicies") if context.call.token == INSTANCE else None
        )
        policy_names = policy_names or template.get("resourcePolicies")
        policy = references.target(context, "resource-policy", policy_names)
        group = policy.get("groupPlacementPolicy") or {}
        if group.get("collocation") != "COLLOCATED":
            continue
        if len(start.zones) != 1:
            yield CloudRefusalError(
                "invalid",
                f"Error 400: compact placement policy '{policy.get('name')}' requires "
                "one zone; the group may use several.",
            )
        if group.get("maxDistance") == 1 and start.machine.startswith("a3-"):
            yield CloudRefusalError(
                "invalid", f"Error 400: {start.machine} does not support a maxDistance of 1."
            )
        if places.region_of(start.zones[0] if start.zones else "") != policy.get("region"):
            yield CloudRefusalError(
                "invalid",
                f"Error 400: placement policy '{policy.get('name')}' is in region "
                f"'{policy.get('region')}', the machines are not.",
            )


def _autoscaler_refusals(context: OperationContext) -> Refusals:
    """Yield an error for an autoscaler and resize requests on the same group."""
    is_autoscaler = context.call.token in _AUTOSCALERS
    key = "target" if is_autoscaler else "instanceGroupManager"
    manager = references.reference(context.call, "manager", context.call.inputs.get(key)) or ""
    has = "resize requests" if is_autoscaler else "an autoscaler"
    for token in (_RESIZE,) if is_autoscaler else _AUTOSCALERS:
        for record in context.records(token):
            name = record.properties.get("instanceGroupManager" if is_autoscaler else "target")
            if resource_names.last_segment(str(name)) == resource_names.last_segment(manager):
                yield CloudRefusalError(
                    "invalid",
                    f"Error 400: '{resource_names.last_segment(manager)}' has {has}: a group "
                    "supports resize requests or an autoscaler, not both.",
                )


def _multi_networking(context: OperationContext) -> Refusals:
    config = context.call.inputs.get("networkConfig") or {}
    cluster = references.target(context, "cluster", context.call.inputs.get("cluster"))
    more = config.get("additionalNodeNetworkConfigs")
    if more and cluster and cluster.get("enableMultiNetworking") is not True:
        yield CloudRefusalError(
            "badRequest",
            "Error 400: additional node networks need a cluster with enableMultiNetworking.",
        )


_BLUEPRINTS = "https://github.com/GoogleCloudPlatform/cluster-toolkit"
_COMPUTE_DOCS = "https://docs.cloud.google.com/compute/docs"

RULES: tuple[RefusalRule, ...] = (
    RefusalRule(
        (_SUBNETWORK,), _overlapping_range, "https://docs.cloud.google.com/vpc/docs/subnets"
    ),
    RefusalRule((_SUBNETWORK,), _subnet_outside_profile_zone, f"{_BLUEPRINTS} gpu-rdma-vpc"),
    RefusalRule(
        (INSTANCE, TEMPLATE, REGION_TEMPLATE),
        _interface_against_profile,
        f"{_BLUEPRINTS} gpu-rdma-vpc",
    ),
    RefusalRule(
        (INSTANCE, TEMPLATE, REGION_TEMPLATE),
        _settings,
        f"{_COMPUTE_DOCS}/gpus/create-vm-with-gpus",
    ),
    RefusalRule(_STARTERS, _start_outside_profile_zone, f"{_BLUEPRINTS} gpu-rdma-vpc"),
    RefusalRule(_STARTERS, _machine_offer_refusals, f"{_COMPUTE_DOCS}/gpus/gpu-regions-zones"),
    RefusalRule(_STARTERS, _placement, f"{_COMPUTE_DOCS}/instances/placement-policies-overview"),
    RefusalRule((INSTANCE,), _space, "https://docs.cloud.google.com/vpc/docs/subnets"),
    RefusalRule(
        (*_AUTOSCALERS, _RESIZE),
        _autoscaler_refusals,
        f"{_COMPUTE_DOCS}/instance-groups/about-resize-requests-mig",
    ),
    RefusalRule(
        (NODE_POOL,),
        _multi_networking,
        "https://docs.cloud.google.com/kubernetes-engine/docs/how-to/gpu-bandwidth-gpudirect-tcpx",
    ),
)

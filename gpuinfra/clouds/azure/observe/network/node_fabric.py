"""The fabric of node pools: InfiniBand joins nodes where AKS places them for it."""

from typing import Any, Final

from gpuinfra.clouds.azure.machines import machine
from gpuinfra.clouds.azure.network import SINGLE_PLACEMENT_GROUP
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch.locations import one_zone
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.values import all_of, any_of, at, is_on, text
from gpuinfra.model import UNKNOWN, Fabric, Group, Known, Machine, Resource, Unknown

FEATURE: Final = "azure-native:features:SubscriptionFeatureRegistration"
_NAMES: Final = {
    "providerNamespace": "microsoft.containerservice",
    "featureName": "aksinfinibandsupport",
}
"""The feature of a subscription by which AKS places the nodes of a pool together:
https://github.com/Azure/aks-rdma-infiniband,
https://docs.nvidia.com/dynamo/dev/kubernetes-deployment/cloud-provider-guides/azure/rdma-infini-band"""
_FEATURE_STATES_ON: Final = frozenset({None, "Registered", "Registering", "Pending"})

_LONE: Final = (
    "its nodes are single machines: InfiniBand connects only those of one scale set "
    "(type VirtualMachineScaleSets)"
)


def fabric_of(group: Group, spec: Any, index: Index) -> Fabric | None:
    """Return a pool's fabric; None for one that is not stated to train and has no InfiniBand.

    Where the stack doesn't register the feature, it is not known whether the subscription has it.
    """
    machine_type = machine(group.rung.machine)
    may_join_cluster = (
        group.purpose == "unknown"
        and machine_type is not None
        and bool(machine_type.fabric_interfaces)
    )
    if group.maximum == 1 or not (group.purpose == "training" or may_join_cluster):
        return None
    has_single_machines = text(at(spec, "type")) == "VirtualMachines"
    together: Known = False if has_single_machines else _places_together(index)
    faults: tuple[str, ...] | Unknown = (_LONE,) if has_single_machines else ()
    return Fabric(
        requirement="preferred",
        interfaces=_interfaces(machine_type),
        faults=rule_faults("fabric-scale-set", UNKNOWN if together is UNKNOWN else faults),
        one_zone=one_zone(at(spec, "availabilityZones"), together=together),
        placement={True: SINGLE_PLACEMENT_GROUP, False: None, UNKNOWN: UNKNOWN}[together],
        self_ingress=None,
        self_egress=None,
        public_ip=is_on(at(spec, "enableNodePublicIP")),
    )


def _interfaces(machine_type: Machine | None) -> int | Unknown:
    interfaces = None if machine_type is None else machine_type.fabric_interfaces
    return UNKNOWN if interfaces is None else interfaces


def _places_together(index: Index) -> Known:
    """Return whether the stack registers the feature; UNKNOWN otherwise."""
    registered = any_of(_registers(resource) for resource in index.of_kind(FEATURE))
    return True if registered is True else UNKNOWN


def _registers(resource: Resource) -> Known:
    state = text(at(resource.inputs.get("properties"), "state"))
    facts = (_is(resource, key, name) for key, name in _NAMES.items())
    return all_of((*facts, state if isinstance(state, Unknown) else state in _FEATURE_STATES_ON))


def _is(resource: Resource, key: str, name: str) -> Known:
    value = text(resource.inputs.get(key))
    return value if isinstance(value, Unknown) else str(value).lower() == name

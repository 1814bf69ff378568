"""Whatever a program writes, nothing raises; and what is hidden is never taken for fine."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.azure.observe import Index, groups_and_items, observe, resource_types
from gpuinfra.clouds.azure.observe.observers import OBSERVERS
from gpuinfra.clouds.azure.observe.resource_types import NAMES, UNPRICED_TYPES
from gpuinfra.model import UNKNOWN, Bucket, Fabric, Group, Resource, Usage, faults_of
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_cluster import cluster

Path = tuple[Any, ...]

WORDS: Final = st.sampled_from(
    [
        *("Spot", "Regular", "Uniform", "Flexible", "Mix", "*", "Internet", "22", "Allow", "-1"),
        *("/", "//", "/subscriptions", "/subscriptions/a/resourceGroups/b/providers", "rg", ""),
        *("Standard_ND96isr_H100_v5", "Standard_NC4as_T4_v3", "UserAssigned", "Cost", "Monthly"),
    ]
)
KEYS: Final = st.sampled_from(
    [
        *("sku", "name", "capacity", "id", "priority", "networkProfile", "ipConfigurations"),
        *("storageProfile", "osDisk", "diskSizeGB", "identity", "type", "zones", "location"),
        *("orchestrationMode", "minimumTlsVersion", "category", "timeGrain", "capacityType"),
        *("principalType", "kind", "accessTier", "scaleSetEvictionPolicy", "outboundType"),
        *("virtualMachineProfile", "networkInterfaceConfigurations", "singlePlacementGroup"),
        *("userAssignedIdentities", "principalId", "scope", "roleDefinitionId", "profiles"),
        *("agentPoolProfiles", "vmSize", "policy", "rules", "securityRules", "accountName"),
        *("hardwareProfile", "extensionProfile", "extensions", "priorityMixPolicy", "amount"),
        *("targetResourceUri", "computeProfile", "vmSizesProfile", "spotPriorityProfile"),
        *sorted(set(NAMES.values())),
    ]
)
LEAVES: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.just(UNKNOWN),
    WORDS,
    st.text(max_size=5),
)
VALUES: Final = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=12,
)
TYPES: Final = st.sampled_from(sorted(UNPRICED_TYPES.union(OBSERVERS)))


@st.composite
def resources(draw: Callable[..., Any]) -> list[Resource]:
    drawn: list[Resource] = []
    for number in range(draw(st.integers(1, 4))):
        others = tuple(resource.urn for resource in drawn)
        keys = draw(st.lists(KEYS, max_size=3))
        drawn.append(
            Resource(
                urn=f"urn:{number}",
                type=draw(TYPES),
                name=draw(st.sampled_from(["a", "b"])),
                inputs=draw(st.dictionaries(KEYS, VALUES, max_size=6)),
                outputs=draw(st.dictionaries(KEYS, VALUES, max_size=2)),
                relations=dict.fromkeys(keys, others),
            )
        )
    return drawn


@given(resources())
def test_nothing_that_a_program_writes_raises(written):
    seen = observe(written)
    known = Index(written)
    apart = [groups_and_items(resource, known) for resource in written]
    assert len(seen.not_judged) <= sum(len(rows.not_judged) for rows in apart)
    for group in seen.groups:
        assert group.machines


def programs() -> list[list[Resource]]:
    broken = cluster()
    broken.program.change(
        broken.scaling, overprovision=True, platformFaultDomainCount=5, zones=["1", "2"]
    )
    broken.program.change(broken.account, allowSharedKeyAccess=None)
    broken.program.change(
        broken.firewall,
        securityRules=[
            stacks.open_rule(priority=200),
            stacks.open_rule("22", "10.0.0.0/8", priority=100, access="Deny"),
        ],
    )
    open_bucket = stacks.good_bucket()
    open_bucket[0].change(
        open_bucket[2]["account"], allowBlobPublicAccess=True, minimumTlsVersion="TLS1_0"
    )
    spot = stacks.pool(
        profile={"priority": "Spot", "evictionPolicy": "Delete"},
        priorityMixPolicy={"baseRegularPriorityCount": 1},
    )
    everything = [
        cluster().program,
        broken.program,
        stacks.open_machine(),
        stacks.good_bucket()[0],
        open_bucket[0],
        spot[0],
    ]
    return [program.resources("created") for program in everything]


PROGRAMS: Final = programs()


def paths(value: Any, before: Path = ()) -> Iterator[Path]:
    """Every place in a value, the whole of it left out."""
    if before:
        yield before
    items = (
        value.items()
        if isinstance(value, Mapping)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in items:
        yield from paths(item, (*before, key))


def put(value: Any, path: Path, new: Any) -> Any:
    """A value with another one at a place of it."""
    if not path:
        return new
    if isinstance(value, Mapping):
        return {**value, path[0]: put(value[path[0]], path[1:], new)}
    return [put(item, path[1:], new) if at == path[0] else item for at, item in enumerate(value)]


@st.composite
def hiding(draw: Callable[..., Any]) -> tuple[list[Resource], list[Resource]]:
    program = draw(st.sampled_from(PROGRAMS))
    places = [(at, path) for at, resource in enumerate(program) for path in paths(resource.inputs)]
    at, path = draw(st.sampled_from(places))
    blind = replace(program[at], inputs=put(program[at].inputs, path, UNKNOWN))
    return program, [
        blind if number == at else resource for number, resource in enumerate(program)
    ]


MISSHAPEN: Final = ([], {}, ["x"], [[]], [{}], {"x": "y"}, {"x": []}, 7, 0.5, True, None, "x")

WRITTEN: Final[dict[str, dict[str, Any]]] = {
    resource_types.BUDGET: {"category": "Cost", "timeGrain": "Monthly", "amount": 5},
    resource_types.AUTOSCALE: {
        "targetResourceUri": "workers",
        "enabled": True,
        "profiles": [{"capacity": {"minimum": "1", "maximum": "2"}}],
    },
    resource_types.FLEET: {
        "location": "eastus",
        "capacityType": "VM",
        "vmSizesProfile": [{"name": "Standard_ND96isr_H100_v5"}],
        "spotPriorityProfile": {"capacity": 1, "maxPricePerVM": 3},
        "regularPriorityProfile": {"capacity": 1},
        "computeProfile": {"baseVirtualMachineProfile": {"osProfile": {"customData": "eA=="}}},
    },
    resource_types.CLUSTER: {
        "sku": {"tier": "Standard"},
        "networkProfile": {"outboundType": "managedNATGateway"},
        "identityProfile": {},
        "agentPoolProfiles": [
            {
                "name": "pool",
                "vmSize": "Standard_ND96isr_H100_v5",
                "count": 2,
                "enableAutoScaling": False,
                "enableNodePublicIP": True,
                "osDiskType": "Managed",
                "osDiskSizeGB": 100,
                "scaleSetPriority": "Regular",
                "scaleSetEvictionPolicy": "Delete",
                "spotMaxPrice": -1,
                "availabilityZones": ["1"],
            }
        ],
    },
    resource_types.RESERVATION: {
        "capacityReservationGroupName": "group",
        "sku": {"name": "Standard_ND96isr_H100_v5", "capacity": 2},
    },
    resource_types.DISK: {
        "sku": {"name": "PremiumV2_LRS"},
        "diskSizeGB": 10,
        "diskIOPSReadWrite": 5000,
    },
    resource_types.ADDRESS: {"sku": {"name": "Standard"}, "publicIPAllocationMethod": "Static"},
    resource_types.ADDRESSES: {"sku": {"name": "Standard"}, "prefixLength": 28},
    resource_types.BALANCER: {
        "sku": {"name": "Standard", "tier": "Regional"},
        "loadBalancingRules": [{"name": "in"}],
    },
    resource_types.NAT: {"sku": {"name": "Standard"}},
    resource_types.LUSTRE: {"sku": {"name": "AMLFS-Durable-Premium-250"}, "storageCapacityTiB": 8},
    resource_types.LIFECYCLE: {
        "accountName": "account",
        "policy": {
            "rules": [
                {
                    "enabled": True,
                    "definition": {
                        "filters": {"blobTypes": ["blockBlob"], "prefixMatch": []},
                        "actions": {"version": {"delete": {"daysAfterCreationGreaterThan": 9}}},
                    },
                }
            ]
        },
    },
}
"""What programs of the other tests don't have."""


def lone(kind: str, inputs: dict[str, Any]) -> list[Resource]:
    return [Resource(urn="urn:lone", type=kind, name="lone", inputs=inputs)]


@pytest.mark.parametrize("misshapen", MISSHAPEN, ids=str)
def test_no_place_of_a_program_raises_whatever_stands_there(misshapen):
    usage = Usage(purpose={"workers": "training"})
    for program in (*PROGRAMS, *(lone(*written) for written in WRITTEN.items())):
        for place, resource in enumerate(program):
            for path in paths(resource.inputs):
                wrong = replace(resource, inputs=put(resource.inputs, path, misshapen))
                observe([*program[:place], wrong, *program[place + 1 :]], usage)


def facts(row: Any, fields: tuple[str, ...]) -> dict[str, Any]:
    return {field: getattr(row, field) for field in fields}


SAFE: Final = ("public_ip", "open_login", "administrator", "long_lived_key")
FABRIC: Final = ("interfaces", "one_zone", "placement", "public_ip", "driver_image")
BUCKET: Final = ("public_blocked", "tls_only", "versioned", "expires_noncurrent")


def softened(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The facts that changed into another one, and not into unknown."""
    return {
        key: (value, after[key])
        for key, value in before.items()
        if after[key] not in (value, UNKNOWN)
    }


@given(hiding())
def test_hiding_a_value_never_turns_a_fact_into_another(case):
    shown, blind = (observe(resources_) for resources_ in case)
    left = {group.subject: group for group in blind.groups}
    unjudged = {missing.subject for missing in blind.not_judged}
    for group in shown.groups:
        if group.subject not in left:
            assert group.subject in unjudged
            continue
        compare(group, left[group.subject])
    buckets: dict[str, Bucket] = {bucket.subject: bucket for bucket in blind.buckets}
    for bucket in shown.buckets:
        if bucket.subject in buckets:
            before, after = facts(bucket, BUCKET), facts(buckets[bucket.subject], BUCKET)
            assert softened(before, after) == {}


def compare(group: Group, blind: Group) -> None:
    assert softened(facts(group.safety, SAFE), facts(blind.safety, SAFE)) == {}
    if faults_of(group.faults, "spot-settings"):
        assert faults_of(blind.faults, "spot-settings")
    if group.fabric is None:
        return
    assert blind.fabric is not None
    assert softened(facts(group.fabric, FABRIC), facts(blind.fabric, FABRIC)) == {}
    if faults_of(group.fabric.faults, "fabric-scale-set"):
        assert faults_of(blind.fabric.faults, "fabric-scale-set")


def test_every_fact_of_the_fabric_is_compared():
    others = {"faults", "requirement", "self_ingress", "self_egress", "sites", "placements"}
    others |= {"firewalls", "zone_ids", "subnets"}  # of AWS alone
    assert {*FABRIC, *others} == set(Fabric.__dataclass_fields__)

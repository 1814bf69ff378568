"""The combinations of inputs that Google Cloud requires or forbids, beyond the tables.

All of it can be read off one resource's inputs, so `Check` already refuses it. The counts and the
firewall's rules are `ExactlyOneOf` and `ConflictsWith` of terraform-provider-google-beta 93c65b2d.
"""

import ipaddress
from collections.abc import Callable, Iterator

from gpuinfra.sandbox.plugin.contract import Inputs
from gpuinfra.sandbox.plugin.gcp import places, resource_names
from gpuinfra.sandbox.plugin.input_counts import count, count_failures
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.wire import Unknown

_PLACE_CHECKS = {"zone": places.is_zone, "region": places.is_region}
_LOCATION_PREFIXES = ("gcp:container/", "gcp:filestore/", "gcp:lustre/")
_MTU = (1300, 8896)  # docs.cloud.google.com/vpc/docs/mtu


def problems(token: str, inputs: Inputs) -> list[Failure]:
    """Return the problems of the combined inputs; unknown inputs count as set."""
    failures = count_failures("gcp", token, inputs)
    failures += _place_failures(token, inputs)
    extra = _EXTRA.get(token)
    return failures + (list(extra(inputs)) if extra else [])


def _place_failures(token: str, inputs: Inputs) -> Iterator[Failure]:
    located = token.startswith(_LOCATION_PREFIXES)
    for key, known in {
        **_PLACE_CHECKS,
        **({"location": _is_any_place} if located else {}),
    }.items():
        value = inputs.get(key)
        if isinstance(value, str) and not known(resource_names.last_segment(value)):
            yield Failure(key, f"there is no {key} '{resource_names.last_segment(value)}'")


def _is_any_place(text: str) -> bool:
    return places.is_region(text) or places.is_zone(text)


def _network(inputs: Inputs) -> Iterator[Failure]:
    mtu = inputs.get("mtu")
    if isinstance(mtu, int) and mtu and not _MTU[0] <= mtu <= _MTU[1]:
        yield Failure("mtu", f"mtu of {mtu} is outside {_MTU[0]}-{_MTU[1]}")


def _subnetwork(inputs: Inputs) -> Iterator[Failure]:
    cidr = inputs.get("ipCidrRange")
    if not isinstance(cidr, str):
        return
    try:
        ipaddress.ip_network(cidr)
    except ValueError as error:
        yield Failure("ipCidrRange", f"'{cidr}' is not an address range: {error}")


def _firewall(inputs: Inputs) -> Iterator[Failure]:
    is_ingress = inputs.get("direction") in (None, "INGRESS")
    sources = ("sourceRanges", "sourceTags", "sourceServiceAccounts")
    stated_keys = [key for key in sources if inputs.get(key)]
    if is_ingress and not stated_keys:
        yield Failure("sourceRanges", f"one of {', '.join(sources)} must be set for INGRESS")
    if inputs.get("direction") == "EGRESS" and stated_keys:
        yield Failure(stated_keys[0], f"'{stated_keys[0]}' can't be set for EGRESS")
    accounts = [key for key in inputs if key.endswith("ServiceAccounts") and inputs[key]]
    tags = [key for key in inputs if key.endswith("Tags") and inputs[key]]
    if accounts and tags:
        yield Failure(tags[0], f"'{accounts[0]}' conflicts with '{tags[0]}'")


def _nat(inputs: Inputs) -> Iterator[Failure]:
    option, addresses = inputs.get("natIpAllocateOption"), inputs.get("natIps")
    if option == "MANUAL_ONLY" and not addresses:
        yield Failure("natIps", "natIpAllocateOption MANUAL_ONLY needs natIps")
    if option == "AUTO_ONLY" and addresses:
        yield Failure("natIps", "natIps can't be set with natIpAllocateOption AUTO_ONLY")
    is_list = inputs.get("sourceSubnetworkIpRangesToNat") == "LIST_OF_SUBNETWORKS"
    if is_list != bool(inputs.get("subnetworks")):
        reason = "LIST_OF_SUBNETWORKS and 'subnetworks' require each other: set both or neither"
        yield Failure("subnetworks", reason)


def _autoscaler(inputs: Inputs) -> Iterator[Failure]:
    policy = inputs.get("autoscalingPolicy")
    if not isinstance(policy, dict):
        return
    low, high = policy.get("minReplicas"), policy.get("maxReplicas")
    if isinstance(low, int) and isinstance(high, int) and low > high:
        reason = f"minReplicas of {low} is above maxReplicas of {high}"
        yield Failure("autoscalingPolicy.minReplicas", reason)


def _bucket(inputs: Inputs) -> Iterator[Failure]:
    tree = inputs.get("hierarchicalNamespace")
    flat = inputs.get("uniformBucketLevelAccess")
    if isinstance(tree, dict) and tree.get("enabled") is True and flat in (None, False):
        reason = (
            "a hierarchical namespace needs uniformBucketLevelAccess "
            "(docs.cloud.google.com/storage/docs/hns-overview)"
        )
        yield Failure("hierarchicalNamespace", reason)


def _budget(inputs: Inputs) -> Iterator[Failure]:
    amount, chosen = inputs.get("amount"), inputs.get("budgetFilter")
    if isinstance(amount, dict):
        yield from count("exactly", ("specifiedAmount", "lastPeriodAmount"), amount)
        specified = amount.get("specifiedAmount")
        units = specified.get("units") if isinstance(specified, dict) else None
        if isinstance(units, str) and not units.isdigit():
            path = "amount.specifiedAmount.units"
            yield Failure(path, f"'{units}' is not a whole number of currency units")
    if isinstance(chosen, dict):
        yield from count("most", ("calendarPeriod", "customPeriod"), chosen)


def _node_pool(inputs: Inputs) -> Iterator[Failure]:
    placement, nodes = inputs.get("placementPolicy"), inputs.get("nodeConfig")
    zones = inputs.get("nodeLocations")
    is_compact = isinstance(placement, dict) and placement.get("type") == "COMPACT"
    if is_compact and isinstance(zones, list) and len(zones) > 1:
        yield Failure("nodeLocations", "COMPACT placement supports one zone")
    queued = inputs.get("queuedProvisioning")
    if isinstance(queued, dict) and queued.get("enabled") and is_compact:
        yield Failure(
            "placementPolicy", "queued provisioning can't be combined with COMPACT placement"
        )
    management = inputs.get("management")
    if isinstance(nodes, dict) and nodes.get("flexStart") is True:
        repaired = management.get("autoRepair") if isinstance(management, dict) else None
        if repaired is not False and not isinstance(management, Unknown):
            yield Failure("management.autoRepair", "flexStart needs autoRepair false")


_EXTRA: dict[str, Callable[[Inputs], Iterator[Failure]]] = {
    "gcp:billing/budget:Budget": _budget,
    "gcp:compute/autoscaler:Autoscaler": _autoscaler,
    "gcp:compute/firewall:Firewall": _firewall,
    "gcp:compute/network:Network": _network,
    "gcp:compute/regionAutoscaler:RegionAutoscaler": _autoscaler,
    "gcp:compute/routerNat:RouterNat": _nat,
    "gcp:compute/subnetwork:Subnetwork": _subnetwork,
    "gcp:container/nodePool:NodePool": _node_pool,
    "gcp:storage/bucket:Bucket": _bucket,
}

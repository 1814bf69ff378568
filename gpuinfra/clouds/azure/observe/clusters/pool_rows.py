"""Node pools of Kubernetes clusters (AKS): machines that Azure starts for the cluster."""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.azure.machines import machine
from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.clusters import cluster_settings
from gpuinfra.clouds.azure.observe.clusters.cluster_items import (
    CONTROL,
    control_items,
    outbound_items,
    private_endpoint,
    routing_items,
    tier_of,
)
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch import locations
from gpuinfra.clouds.azure.observe.launch.node_pools import (
    beyond_scaling,
    cluster_of,
    count_faults,
    os_disk_faults,
    pod_faults,
    request_of,
)
from gpuinfra.clouds.azure.observe.machines.extra_machines import surge_of_pool
from gpuinfra.clouds.azure.observe.machines.groups import address_item, group_of
from gpuinfra.clouds.azure.observe.machines.machine_labels_and_scaling import (
    pool_with_labels_and_scaling,
)
from gpuinfra.clouds.azure.observe.machines.setting_faults import (
    eviction_faults_of,
    pool_spot_faults,
)
from gpuinfra.clouds.azure.observe.machines.start_places import of_pool
from gpuinfra.clouds.azure.observe.machines.startup_security import pool_boots
from gpuinfra.clouds.azure.observe.machines.surcharges import pool_surcharges
from gpuinfra.clouds.azure.observe.network import node_fabric
from gpuinfra.clouds.azure.observe.rights.identity import is_node_administrator
from gpuinfra.clouds.azure.observe.storage.disks import ObservedDisk, disk_items
from gpuinfra.clouds.azure.regions import REGIONS
from gpuinfra.clouds.observing.control_ports import EVERY, protocol_of
from gpuinfra.clouds.observing.fault_texts import all_faults, rule_faults, size_faults
from gpuinfra.clouds.observing.rows import surcharge_reasons
from gpuinfra.clouds.observing.values import (
    amount,
    any_of,
    as_list,
    at,
    flag,
    is_on,
    text,
    whole_number,
)
from gpuinfra.model import (
    UNKNOWN,
    GroupLifecycle,
    Item,
    Known,
    NotJudged,
    Resource,
    Rows,
    Safety,
    Unknown,
    Usage,
)
from gpuinfra.records import record

_NAMED_CPUS: Final = re.compile(r"Standard_[A-Z]+(?P<cpus>\d{1,4})(?:-\d+)?[a-z]*_v(?:[3-9]|\d\d)")
"""How sizes have named their vCPUs since version 3:
https://learn.microsoft.com/azure/virtual-machines/vm-naming-conventions"""

_NO_SYSTEM_NODE: Final = "a system pool with no node: AKS requires at least one"
"""https://learn.microsoft.com/azure/aks/use-system-pools (not re-read: unverified)"""

_OS_DISKS: Final = ((7, 128), (15, 256), (63, 512))
_LARGEST_OS_DISK: Final = 1024
"""GiB of an OS disk by the most vCPUs of the machine:
https://learn.microsoft.com/azure/aks/concepts-storage#default-os-disk-sizing (2026-11-26)"""


@record(kw_only=False)
class _Pool:
    """A node pool: its name, the resource that declares it, and its declaration."""

    name: str
    holder: Resource
    spec: Any


def pool_rows(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return the machines of a node pool that is a separate resource."""
    cluster = cluster_of(resource, index)
    return _rows(_Pool(resource.name, resource, resource.inputs), cluster, index, usage)


def cluster_rows(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return the machines of a cluster's own node pools, and its outbound path."""
    pools = [
        _rows(
            _Pool(_pool_name(resource, pool_index, spec), resource, spec), resource, index, usage
        )
        for pool_index, spec in enumerate(as_list(resource.inputs.get("agentPoolProfiles")))
    ]
    return Rows(
        groups=tuple(group for rows in pools for group in rows.groups),
        control_planes=(cluster_settings.control_plane(resource),),
        items=(
            *(item for rows in pools for item in rows.items),
            *outbound_items(resource, index),
            *control_items(resource, index),
            *private_endpoint(resource, index),
            *routing_items(resource, index),
        ),
        not_judged=(
            *(missing for rows in pools for missing in rows.not_judged),
            *_uncounted_costs(resource),
        ),
    )


def _rows(pool: _Pool, cluster: Resource | None, index: Index, usage: Usage) -> Rows:
    request = request_of(pool.spec)
    if request.trouble:
        return Rows(not_judged=(_machines_of(pool.holder, request.trouble),))
    group = group_of(pool.holder, request, index, usage, pool.name)
    zones = locations.zones_of(at(pool.spec, "availabilityZones"), group.rung.region)
    rung = replace(group.rung, zones=zones, reserve=_is_kept(pool, index))
    group = replace(
        group,
        rungs=(rung,),
        fabric=node_fabric.fabric_of(group, pool.spec, index),
        safety=_safety(pool.spec, cluster, group.rung.machine, index),
        faults=(
            *rule_faults("spot-settings", pool_spot_faults(pool.spec, request.machines)),
            *rule_faults("eviction-policy", _evictions(pool.spec)),
            *rule_faults("scaling-settings", _scaling_faults(pool.spec)),
            *rule_faults("launch-settings", REGIONS.unknown_zone_faults(zones, rung.region)),
            *rule_faults("disk-limits", os_disk_faults(pool.spec)),
            *rule_faults("launch-settings", of_pool(pool.holder, pool.spec, index)),
            *rule_faults("launch-settings", pod_faults(pool.spec)),
        ),
        lifecycle=GroupLifecycle(ends=False, surge=surge_of_pool(pool.spec, request.maximum)),
    )
    group = pool_with_labels_and_scaling(group, pool.holder, pool.spec, cluster)
    kind = _counted_as(pool.holder)
    surcharge_rows = (
        *pool_surcharges(pool.holder, kind, pool.spec, cluster),
        *surcharge_reasons(pool.holder, _settings(pool.spec), kind),
    )
    return Rows(groups=(group,), items=tuple(_items(pool)), not_judged=surcharge_rows)


def _is_kept(pool: _Pool, index: Index) -> bool:
    """Return whether the nodes surely run in a reservation of this stack."""
    if not index.of_kind(resource_types.RESERVATION):
        return False
    from gpuinfra.clouds.azure.observe.machines import reserved_machines  # noqa: PLC0415  (few stacks have any)

    return reserved_machines.is_pool_kept(pool.holder, pool.spec, index)


def _settings(spec: Any) -> Iterator[str]:
    return (setting.why for setting in cluster_settings.unpriced_pool_settings(spec))


def _evictions(spec: Any) -> tuple[str, ...] | Unknown:
    return eviction_faults_of(at(spec, "scaleSetPriority"), at(spec, "scaleSetEvictionPolicy"))


def _scaling_faults(spec: Any) -> tuple[str, ...] | Unknown:
    """Return the scaling settings of a pool that AKS refuses; a system pool has a node."""
    is_autoscaled = flag(at(spec, "enableAutoScaling")) not in {None, False}
    least = whole_number(at(spec, "minCount" if is_autoscaled else "count"))
    most = whole_number(at(spec, "maxCount" if is_autoscaled else "count"))
    scaling_faults = (
        *((_NO_SYSTEM_NODE,) if at(spec, "mode") == "System" and least == 0 else ()),
        *count_faults(most),
    )
    if not is_autoscaled:
        return scaling_faults
    return all_faults(size_faults(least, most), (*scaling_faults, *beyond_scaling(spec)))


def _safety(spec: Any, cluster: Resource | None, machine: str, index: Index) -> Safety:
    """Return a pool's security basics; Azure's own network security group opens little.

    https://learn.microsoft.com/azure/aks/concepts-network
    https://learn.microsoft.com/azure/aks/use-node-public-ips#allow-host-port-connections
    """
    return Safety(
        metadata_v2=True,
        disks_encrypted=True,
        public_ip=is_on(at(spec, "enableNodePublicIP")),
        open_login=_opens_login(at(spec, "networkProfile", "allowedHostPorts")),
        administrator=UNKNOWN if cluster is None else is_node_administrator(cluster, index),
        long_lived_key=False,
        hop_limit=None,
        secrets=(),  # Azure writes the nodes' script
        secure_boot=pool_boots(spec, machine),
    )


def _opens_login(ranges: Any) -> Known:
    """Return whether AKS lets the internet in to a login, control or data port of the nodes."""
    if isinstance(ranges, Unknown):
        return UNKNOWN
    return any_of(
        _holds_port(address_range, port) for address_range in as_list(ranges) for port in EVERY
    )


def _holds_port(ports: Any, port: int) -> Known:
    first, last = whole_number(at(ports, "portStart")), whole_number(at(ports, "portEnd"))
    protocol = text(at(ports, "protocol")) or "TCP"
    if isinstance(first, Unknown) or isinstance(last, Unknown) or isinstance(protocol, Unknown):
        return UNKNOWN
    is_in_range = (first or 1) <= port <= (65535 if last is None else last)
    return is_in_range and protocol.lower() == protocol_of(port)


def _items(pool: _Pool) -> Iterator[Item]:
    spec = pool.spec
    if at(spec, "osDiskType") != "Ephemeral":
        size = amount(at(spec, "osDiskSizeGB"))
        disk = ObservedDisk("OS disk", None, size or _default_size(at(spec, "vmSize")))
        yield from disk_items((disk,), pool.holder.urn, group=pool.name)
    if flag(at(spec, "enableNodePublicIP")) in {None, False}:
        return
    yield address_item(pool.holder.urn, pool.name, 1)


def _default_size(size: Any) -> Decimal:
    """Return the default GiB of a node's own disk, the largest for unknown machines.

    AKS takes a disk of the machine's own storage instead where that is large enough, which costs
    nothing; this is the most.
    """
    cpus = _vcpus(size) if isinstance(size, str) else None
    fits = (gib for most, gib in _OS_DISKS if cpus is not None and cpus <= most)
    return Decimal(next(fits, _LARGEST_OS_DISK))


def _vcpus(size: str) -> int | None:
    """Return the vCPUs of a machine: from the catalog, or from a newer size's name."""
    machine_type = machine(size)
    match = _NAMED_CPUS.fullmatch(size)
    return machine_type.vcpu if machine_type is not None else int(match["cpus"]) if match else None


def _pool_name(resource: Resource, pool_index: int, spec: Any) -> str:
    name = text(at(spec, "name"))
    return f"{resource.name}/{name if isinstance(name, str) else pool_index}"


def _uncounted_costs(resource: Resource) -> Iterator[NotJudged]:
    """Yield what is not counted: an unknown tier's price, and unpriced settings."""
    tier = tier_of(resource)
    unpriced = tuple(cluster_settings.unpriced_cluster_settings(resource))
    reasons = [setting.why for setting in unpriced if not setting.machines]
    if tier != "Free" and tier not in CONTROL:
        tier_reason = "not known yet" if isinstance(tier, Unknown) else tier
        reasons.insert(0, f"the hourly price of its control plane (tier {tier_reason}) is unknown")
    yield from surcharge_reasons(resource, reasons)
    machines = (setting.why for setting in unpriced if setting.machines)
    yield from surcharge_reasons(resource, machines, resource_types.POOL)


def _machines_of(holder: Resource, reason: str) -> NotJudged:
    """Return machines as uncounted ones of a pool, wherever they are declared.

    Who leaves the control plane of a cluster out of the caps leaves out none of its machines.
    """
    return NotJudged(subject=holder.urn, type=_counted_as(holder), reason=reason)


def _counted_as(holder: Resource) -> str:
    """Return the type of a pool: its own, or the pool type where a cluster declares it."""
    return (
        holder.type
        if resource_types.canonical(holder.type) == resource_types.POOL
        else resource_types.POOL
    )

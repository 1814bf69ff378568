"""The faults of a workload's network that AWS would refuse, found before anything is built."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gpuinfra.clouds.aws.address_blocks import cidr_fault
from gpuinfra.clouds.aws.fabric import uses_fabric
from gpuinfra.clouds.aws.interfaces import addresses, layout_fault, nic_layout
from gpuinfra.clouds.aws.network import (
    NETWORK,
    POOL_ZONES,
    is_closed,
    pool_room,
    pool_zones,
    training_room,
)
from gpuinfra.clouds.aws.regions import REGIONS
from gpuinfra.clouds.aws.registries import region_of
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.model import Machine, Rung
from gpuinfra.specs.schema import Inference, Stack, Training

if TYPE_CHECKING:
    from gpuinfra.specs.networks import NetworkSpec

_OPEN = "set nat: true"
_IMAGE = "set nat: true, or machine_image: to an image that has it"


def network_faults(
    workload: Training | Inference,
    kinds: Sequence[Machine],
    rungs: tuple[Rung, ...],
    network: "NetworkSpec | None",
) -> Iterator[KeyFault]:
    """Yield faults of regions, of numbers of subnets and zones, of addresses, and of the NAT."""
    if network is not None and network.vpc is not None:
        from gpuinfra.clouds.existing_networks import (  # noqa: PLC0415  few stacks name one
            existing_network_faults,
        )

        yield from existing_network_faults("aws", workload, rungs, network)
        return
    if network is not None:
        yield from _zones(workload, rungs, network)
    yield from _block(workload, kinds, rungs, network)
    if is_closed(network):
        yield from _downloads_without_outbound(workload, rungs)


def network_stack_faults(stack: Stack, workload: Training | Inference) -> tuple[KeyFault, ...]:
    """Return the conflicts of a workload's network with other keys of the stack file."""
    network = workload.network or stack.network
    if network is None or network.vpc is not None:
        return ()
    return tuple(
        dict.fromkeys(
            (
                *_named_zones(stack, workload, network),
                *(_outbound_faults(stack, workload) if is_closed(network) else ()),
            )
        )
    )


def network_notes(workload: Training | Inference, network: "NetworkSpec | None") -> Iterator[str]:
    """Yield the note on what an image must contain where machines can download nothing."""
    if is_closed(network) and workload.machine_image is not None:
        names = "".join(f"{tool}, " for tool in _installed_software_by_key(workload).values())
        yield (
            "the network has no outbound route, so machine_image must include "
            f"everything that machines need: {names}and the monitoring tools (the "
            "CloudWatch agent, the DCGM exporter's container); this is not checked"
        )


def _zones(
    workload: Training | Inference, rungs: Sequence[Rung], network: "NetworkSpec"
) -> Iterator[KeyFault]:
    """Yield faults of a number of zones: above the region's for a pool, any for training."""
    if isinstance(workload, Training):
        if network.zones is not None and workload.network is not None:
            yield KeyFault(
                key=("network", "zones"),
                value=str(network.zones),
                message="machines that train are in one zone, because the fabric is",
                fix="remove zones",
            )
        return
    for region in dict.fromkeys(rung.region for rung in rungs):
        try:
            pool_zones(region, (), network)
        except ValueError as error:
            yield KeyFault(
                key=("network", "zones"),
                value=str(spanned_zone_count(network)),
                message=str(error),
            )


def _named_zones(
    stack: Stack, workload: Training | Inference, network: "NetworkSpec"
) -> Iterator[KeyFault]:
    """Yield a pool's number of zones where it differs from the zones that `where` names."""
    where = workload.where or stack.where
    if isinstance(workload, Training) or network.zones is None:
        return
    for region in where.regions:
        zones = [zone for zone in where.zones if zone in REGIONS.zones(region)]
        if zones and len(zones) != network.zones:
            yield KeyFault(
                key=("network", "zones"),
                value=str(network.zones),
                message=f"where names the zones {', '.join(zones)} of {region} for the pool, "
                f"and the network spans {network.zones}",
                allowed=str(len(zones)),
                fix=f"set network.zones: {len(zones)}, or name {network.zones} zones under "
                "where.zones",
            )


def _block(
    workload: Training | Inference,
    kinds: Sequence[Machine],
    rungs: Sequence[Rung],
    network: "NetworkSpec | None",
) -> Iterator[KeyFault]:
    """Yield faults of the address block: not private, or too small for the machines."""
    cidr = None if network is None else network.cidr
    allowed = "a private block of /16 to /22, for example 10.0.0.0/16"
    fault = "" if cidr is None else cidr_fault(cidr)
    if cidr is not None and fault:
        yield KeyFault(
            key=("network", "cidr"),
            value=cidr,
            message=f"the network's block {fault}",
            allowed=allowed,
        )
        return
    if isinstance(workload, Inference):
        count = workload.replicas.maximum or workload.replicas.minimum
        needed_addresses, key = count, "replicas"
        zones = min(
            (spanned_zone_count(network, [rung]) for rung in rungs),
            default=spanned_zone_count(network),
        )
        most_machines = pool_room(network, zones, balanced=workload.scale_on.queue is None)
    else:
        count = workload.nodes
        needed_addresses, key = _addresses(workload, kinds), "nodes"
        most_machines = training_room(network)
    if needed_addresses > most_machines:
        yield KeyFault(
            key=(key,) if cidr is None else ("network", "cidr"),
            value=str(count) if cidr is None else cidr,
            message=f"the network's block {cidr or NETWORK} has {most_machines:,} addresses for "
            f"machines, after its other resources, and {count:,} machines need "
            f"{needed_addresses:,}",
            allowed=f"up to {most_machines:,} addresses" if cidr is None else allowed,
            fix="use fewer machines" if cidr is None else "set a larger block, or none",
        )


def _addresses(workload: Training, kinds: Sequence[Machine]) -> int:
    """Return the most addresses that the machines take of one subnet, on any rung."""
    layouts = [
        nic_layout(kind, fabric=True, layout=workload.efa_layout)
        for kind in kinds
        if uses_fabric(kind, workload.nodes, workload.fabric)
        and not layout_fault(kind, workload.efa_layout)
    ]
    return workload.nodes * max((addresses(nics) for nics in layouts), default=1)


def _downloads_without_outbound(
    workload: Training | Inference, rungs: Sequence[Rung]
) -> Iterator[KeyFault]:
    """Yield downloads at start-up, of containers and packages, without outbound access."""
    for region in dict.fromkeys(rung.region for rung in rungs):
        if isinstance(workload, Inference) and region_of(workload.image) != region:
            yield _nat(
                f"the network has no outbound route, and {workload.image} is not in ECR of "
                f"{region}",
                f"{_OPEN}, or push the container to ECR of {region}",
            )
    if workload.machine_image is None and (
        software_by_key := _installed_software_by_key(workload)
    ):
        yield _nat(
            ("the network has no outbound route, and machines download from the internet ")
            + ", ".join(
                f"{download_kind} ({purpose})"
                for download_kind, purpose in software_by_key.items()
            ),
            _IMAGE,
        )


def _outbound_faults(stack: Stack, workload: Training | Inference) -> Iterator[KeyFault]:
    """Yield keys of the stack file that require outbound access, in a network without it."""
    watched = stack.monitoring
    if watched is not None and watched.prometheus and workload.machine_image is None:
        yield _nat(
            "the network has no outbound route, and machines download from the "
            "internet the DCGM exporter's container for monitoring.prometheus",
            _IMAGE,
        )
    named_regions, used = _named_regions(stack, workload), used_regions(stack, workload)
    for name in _mounted_bucket_names(workload):
        bucket = stack.buckets.get(name)
        bucket_region = (
            None if bucket is None else bucket.region or next(iter(named_regions), None)
        )
        other_regions = [
            region for region in used if bucket_region is not None and region != bucket_region
        ]
        if other_regions:
            yield _nat(
                "the network has no outbound route, and its S3 gateway endpoint "
                f"reaches only buckets of its own region: {name} is in {bucket_region}, and "
                f"machines may be in {', '.join(other_regions)}",
                f"{_OPEN}, or keep the bucket and the machines in one region",
            )


def used_regions(stack: Stack, workload: Training | Inference) -> tuple[str, ...]:
    """Return the regions that a workload's machines may be in, by the stack file."""
    steps = workload.capacity if isinstance(workload, Training) else ()
    named_regions = _named_regions(stack, workload)
    return tuple(dict.fromkeys([*named_regions, *(step.region for step in steps if step.region)]))


def _named_regions(stack: Stack, workload: Training | Inference) -> list[str]:
    return [
        region for region in (workload.where or stack.where).regions if region in REGIONS.all()
    ]


def _mounted_bucket_names(workload: Training | Inference) -> Iterator[str]:
    """Yield the buckets that machines mount."""
    yield from dict.fromkeys(mount.bucket for mount in workload.data)
    if isinstance(workload, Training) and workload.checkpoints is not None:
        yield workload.checkpoints.bucket


def _installed_software_by_key(workload: Training | Inference) -> dict[str, str]:
    """Return the software that start-up installs, by the key that needs it."""
    tools = {"data": "mount-s3"} if workload.data else {}
    if isinstance(workload, Training) and workload.checkpoints is not None:
        tools["checkpoints"] = "mount-s3"
    if isinstance(workload, Training) and workload.shared_storage is not None:
        tools["shared_storage"] = "the Lustre client"
    return tools


def _nat(message: str, fix: str) -> KeyFault:
    return KeyFault(key=("network", "nat"), value="false", message=message, fix=fix)


def spanned_zone_count(spec: "NetworkSpec | None", rungs: Sequence[Rung] = ()) -> int:
    """Return the largest number of zones that a pool's own network spans on any rung.

    What the region does not have is refused apart, and counts as it is asked for here.
    """
    zones = POOL_ZONES if spec is None or spec.zones is None else spec.zones
    return max([zones, *(_pool_zone_count(rung, spec) for rung in rungs)])


def _pool_zone_count(rung: Rung, spec: "NetworkSpec | None") -> int:
    try:
        return len(pool_zones(rung.region, rung.zones, spec))
    except ValueError:
        return 0

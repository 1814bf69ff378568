"""The faults of an existing network that a stack file names, as far as its ids tell them."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.model import Rung
from gpuinfra.specs.networks import NETWORK_IDS, NetworkSpec
from gpuinfra.specs.schema import Inference, Training
from gpuinfra.units import format_count

_OWN: Final = "give the workload its own network"


def network_faults(
    cloud: str,
    workload: Training | Inference,
    rungs: Sequence[Rung],
    network: NetworkSpec,
) -> Iterator[KeyFault]:
    """Yield the faults of `network` on a cloud that creates none by its settings.

    A pool's callers are the addresses of its network, which only the stack file states there.
    """
    if network.vpc is not None:
        yield from existing_network_faults(cloud, workload, rungs, network)
        if network.cidr is None and isinstance(workload, Inference):
            yield KeyFault(
                key=("network", "vpc"),
                value=network.vpc,
                message="network has no cidr, so the pool's callers are unknown",
                allowed="the callers' address range, for example cidr: 10.0.0.0/16",
                fix="add cidr to network",
            )
    elif network.cidr is not None:
        yield KeyFault(
            key=("network", "cidr"),
            value=network.cidr,
            message=f"on {cloud} the range of a network that is created can't be set",
            allowed="cidr beside vpc and subnets, of an existing network",
            fix="remove cidr, or add vpc and subnets",
        )


def existing_network_faults(
    cloud: str, workload: Training | Inference, rungs: Sequence[Rung], network: NetworkSpec
) -> Iterator[KeyFault]:
    """Yield faults of ids, of the number of subnets, and of rungs in other regions."""
    ids = NETWORK_IDS[cloud]
    if re.fullmatch(ids.network, str(network.vpc)) is None:
        yield _foreign(cloud, "vpc", str(network.vpc), ids.network_example)
        return
    subnet_ids = network.subnets or ()
    for subnet_id in subnet_ids:
        if re.fullmatch(ids.subnet, subnet_id) is None:
            yield _foreign(cloud, "subnets", subnet_id, ids.subnet_example)
            return
        if ids.is_subnet_below_network and not subnet_id.startswith(f"{network.vpc}/"):
            yield KeyFault(
                key=("network", "subnets"),
                value=subnet_id,
                message=f"the subnet is not in the network {network.vpc}",
                allowed=f"{network.vpc}/subnets/NAME",
            )
    yield from _count(cloud, workload, subnet_ids)
    yield from _regions(rungs, network)


def _foreign(cloud: str, key: str, value: str, example: str) -> KeyFault:
    return KeyFault(
        key=("network", key),
        value=value,
        message=f"network.{key} is no id of {cloud}",
        allowed=f"for example {example}",
        fix=f"write the id as {cloud} has it, or change where.cloud",
    )


def _count(
    cloud: str, workload: Training | Inference, subnet_ids: Sequence[str]
) -> Iterator[KeyFault]:
    """Yield a wrong number of subnets."""
    is_pool = isinstance(workload, Inference)
    takes_several = is_pool and NETWORK_IDS[cloud].is_subnet_in_one_zone
    if (len(subnet_ids) > 1) is takes_several:
        return
    number = "one" if is_pool else "one: the fabric is in one zone"
    yield KeyFault(
        key=("network", "subnets"),
        value=", ".join(subnet_ids),
        message=f"network.subnets has {format_count(len(subnet_ids), 'subnet')}",
        allowed="two or more, in different zones" if takes_several else number,
        fix=_OWN,
    )


def _regions(rungs: Sequence[Rung], network: NetworkSpec) -> Iterator[KeyFault]:
    """Yield rungs in several regions, or in another than the ids of subnets state."""
    used = tuple(dict.fromkeys(rung.region for rung in rungs))
    if len(used) > 1:
        yield KeyFault(
            key=("network", "vpc"),
            value=str(network.vpc),
            message=f"a network is in one region, and the workload may be in {', '.join(used)}",
            allowed="rungs of one region",
            fix=f"keep only the region of the network, or {_OWN}",
        )
        return
    for subnet_id in network.subnets or ():
        stated = re.search(r"/regions/([^/]+)/", subnet_id)
        if stated is not None and used and stated[1] not in used:
            yield KeyFault(
                key=("network", "subnets"),
                value=subnet_id,
                message=f"the subnet is in {stated[1]}, and the workload in {used[0]}",
                allowed=f"a subnet in {used[0]}",
                fix=f"name a subnet there, or write where: {{regions: [{stated[1]}]}}",
            )

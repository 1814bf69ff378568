"""Where a component's machines stand: in the caller's own network, or in one that is declared."""

from collections.abc import Sequence
from typing import Any

from gpuinfra.clouds.declaring.inputs import CallersNetwork
from gpuinfra.errors import InputError, Problem
from gpuinfra.records import record


@record
class Place:
    """Where machines stand, as values of the graph.

    `ready` are the keys of what has to stand before a machine starts and until it is gone.
    """

    vpc_id: Any
    subnet_ids: Sequence[Any]
    cidr_block: Any = None
    ready: Sequence[str] = ()


def take_callers(name: str, network: CallersNetwork, *, subnets: str, accepted: bool) -> Place:
    """The caller's own network, as it is.

    Args:
        name: of the component, for the message.
        network: theirs.
        subnets: how many subnets are needed, in words.
        accepted: whether that many are there.

    Raises:
        InputError: the number of subnets does not fit.
    """
    if not accepted:
        problem = Problem(
            message=f"{name}: the network has {len(network.subnet_ids)} subnets",
            path=(name, "network", "subnet_ids"),
            value=str(len(network.subnet_ids)),
            allowed=subnets,
        )
        raise InputError([problem])
    return Place(
        vpc_id=network.vpc_id, subnet_ids=network.subnet_ids, cidr_block=network.cidr_block
    )


def clients_of(name: str, cidr_block: Any) -> Any:
    """The addresses that may call a pool: those of its network, as far as they are known.

    Raises:
        InputError: the caller's network does not say who may call.
    """
    if cidr_block is not None:
        return cidr_block
    problem = Problem(
        message=f"{name}: the network's cidr_block is missing, so the pool's callers are unknown",
        path=(name, "network", "cidr_block"),
        allowed="the callers' address range, for example 10.0.0.0/16",
        fix="pass cidr_block to Network",
    )
    raise InputError([problem])

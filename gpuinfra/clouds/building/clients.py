"""Who may call a pool."""

import pulumi

from gpuinfra.clouds.building.network import Place
from gpuinfra.errors import InputError, Problem


def clients_of(name: str, place: Place) -> pulumi.Input[str]:
    """The addresses of a pool's callers.

    Raises:
        InputError: the caller's network does not say who may call.
    """
    if place.cidr_block is not None:
        return place.cidr_block
    problem = Problem(
        message=f"{name}: the network does not say who may call the pool",
        path=(name, "network", "cidr_block"),
        allowed="the addresses of its callers, such as 10.0.0.0/16",
        fix="pass cidr_block to Network",
    )
    raise InputError([problem])

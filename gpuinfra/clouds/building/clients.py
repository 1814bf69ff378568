"""Who may call a pool."""

import pulumi

from gpuinfra.errors import InputError, Problem


def clients_of(name: str, cidr_block: pulumi.Input[str] | None) -> pulumi.Input[str]:
    """The addresses of a pool's callers: those of its network, as far as they are known.

    Raises:
        InputError: the caller's network does not say who may call.
    """
    if cidr_block is not None:
        return cidr_block
    problem = Problem(
        message=f"{name}: the network does not say who may call the pool",
        path=(name, "network", "cidr_block"),
        allowed="the addresses of its callers, such as 10.0.0.0/16",
        fix="pass cidr_block to Network",
    )
    raise InputError([problem])

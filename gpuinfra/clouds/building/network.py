"""The caller's own network, and where machines stand in it or in one of ours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import pulumi

from gpuinfra.errors import InputError, Problem


class CallersNetwork(Protocol):
    """What the caller says of a network of their own; run-time values."""

    @property
    def vpc_id(self) -> pulumi.Input[str]:
        """The VPC."""

    @property
    def subnet_ids(self) -> Sequence[pulumi.Input[str]]:
        """The subnets where machines stand; they need a way to S3 and to the internet."""

    @property
    def cidr_block(self) -> pulumi.Input[str] | None:
        """The addresses that may call a pool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where machines stand: run-time values. `ready` has to be there before a machine starts."""

    vpc_id: pulumi.Input[str]
    subnet_ids: Sequence[pulumi.Input[str]]
    cidr_block: pulumi.Input[str] | None
    ready: Sequence[pulumi.Resource] = ()


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

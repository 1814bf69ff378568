"""The location of a component's machines: the caller's network, or a declared one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from gpuinfra.clouds.declaring.inputs import CallersNetwork, RuntimeInputs
from gpuinfra.errors import InputError
from gpuinfra.graph import Expression, ResourceGraph, RuntimeInput, compute, item
from gpuinfra.model import Group
from gpuinfra.records import record
from gpuinfra.units import format_count

if TYPE_CHECKING:
    from gpuinfra.clouds.build_spec import BuildSpec
    from gpuinfra.specs.schema import Inference, Training

SUBNETS: Final = "network.subnet_ids"
"""The run-time name of a network's subnets; each has its number behind it."""


@record
class NetworkMember:
    """A workload that shares a network: its machines and its part of the stack file."""

    group: Group
    work: "Training | Inference"


@record
class NetworkPlace:
    """The network location of machines, as values of the graph.

    `subnet_ids` is a list, or a value of the graph that is one. `start_after` are the keys of what
    has to exist before a machine starts and until it is deleted.
    """

    vpc_id: Any
    subnet_ids: Any
    cidr_block: Any = None
    start_after: Sequence[str] = ()

    @property
    def runtime_names(self) -> Mapping[str, Any]:
        """The values by the names under which a component's graph requests them."""
        subnets = {f"{SUBNETS}.{index}": subnet for index, subnet in enumerate(self.subnet_ids)}
        return {"network.vpc_id": self.vpc_id, **subnets}

    def to_inputs(self) -> CallersNetwork:
        """Return the network as run-time inputs of a component."""
        return CallersNetwork(
            vpc_id=RuntimeInput("network.vpc_id"),
            subnet_ids=[
                RuntimeInput(f"{SUBNETS}.{index}") for index in range(len(self.subnet_ids))
            ],
            cidr_block=self.cidr_block,
        )

    @property
    def first_subnet(self) -> Any:
        """The subnet of a workload that is in one."""
        ids = self.subnet_ids
        return item(ids, 0) if isinstance(ids, Expression) else ids[0]


def no_shared_network(
    spec: "BuildSpec",  # noqa: ARG001
    members: Mapping[str, NetworkMember],  # noqa: ARG001
    graph: ResourceGraph,  # noqa: ARG001
) -> Mapping[str, NetworkPlace]:
    """Declare nothing: planning has refused `network` in such a cloud."""
    return {}


def with_named_network(spec: "BuildSpec", inputs: RuntimeInputs) -> RuntimeInputs:
    """Return the inputs with the network that the stack file names, unless one is given."""
    named = spec.network
    if inputs.network is not None or named is None or named.vpc is None:
        return inputs
    network = CallersNetwork(
        vpc_id=named.vpc, subnet_ids=list(named.subnets or ()), cidr_block=named.cidr
    )
    return replace(inputs, network=network)


def take_callers(
    name: str, network: CallersNetwork, *, subnets: str, accepts_count: Callable[[int], bool]
) -> NetworkPlace:
    """Return the caller's own network, unchanged.

    Args:
        name: of the component, for the message.
        network: theirs.
        subnets: how many subnets are needed, in words.
        accepts_count: whether so many are enough, and not too many.

    Raises:
        InputError: the number of subnets does not fit; at run time where it is known only then.
    """
    count = partial(_checked_subnet_ids, name, subnets, accepts_count)
    is_known_later = isinstance(network.subnet_ids, Expression)
    subnet_ids = (
        compute(count, network.subnet_ids) if is_known_later else count(network.subnet_ids)
    )
    return NetworkPlace(
        vpc_id=network.vpc_id, subnet_ids=subnet_ids, cidr_block=network.cidr_block
    )


def _checked_subnet_ids(
    name: str, subnets: str, accepts_count: Callable[[int], bool], ids: Sequence[Any]
) -> Sequence[Any]:
    if accepts_count(len(ids)):
        return ids
    raise InputError.of(
        f"{name}: the network has {format_count(len(ids), 'subnet')}",
        path=(name, "network", "subnet_ids"),
        value=str(len(ids)),
        allowed=subnets,
    )


def clients_of(name: str, cidr_block: Any) -> Any:
    """Return the addresses that may call a pool: those of its network, if they are known.

    Raises:
        InputError: the caller's network does not say who may call.
    """
    if cidr_block is not None:
        return cidr_block
    raise InputError.of(
        f"{name}: the network's cidr_block is missing, so the pool's callers are unknown",
        path=(name, "network", "cidr_block"),
        allowed="the callers' address range, for example 10.0.0.0/16",
        fix="pass cidr_block to Network",
    )

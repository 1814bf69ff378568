"""The requests of groups: what an instance, a scaling group, a fleet or a node group asks for."""

from collections.abc import Callable
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.launch_options import GroupRequest
from gpuinfra.lazy import LazyTable
from gpuinfra.model import Resource

_REQUEST_READERS: Final = LazyTable[Callable[[Resource, Index], GroupRequest]](
    "gpuinfra.clouds.aws.observe.launch",
    {
        resource_types.INSTANCE: "launch_options:single_machine_request",
        resource_types.GROUP: "launch_options:scaling_group_request",
        resource_types.FLEET: "fleet_options:fleet_request",
        resource_types.NODE_GROUP: "launch_options:node_group_request",
        resource_types.SPOT_REQUEST: "launch_options:spot_instance_request",
        resource_types.SPOT_FLEET: "fleet_options:spot_fleet_request",
    },
)


def group_request_of(resource: Resource, index: Index) -> GroupRequest:
    """Return the request of an instance, a scaling group, a fleet or a node group."""
    read = _REQUEST_READERS[resource_types.canonical(resource.type)]
    return index.memo_of("asked", (resource,), lambda: read(resource, index))

"""The requests of groups: what an instance, a scaling group, a fleet or a node group asks for."""

from collections.abc import Callable
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.launch_options import (
    GroupRequest,
    node_group_request,
    scaling_group_request,
    single_machine_request,
    spot_instance_request,
)
from gpuinfra.model import Resource


def _fleet_request(resource: Resource, index: Index) -> GroupRequest:
    from gpuinfra.clouds.aws.observe.launch import fleet_options  # noqa: PLC0415  (few have any)

    return fleet_options.fleet_request(resource, index)


def _spot_fleet_request(resource: Resource, index: Index) -> GroupRequest:
    from gpuinfra.clouds.aws.observe.launch import fleet_options  # noqa: PLC0415  (few have any)

    return fleet_options.spot_fleet_request(resource, index)


_REQUEST_READERS: Final[dict[str, Callable[[Resource, Index], GroupRequest]]] = {
    resource_types.INSTANCE: single_machine_request,
    resource_types.GROUP: scaling_group_request,
    resource_types.FLEET: _fleet_request,
    resource_types.NODE_GROUP: node_group_request,
    resource_types.SPOT_REQUEST: spot_instance_request,
    resource_types.SPOT_FLEET: _spot_fleet_request,
}


def group_request_of(resource: Resource, index: Index) -> GroupRequest:
    """Return the request of an instance, a scaling group, a fleet or a node group."""
    read = _REQUEST_READERS[resource_types.canonical(resource.type)]
    return index.memo_of("asked", (resource,), lambda: read(resource, index))

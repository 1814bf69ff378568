"""The interruption behavior of spot machines, and where AWS does not support it."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.network.fabric import placement_of
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import Resource, Unknown

_PERSISTENT_BEHAVIORS: Final = frozenset({"stop", "hibernate"})
"""What needs a request that lasts, and a machine that may come back elsewhere:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/interruption-behavior.html"""


class _Interruption(NamedTuple):
    """An interruption behavior, and the property that states it."""

    behavior: Any
    key: str


class _Request(NamedTuple):
    """The property that makes a request persistent, its value, and the persistent value."""

    key: str
    declared: Any
    lasting: str


def interruption_faults(
    resource: Resource, launches: Iterable[LaunchSources], index: Index
) -> Iterator[str]:
    """Yield what keeps machines from stopping or hibernating as requested."""
    kind = resource_types.canonical(resource.type)
    for launch in launches:
        spot = at(launch.get("instanceMarketOptions"), "spotOptions")
        interruption, request = _interruption_and_request(kind, resource, spot)
        if interruption.behavior not in _PERSISTENT_BEHAVIORS:
            continue
        if in_placement_group(resource, launch, index):
            yield (
                f"a spot machine set to {interruption.behavior} is in a placement group, where "
                f"it can only terminate: set {interruption.key} to terminate"
            )
        elif request is None:
            yield (
                f"a spot machine set to {interruption.behavior} is started by Auto Scaling, "
                f"which requests each machine only once: set {interruption.key} to terminate"
            )
        elif not isinstance(request.declared, Unknown) and request.declared != request.lasting:
            yield (
                f"a spot machine set to {interruption.behavior} needs a persistent request: set "
                f"{request.key} to {request.lasting}, or {interruption.key} to terminate"
            )


def is_to(behavior: str, resource: Resource, launch: LaunchSources) -> str | None:
    """Return the property that requests an interruption behavior; None where none does."""
    spot = at(launch.get("instanceMarketOptions"), "spotOptions")
    interruption, _ = _interruption_and_request(
        resource_types.canonical(resource.type), resource, spot
    )
    return interruption.key if interruption.behavior == behavior else None


def _interruption_and_request(
    kind: str, resource: Resource, spot: Any
) -> tuple[_Interruption, _Request | None]:
    """Return the interruption behavior, and the request's persistence; None where it has none."""
    inputs, shared = resource.inputs, at(spot, "instanceInterruptionBehavior")
    interruption = _Interruption(shared, "instance_interruption_behavior")
    if kind == resource_types.SPOT_REQUEST:
        own_interruption = _Interruption(
            inputs.get("instanceInterruptionBehavior"), "instance_interruption_behavior"
        )
        return own_interruption, _Request(
            "spot_type", inputs.get("spotType") or "persistent", "persistent"
        )
    if kind == resource_types.SPOT_FLEET:
        own_interruption = _Interruption(
            inputs.get("instanceInterruptionBehaviour"), "instance_interruption_behaviour"
        )
        return own_interruption, _Request(
            "fleet_type", inputs.get("fleetType") or "maintain", "maintain"
        )
    if kind == resource_types.FLEET:
        stated = at(inputs.get("spotOptions"), "instanceInterruptionBehavior")
        own_interruption = (
            interruption if stated is None else interruption._replace(behavior=stated)
        )
        return own_interruption, _Request("type", inputs.get("type") or "maintain", "maintain")
    if kind == resource_types.INSTANCE:
        stated = at(spot, "spotInstanceType") or "one-time"
        return interruption, _Request("spot_instance_type", stated, "persistent")
    return interruption, None


def in_placement_group(resource: Resource, launch: LaunchSources, index: Index) -> bool:
    """Return whether the machines are surely in a placement group, of any strategy."""
    placement_names = [resource.inputs.get(key) for key in ("placementGroup", "placementGroupId")]
    placement_names += [launch.get(key) for key in ("placementGroup", "placementGroupId")]
    placement = launch.get("placement")
    if isinstance(placement, Unknown):
        return False
    placement_names += [at(placement, key) for key in ("groupName", "groupId")]
    return any(placement_names) and placement_of(resource, launch, index) is not None

"""Standalone network interfaces, and the resources attached to those of a machine."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import UNKNOWN, Resource

_OWNER: Final = "gpuinfra:interface"
"""Where an interface of a launch keeps the resource that it is."""
_INTERFACE_ID_KEY: Final = "networkInterfaceId"
_MACHINES: Final = (resource_types.INSTANCE, resource_types.SPOT_REQUEST)
_INTERFACE_INPUTS: Final = ("networkInterfaces", "primaryNetworkInterface")
_RENAMED_INPUTS: Final = {"privateIps": "ipv4Addresses"}
"""What an interface says in other words than a launch does."""

Hung = tuple[Mapping[str, Sequence[Resource]], bool]
"""Resources by the URN of what they hang on, and whether it is known of all of them."""


def resolve_interfaces(layer: Resource, prop: str, nics: Sequence[Any], index: Index) -> Any:
    """Return the interfaces of a launch, existing ones with their resources' inputs.

    UNKNOWN where one is not in this stack, or where it is not known yet which of several is which.
    """
    interface_ids = [nic_id for nic in nics if (nic_id := at(nic, _INTERFACE_ID_KEY)) is not None]
    if not interface_ids:
        return tuple(nics)
    targets = index.targets(layer, prop, resource_types.INTERFACE, interface_ids)
    types = {repr(target.inputs.get("interfaceType")) for target in targets.certain}
    has_unknowns = UNKNOWN in (*nics, *(interface_ids if len(types) > 1 else ()))
    if has_unknowns or not targets.exact or len(targets.certain) != len(interface_ids):
        return UNKNOWN
    owners = iter(targets.certain)
    return tuple(
        nic if at(nic, _INTERFACE_ID_KEY) is None else _with_resource_inputs(nic, next(owners))
        for nic in nics
    )


def _with_resource_inputs(nic: Mapping[str, Any], interface_resource: Resource) -> dict[str, Any]:
    """Return an existing interface with its resource's inputs; it gets no public address itself.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html
    """
    settings = {
        _RENAMED_INPUTS.get(key, key): value for key, value in interface_resource.inputs.items()
    }
    return {**settings, **nic, "associatePublicIpAddress": False, _OWNER: interface_resource}


def owner_of(nic: Any) -> Resource | None:
    """Return the resource of a standalone interface."""
    resource = None if nic is None else at(nic, _OWNER)
    return resource if isinstance(resource, Resource) else None


def declared_of(machine: Resource, index: Index) -> Iterator[Resource]:
    """Yield the interfaces in this stack that a machine names itself."""
    for prop in _INTERFACE_INPUTS:
        interface_ids = [at(nic, _INTERFACE_ID_KEY) for nic in as_list(machine.inputs.get(prop))]
        ids = [nic_id for nic_id in interface_ids if nic_id is not None]
        yield from (
            index.targets(machine, prop, resource_types.INTERFACE, ids).certain if ids else ()
        )


def attached_of(machine: Resource, index: Index) -> Iterator[Resource]:
    """Yield the interfaces that are attached to a machine later."""
    if resource_types.canonical(machine.type) not in _MACHINES:
        return
    by_itself, _ = _attached_by_machine(
        index, resource_types.INTERFACE, _own_attachments, "attachments"
    )
    yield from by_itself.get(machine.urn, ())
    key = "instanceId"
    attachment_interfaces, _ = _attached_by_machine(
        index, resource_types.INTERFACE_ATTACHMENT, lambda resource: resource.inputs.get(key), key
    )
    for attachment in attachment_interfaces.get(machine.urn, ()):
        yield from index.targets(attachment, _INTERFACE_ID_KEY, resource_types.INTERFACE).certain


def attached_to_interfaces(machine: Resource, index: Index, kind: str, prop: str) -> Targets:
    """Return the resources of a kind that are attached to an interface of a machine."""
    if not index.of_kind(kind) or resource_types.canonical(machine.type) not in _MACHINES:
        return Targets()
    by_urn, complete = _attached_by_machine(
        index, kind, lambda resource: resource.inputs.get(prop), prop
    )
    owners = (*declared_of(machine, index), *attached_of(machine, index))
    urns = dict.fromkeys((machine.urn, *(owner.urn for owner in owners)))
    return Targets(
        tuple(resource for urn in urns for resource in by_urn.get(urn, ())), (), complete
    )


def _own_attachments(interface: Resource) -> Any:
    return [
        at(attachment, "instance") for attachment in as_list(interface.inputs.get("attachments"))
    ] or None


def _attached_by_machine(
    index: Index, kind: str, read: Callable[[Resource], Any], prop: str
) -> Hung:
    return index.memo(("hung", kind, prop), lambda: _collect(index, kind, read, prop))


def _collect(index: Index, kind: str, read: Callable[[Resource], Any], prop: str) -> Hung:
    by_urn: dict[str, list[Resource]] = {}
    complete = True
    for resource in index.of_kind(kind):
        value = read(resource)
        if value is None:
            continue
        targets = [
            index.targets(resource, prop, target_kind, value)
            for target_kind in (*_MACHINES, resource_types.INTERFACE)
        ]
        urns = [target_kind.urn for target in targets for target_kind in target.certain]
        for urn in urns:
            by_urn.setdefault(urn, []).append(resource)
        has_unknowns = UNKNOWN in as_list(value)
        complete = complete and (bool(urns) or not has_unknowns)
    return by_urn, complete

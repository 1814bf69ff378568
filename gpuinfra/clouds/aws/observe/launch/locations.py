"""The region and the zones of a resource, from its own inputs or its subnets'."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import standalone_interfaces
from gpuinfra.clouds.aws.observe.launch.launch_settings import interfaces_of
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import as_list, at, text
from gpuinfra.model import NOWHERE, UNKNOWN, Known, Resource, Unknown

_REGION = re.compile(r"[a-z]{2}(?:-[a-z]+)+-\d+")
_REGION_OR_ZONE = re.compile(r"[a-z]{2}(?:-[a-z]+)+-\d+(?:[a-z])?|[a-z]+\d+-az\d+|.*\$\{.*")
"""A region, or a zone of one by its name (us-east-1a) or its id (use1-az1), or an unwritten text:
https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-availability-zones.html"""
_ZONE_ID = r"[a-z]+\d+(?:-[a-z0-9]+)*-az\d+"
_LOCAL_OR_WAVELENGTH_ZONE = (
    r"([a-z]{2}(?:-[a-z]+)+-\d+-[a-z0-9-]*\d)[a-z]?|[a-z]+\d+-[a-z0-9-]+-az\d+"
)
"""A local or Wavelength Zone, by its name (us-east-1-atl-1a) or its id (use1-atl1-az1), whose
machines have prices of their own:
https://docs.aws.amazon.com/local-zones/latest/ug/concepts-local-zones.html
https://aws.amazon.com/about-aws/global-infrastructure/localzones/pricing/"""
_MOST_ZONES: Final = 6
"""No region names more zones (us-east-1 has a to f)."""

_FLEETS: Final = "launchTemplateConfigs"
_SUBNET_INPUTS: Final = ("vpcZoneIdentifiers", "subnetIds", "subnets", "subnetId")


def region_of(resource: Resource, index: Index, launches: Iterable[LaunchSources] = ()) -> str:
    """Return the region of a resource; NOWHERE if no input states it.

    A resource in a local zone is outside of its region, whose prices don't apply. `launches` are
    those of machines, whose templates may name the zone.
    """
    zone = next(_zones_apart(resource, index, launches), None)
    if zone is not None:
        return zone
    texts = (value for value in _tells_region(resource, index) if isinstance(value, str))
    return next((match.group() for match in map(_REGION.match, texts) if match), NOWHERE)


def same_region(resource: Resource, other: Resource, index: Index) -> Known:
    """Return whether another resource is in the region of a resource, local zones included."""
    region, other_region = region_of(resource, index), region_of(other, index)
    if region == other_region or other_region.startswith(f"{region}-"):
        return True
    return UNKNOWN if NOWHERE in {region, other_region} else False


def _tells_region(resource: Resource, index: Index) -> Iterator[Any]:
    """Yield texts that may begin with the name of a resource's region, the surest first."""
    yield resource.inputs.get("region")
    yield resource.region
    yield resource.outputs.get("region")
    yield from _zone_values(resource)
    subnets = subnets_of(resource, index).certain
    yield from (zone for subnet in subnets for zone in _zone_values(subnet))
    yield from (subnet.region for subnet in subnets)
    yield _arn_region(resource.outputs.get("arn"))


def _zones_apart(
    resource: Resource, index: Index, launches: Iterable[LaunchSources]
) -> Iterator[str]:
    """Yield the zones of a resource that are not part of a region, for example local zones.

    So is a text that is no name of a zone: which prices apply there is not known.
    """
    zones = [*_zone_values(resource), *_zones_of_overrides(resource)]
    subnets = [subnets_of(resource, index)]
    for launch in launches:
        zones.append(at(launch.stating_layer_and_value("placement")[1], "availabilityZone"))
        subnets.append(subnets_of_machine(resource, launch, index))
    for targets in subnets:
        for subnet in (*targets.certain, *targets.possible):
            zones += [*_zone_values(subnet), *_zone_ids(subnet)]
    for zone in filter(None, zones):
        if not isinstance(zone, str) or _REGION_OR_ZONE.fullmatch(zone):
            continue
        match = re.fullmatch(_LOCAL_OR_WAVELENGTH_ZONE, zone)
        yield (match.group(1) if match else None) or zone


def zone_ids_of(resource: Resource, launch: LaunchSources, index: Index) -> tuple[str, ...]:
    """Return the ids of the zones that the subnets of a machine are in, sorted."""
    subnets = subnets_of_machine(resource, launch, index).certain
    ids = (text(zone_id) for subnet in subnets for zone_id in _zone_ids(subnet))
    return tuple(sorted({zone_id for zone_id in ids if isinstance(zone_id, str)}))


def subnet_keys(resource: Resource, launch: LaunchSources, index: Index) -> tuple[str, ...]:
    """Return the URNs of the subnets of a machine, or the ids of those of elsewhere, sorted."""
    subnets = subnets_of_machine(resource, launch, index)
    subnet_values = as_list(_subnet_input(resource)[1]) or _interface_subnets(launch, index)
    ids = [] if subnets.certain else [text(subnet_value) for subnet_value in subnet_values]
    keys = (*(subnet.urn for subnet in subnets.certain), *ids)
    return tuple(sorted({key for key in keys if isinstance(key, str)}))


def _zone_ids(subnet: Resource) -> Iterator[Any]:
    yield subnet.inputs.get("availabilityZoneId")
    yield subnet.outputs.get("availabilityZoneId")


def _zones_of_overrides(resource: Resource) -> Iterator[Any]:
    """Yield the zones that a fleet's overrides name."""
    for config in as_list(resource.inputs.get(_FLEETS)):
        for override in as_list(at(config, "overrides")):
            yield at(override, "availabilityZone")
    for specification in as_list(resource.inputs.get("launchSpecifications")):
        yield at(specification, "availabilityZone")


def subnets_of(resource: Resource, index: Index) -> Targets:
    """Return the subnets of a resource."""
    return index.memo_of("subnets", (resource,), lambda: _subnets_of(resource, index))


def _subnets_of(resource: Resource, index: Index) -> Targets:
    prop, subnet_input = _subnet_input(resource)
    if prop:
        return index.targets(resource, prop, resource_types.SUBNET, subnet_input)
    owners = tuple(standalone_interfaces.declared_of(resource, index))
    each = [index.targets(owner, "subnetId", resource_types.SUBNET) for owner in owners]
    subnets = {subnet.urn: subnet for targets in each for subnet in targets.certain}
    is_exact = bool(owners) and all(targets.exact for targets in each)
    return Targets(tuple(subnets.values()), (), is_exact)


def names_subnets(resource: Resource, launch: LaunchSources, index: Index) -> bool:
    """Return whether anything may name the subnets of a machine."""
    nics = interfaces_of(launch, index)
    return (
        bool(_subnet_input(resource)[0])
        or isinstance(nics, Unknown)
        or bool(_subnets_of_nics(nics))
    )


def _subnet_input(resource: Resource) -> tuple[str, Any]:
    """Return the input that names a resource's subnets, and their ids; an empty name for none.

    A fleet names them where it overrides its templates, each as often as it has types for it.
    """
    for prop in _SUBNET_INPUTS:
        value = resource.inputs.get(prop)
        if value is not None:
            return prop, value
    configs = resource.inputs.get(_FLEETS)
    overrides = [
        override for config in as_list(configs) for override in as_list(at(config, "overrides"))
    ]
    ids = [subnet for override in overrides if (subnet := at(override, "subnetId")) is not None]
    return (_FLEETS, _unknown_if_all(ids)) if ids else ("", None)


def _unknown_if_all(subnets: list[Any]) -> Any:
    """Return UNKNOWN for several subnets that are all unknown yet, else the named ones."""
    are_all_unknown = len(subnets) > 1 and all(isinstance(subnet, Unknown) for subnet in subnets)
    return UNKNOWN if are_all_unknown else subnets


def zones_of(
    resource: Resource, index: Index, launches: Iterable[LaunchSources] = ()
) -> tuple[str, ...]:
    """Return the known zones, sorted.

    Where a resource of machines tells none itself, they are in those that its templates name, by
    their placement or by the subnets of their interfaces.
    """
    zones = {*_zone_values(resource), *_zones_of_subnets(subnets_of(resource, index))}
    for launch in () if zones else launches:
        zone = text(at(launch.stating_layer_and_value("placement")[1], "availabilityZone"))
        zones |= {zone} if isinstance(zone, str) else set()
        zones |= {*_zones_of_subnets(subnets_of_machine(resource, launch, index))}
    return tuple(sorted(zones))


def _zones_of_subnets(subnets: Targets) -> Iterator[str]:
    return (zone for subnet in subnets.certain for zone in _zone_values(subnet))


def every_zone(resource: Resource, index: Index) -> frozenset[str] | None:
    """Return the names of all zones that a resource names or has subnets in.

    None where one is unknown, or told by its id alone.
    """
    zones = [text(zone) for zone in as_list(resource.inputs.get("availabilityZones"))]
    zones += [text(zone) for zone in as_list(resource.inputs.get("availabilityZone"))]
    if _subnet_input(resource)[0]:
        subnets = subnets_of(resource, index)
        zones += [_zone(subnet) for subnet in subnets.certain] if subnets.exact else [UNKNOWN]
    known_zones = frozenset(
        zone for zone in zones if isinstance(zone, str) and not re.fullmatch(_ZONE_ID, zone)
    )
    return known_zones if known_zones and len(known_zones) == len(set(zones)) else None


def most_zones(resource: Resource, index: Index) -> int:
    """Return the most zones that a resource's subnets may be in."""
    _, subnet_input = _subnet_input(resource)
    subnets = subnets_of(resource, index)
    zones = [_zone(subnet) for subnet in subnets.certain]
    known_zones = {zone for zone in zones if not isinstance(zone, Unknown)}
    count = len(known_zones) + sum(isinstance(zone, Unknown) for zone in zones)
    if subnets.exact and zones:
        return min(count, _MOST_ZONES)
    if subnet_input is None or isinstance(subnet_input, Unknown):
        return _MOST_ZONES
    return min(count + max(len(as_list(subnet_input)) - len(zones), 0), _MOST_ZONES)


def subnets_of_machine(resource: Resource, launch: LaunchSources, index: Index) -> Targets:
    """Return the subnets of a machine: its own, else those of its template's interfaces."""
    return launch.memo(
        index, "subnets", (resource,), lambda: _subnets_of_machine(resource, launch, index)
    )


def _subnets_of_machine(resource: Resource, launch: LaunchSources, index: Index) -> Targets:
    ids = _interface_subnets(launch, index)
    layer, _ = launch.stating_layer_and_value("networkInterfaces")
    has_declared_interfaces = any(True for _ in standalone_interfaces.declared_of(resource, index))
    if _subnet_input(resource)[0] or layer is None or not ids or has_declared_interfaces:
        return subnets_of(resource, index)
    return index.targets(layer, "networkInterfaces", resource_types.SUBNET, _unknown_if_all(ids))


def _interface_subnets(launch: LaunchSources, index: Index) -> list[Any]:
    """Return the subnets that the interfaces of a launch name."""
    nics = interfaces_of(launch, index)
    return [] if isinstance(nics, Unknown) else _subnets_of_nics(nics)


def _subnets_of_nics(nics: Sequence[Any]) -> list[Any]:
    return [subnet for nic in nics if (subnet := at(nic, "subnetId")) is not None]


def one_zone(resource: Resource, launch: LaunchSources, index: Index) -> Known:
    """Return whether all machines of a group are in one zone; one subnet is always one zone.

    So are the subnets of one machine's interfaces:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-eni.html
    """
    prop, written = _subnet_input(resource)
    if prop:
        if not isinstance(written, Unknown) and len(as_list(written)) == 1:
            return True
        subnets = subnets_of(resource, index)
        if subnets.only is not None:
            return True
        subnet_zones = [_zone(subnet) for subnet in subnets.certain]
        return _are_same_zone(subnet_zones if subnets.exact else [*subnet_zones, UNKNOWN, UNKNOWN])
    if resource.inputs.get("availabilityZone") is not None:
        return True
    written = resource.inputs.get("availabilityZones")
    if written is None:
        return True if _interface_subnets(launch, index) else UNKNOWN
    zones = [text(zone) or UNKNOWN for zone in as_list(written)]
    return UNKNOWN if isinstance(written, Unknown) else _are_same_zone(zones)


def _are_same_zone(zones: Sequence[str | Unknown]) -> Known:
    """Return whether zones are one; a name and an id may mean the same one, or not."""
    known_zones = {zone for zone in zones if not isinstance(zone, Unknown)}
    ids = {zone for zone in known_zones if re.fullmatch(_ZONE_ID, zone)}
    if len(ids) > 1 or len(known_zones - ids) > 1:
        return False
    return True if len(zones) == 1 or (len(known_zones) == 1 and UNKNOWN not in zones) else UNKNOWN


def _zone(subnet: Resource) -> str | Unknown:
    for key in ("availabilityZone", "availabilityZoneId"):
        for values in (subnet.inputs, subnet.outputs):
            value = text(values.get(key))
            if isinstance(value, str):
                return value
    return UNKNOWN


def _zone_values(resource: Resource) -> tuple[str, ...]:
    zones = (
        *as_list(resource.inputs.get("availabilityZone")),
        *as_list(resource.inputs.get("availabilityZones")),
        *as_list(resource.outputs.get("availabilityZone")),
    )
    return tuple(dict.fromkeys(zone for zone in zones if isinstance(zone, str) and zone))


def _arn_region(arn: object) -> str | None:
    """Return the region of an ARN, its fourth part."""
    return next(iter(arn.split(":")[3:4]), None) if isinstance(arn, str) else None

"""Machine groups as resources request them: machines, scale sets, fleets."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch import locations, scaling
from gpuinfra.clouds.azure.observe.launch.launch_settings import (
    ObservedInterface,
    Profile,
    interfaces_of,
    profile_of,
)
from gpuinfra.clouds.azure.observe.launch.machine_requests import GroupRequest, group_request_of
from gpuinfra.clouds.azure.observe.machines import start_places
from gpuinfra.clouds.azure.observe.machines.extra_machines import surge_of_set
from gpuinfra.clouds.azure.observe.machines.machine_labels_and_scaling import (
    with_labels_and_scaling,
)
from gpuinfra.clouds.azure.observe.machines.machine_upkeep import health_faults, upkeep_of
from gpuinfra.clouds.azure.observe.machines.setting_faults import (
    eviction_faults,
    spot_faults,
    start_faults,
)
from gpuinfra.clouds.azure.observe.machines.startup_security import (
    host_encrypted,
    password_login,
    plain_secrets,
    secure_boot,
)
from gpuinfra.clouds.azure.observe.machines.surcharges import surcharges
from gpuinfra.clouds.azure.observe.machines.time_limits import (
    has_scheduled_stop,
    hours_until_stop,
    starts_again,
)
from gpuinfra.clouds.azure.observe.network.fabric import FabricFacts, fabric_of
from gpuinfra.clouds.azure.observe.network.login import login_open, open_ports
from gpuinfra.clouds.azure.observe.network.network_paths import reach_of
from gpuinfra.clouds.azure.observe.rights.identity import is_administrator
from gpuinfra.clouds.azure.observe.rights.long_lived_keys import long_lived_key, opened_by_keys
from gpuinfra.clouds.azure.observe.storage.disk_faults import disk_faults_of
from gpuinfra.clouds.azure.observe.storage.disks import disk_items, disks_of
from gpuinfra.clouds.azure.regions import REGIONS
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.rows import machine_item, unjudged_rows
from gpuinfra.clouds.observing.values import any_of, at
from gpuinfra.model import (
    UNKNOWN,
    Group,
    GroupLifecycle,
    Item,
    Known,
    Purpose,
    Resource,
    Rows,
    Rung,
    Safety,
    Unknown,
    Usage,
)


def group_rows(resource: Resource, index: Index, usage: Usage, *, scaled: bool = False) -> Rows:
    """Return the rows of one resource's machines, with their disks and addresses.

    Args:
        resource: a machine, a scale set or a fleet.
        index: the resources that it may refer to.
        usage: the facts that no resource shows.
        scaled: whether the machines that autoscale settings may add are counted in.
    """
    if _only_a_place(resource):
        return Rows()
    request = group_request_of(resource)
    if request.trouble:
        return unjudged_rows(resource, request.trouble)
    if scaled:
        request = scaling.with_autoscaled_machines(request, resource, index)
    profile = profile_of(resource)
    interfaces = interfaces_of(profile, index)
    purpose = _purpose(resource, interfaces, index, usage)
    group = group_of(resource, request, index, usage)
    rung = replace(group.rung, reserve=_is_kept(resource, request, index))
    group = replace(
        group,
        rungs=(rung,),
        purpose=purpose,
        fabric=fabric_of(
            FabricFacts(
                profile=profile,
                request=request,
                interfaces=interfaces,
                purpose=purpose,
                index=index,
            )
        ),
        safety=_safety(profile, request, interfaces, index),
        lifecycle=GroupLifecycle(
            ends=has_scheduled_stop(resource, index),
            ends_within=hours_until_stop(resource, index),
            starts_again=starts_again(resource, index),
            surge=surge_of_set(resource.inputs, request.maximum),
        ),
        faults=(
            *rule_faults("spot-settings", spot_faults(profile, request.machines)),
            *rule_faults("eviction-policy", eviction_faults(profile)),
            *rule_faults("scaling-settings", scaling.faults_of(resource, index)),
            *rule_faults(
                "launch-settings",
                (
                    *start_faults(profile, request.machines),
                    *start_places.start_place_faults(profile, interfaces, index),
                    *REGIONS.unknown_zone_faults(rung.zones, rung.region),
                    *health_faults(profile, index),
                ),
            ),
            *rule_faults("disk-limits", disk_faults_of(profile, index)),
            *rule_faults("password-login", password_login(profile)),
        ),
    )
    if purpose == "unknown" and _is_required(group):
        group = replace(group, purpose="training")
    trains_together = group.purpose == "training" and group.maximum != 1
    reach = reach_of(profile, interfaces, index, together=trains_together)
    group = replace(with_labels_and_scaling(group, profile, index), reach=reach)
    upkeep = upkeep_of(profile, index, purpose=group.purpose, saves=group.needs.checkpoints)
    group = replace(group, lifecycle=replace(group.lifecycle, upkeep=upkeep))
    items = (
        *disk_items(disks_of(profile), resource.urn, group=resource.name),
        *_address_items(resource, interfaces),
    )
    return Rows(groups=(group,), items=items, not_judged=surcharges(profile, index))


def autoscale_rows(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return the machines that an autoscale setting may add to those of its scale set."""
    scale_set = index.targets(resource, "targetResourceUri", resource_types.SCALE_SET).only
    if not scaling.may_scale(resource):
        return Rows()
    if scale_set is None:
        return unjudged_rows(resource, "the scale set is not in this stack, or not known yet")
    rows = group_rows(scale_set, index, usage)
    added_machines = scaling.autoscaled_machines(resource, scale_set, index)
    if added_machines == 0 or not rows.groups:
        return Rows()
    group = rows.groups[0]
    added = replace(
        group,
        name=resource.name,
        subject=resource.urn,
        minimum=0,
        maximum=added_machines,
        rungs=(replace(group.rung, on_demand_base=_base_left(group)),),
    )
    items = tuple(
        replace(item, group=resource.name, subject=resource.urn, resource=resource.urn)
        for item in rows.items
    )
    return Rows(groups=(added,), items=items)


def group_of(
    resource: Resource, request: GroupRequest, index: Index, usage: Usage, name: str | None = None
) -> Group:
    """Return a resource's request as a group, without its settings."""
    group_name = resource.name if name is None else name
    region = locations.region_of(resource, index)
    rung = Rung(
        capacity=request.capacity,
        machine=request.machines[0],
        region=region,
        zones=locations.zones_of(resource.inputs.get("zones"), region),
        max_price=request.max_price,
        on_demand_base=request.base,
        spot_share_above_base=request.spot_share,
    )
    return Group(
        name=group_name,
        subject=resource.urn,
        purpose=usage.purpose.get(group_name, "unknown"),
        cloud="azure",
        rungs=(rung,),
        machines=request.machines,
        minimum=request.minimum,
        maximum=request.maximum,
        needs=usage.needs_of(group_name),
    )


def _is_kept(resource: Resource, request: GroupRequest, index: Index) -> bool:
    """Return whether machines surely run in a reservation of this stack."""
    if not index.of_kind(resource_types.RESERVATION):
        return False
    from gpuinfra.clouds.azure.observe.machines import reserved_machines  # noqa: PLC0415  (few stacks have any)

    return reserved_machines.is_kept(resource, request, index)


def _only_a_place(resource: Resource) -> bool:
    """Return whether a flexible scale set only holds other machines, and so is free."""
    if resource_types.canonical(resource.type) != resource_types.SCALE_SET:
        return False
    model = resource.inputs.get("virtualMachineProfile")
    return model is None and at(resource.inputs.get("sku"), "name") is None


def _purpose(
    resource: Resource,
    interfaces: tuple[ObservedInterface, ...] | Unknown,
    index: Index,
    usage: Usage,
) -> Purpose:
    """Return the stated purpose, else inference for a set with a load balancer or that scales."""
    purpose = usage.purpose.get(resource.name)
    if purpose is not None:
        return purpose
    if not isinstance(interfaces, Unknown) and any(
        interface.receives_requests for interface in interfaces
    ):
        return "inference"
    scales = (
        not scaling.keeps_one_size(setting) for setting in scaling.settings_of(resource, index)
    )
    return "inference" if any(scales) else "unknown"


def _is_required(group: Group) -> bool:
    """Return whether a single placement group is stated, which is for joint training."""
    return group.fabric is not None and group.fabric.requirement == "required"


def _safety(
    profile: Profile,
    request: GroupRequest,
    interfaces: tuple[ObservedInterface, ...] | Unknown,
    index: Index,
) -> Safety:
    """Return the security basics; metadata always needs a header, disks are encrypted.

    https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service
    https://learn.microsoft.com/azure/virtual-machines/disk-encryption
    """
    return Safety(
        metadata_v2=True,
        disks_encrypted=True,
        public_ip=_public(interfaces),
        open_login=login_open(interfaces, index),
        open_ports=open_ports(interfaces, index),
        administrator=is_administrator(profile.resource, index),
        long_lived_key=long_lived_key(profile, index),
        opened_by_keys=opened_by_keys(profile.resource, index),
        hop_limit=None,  # Azure has no such setting
        secrets=plain_secrets(profile, index),
        secure_boot=secure_boot(profile, request.machines),
        host_encrypted=host_encrypted(profile, request.machines, index),
    )


def _public(interfaces: tuple[ObservedInterface, ...] | Unknown) -> Known:
    if isinstance(interfaces, Unknown):
        return UNKNOWN
    return any_of(interface.public for interface in interfaces)


def _address_items(
    resource: Resource, interfaces: tuple[ObservedInterface, ...] | Unknown
) -> Iterator[Item]:
    """Yield the public addresses created with each machine; existing ones are billed apart.

    Where it is not known yet whether there is one, it counts: a cap counts the maximum.
    """
    count = 0
    for interface in () if isinstance(interfaces, Unknown) else interfaces:
        address_configurations = (
            at(address, "publicIPAddressConfiguration") for address in interface.addresses
        )
        count += sum(value is not None for value in address_configurations)
    if not count:
        return
    yield address_item(resource.urn, resource.name, count)


def address_item(subject: str, group: str, count: int) -> Item:
    """Return the public addresses of each machine of a group."""
    name, item = "public address", "public-ip-standard-static-hour"
    return machine_item(
        "azure", name, subject, group, item, "hour", Decimal(count), kind="address"
    )


def _base_left(group: Group) -> int:
    """Return the on-demand machines that a group's own size does not include."""
    regular_machines = (
        group.maximum if isinstance(group.maximum, int) else group.rung.on_demand_base
    )
    return max(0, group.rung.on_demand_base - regular_machines)

"""Builds a training node or cluster: its network, role, launch template, and group or fleet."""

from collections.abc import Sequence
from typing import Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build import (
    callers,
    capacity,
    fleet,
    identity,
    network,
    payload,
    scaling_group,
    shared,
    template,
    traffic,
)
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.build.image import find_image
from gpuinfra.clouds.aws.build.storage import BUCKETS
from gpuinfra.clouds.aws.host import host_of
from gpuinfra.clouds.aws.interfaces import addresses, nic_layout
from gpuinfra.clouds.aws.machines import planned_machine
from gpuinfra.clouds.aws.network import training_network
from gpuinfra.clouds.building import buckets
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.network import Place
from gpuinfra.clouds.order import Given, Order, Trained
from gpuinfra.model import Group
from gpuinfra.stackfile.schema import Training

KINDS: Final[Kinds] = {
    **identity.KINDS,
    **capacity.KINDS,
    **payload.KINDS,
    **shared.KINDS,
    "launch_template": aws.ec2.LaunchTemplate,
}


def build_training(order: Order, group: Group, workload: Training, given: Given) -> Trained:
    """Register a training workload as its plan has it.

    One machine is a scaling group of size one, so that a lost machine comes back; machines that
    are wanted all at once or not at all are a fleet.

    Raises:
        InputError: the network, the buckets, the image or the customised children do not fit.
    """
    nodes, rung = workload.nodes, group.rung
    machine = planned_machine(rung)
    nics = nic_layout(machine, fabric=group.fabric is not None, layout=workload.efa_layout)
    layout = training_network(
        order.region, rung.zones, nodes, each=addresses(nics), wish=order.network
    )
    kinds = {
        **KINDS,
        **(fleet.KINDS if workload.all_or_nothing else scaling_group.KINDS),
        **traffic.machine_kinds(order),
        **network.kinds(layout),
    }
    children = Children(order, given, kinds)
    data, kept = buckets.uses(workload.data), buckets.checkpoints(workload)
    granted = buckets.grants(
        order.name,
        (*data, *kept),
        given.buckets,
        BUCKETS,
        keys=given.keys,
        besides=shared.linked(workload),
    )
    host = host_of(machine, nics)
    need = callers.Need(pool=False, machines=nodes, each=addresses(nics), several=len(nics) > 1)
    place = network.place_of(children, layout, given.network, need)
    security_group = traffic.machines(
        children, place.vpc_id, together=nodes > 1 or group.fabric is not None
    )
    who = identity.make_identity(
        children,
        granted,
        peers=nodes > 1,
        extra=payload.training_rights(order, workload, host),
    )
    mounted = shared.make_shared(children, workload, place, security_group, given.buckets)
    ends = rung.ends if rung.capacity == "capacity-block" else None
    start = payload.training(
        children, workload, granted, who.role, host=host, ends=ends, shared=mounted
    )
    found = find_image(children, workload.machine_image, "training", machine, rung.image)
    theirs = given.network is not None or (order.network is not None and order.network.vpc)
    bought = capacity.make_capacity(
        children, group, nodes, place, None if theirs else layout.private[0].zone
    )
    made = template.launch_template(
        children,
        template.Launch(
            type=rung.machine,
            nics=nics,
            ena_express=workload.ena_express,
            disk=workload.disk,
            # A fleet asks for spot itself, and is refused with a template that does too.
            spot=rung.capacity == "spot" and not workload.all_or_nothing,
            spot_price=rung.max_price,
            block=rung.capacity == "capacity-block",
            reservation=bought.reservation,
            placement_group=bought.placement_group if workload.all_or_nothing else None,
        ),
        found,
        identity=who,
        security_group=security_group.id,
        start=start.text,
    )
    name = _machines(
        children,
        group,
        workload,
        made,
        bought,
        place,
        ready=(*place.ready, *who.ready, *start.ready),
    )
    children.finish()
    return Trained(
        group_name=name,
        template_id=made.id,
        identity=who.role.name,
        firewall_id=security_group.id,
        network_id=pulumi.Output.from_input(place.vpc_id),
        subnet_id=pulumi.Output.from_input(place.subnet_ids[0]),
        image_id=pulumi.Output.from_input(found.id),
    )


def _machines(
    children: Children,
    group: Group,
    workload: Training,
    made: aws.ec2.LaunchTemplate,
    bought: capacity.Capacity,
    place: Place,
    *,
    ready: Sequence[pulumi.Resource],
) -> pulumi.Output[str]:
    """The machines: a fleet, which gives its id, or a scaling group, which gives its name."""
    subnet_id = place.subnet_ids[0]
    if workload.all_or_nothing:
        return fleet.make_fleet(children, group, workload.nodes, made, subnet_id, ready=ready)
    return scaling_group.make_group(
        children,
        group,
        workload.nodes,
        made,
        bought,
        subnet_id,
        saves=workload.checkpoints is not None,
        ready=ready,
    ).name

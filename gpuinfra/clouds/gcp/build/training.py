"""Builds a training node or cluster: its network, account, instance template and group."""

from collections.abc import Sequence
from functools import partial
from typing import Final

import pulumi
import pulumi_gcp as gcp

from gpuinfra.clouds.building import buckets
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.network import take_callers
from gpuinfra.clouds.gcp import starts
from gpuinfra.clouds.gcp.build import identity, network, template, traffic
from gpuinfra.clouds.gcp.build.children import Children
from gpuinfra.clouds.gcp.build.image import find_image
from gpuinfra.clouds.gcp.build.names import BUCKETS, machines_name
from gpuinfra.clouds.gcp.machines import planned_machine
from gpuinfra.clouds.gcp.network import nic_layout, training_network
from gpuinfra.clouds.order import Given, Order, Trained
from gpuinfra.model import Group
from gpuinfra.stackfile.schema import Training

KINDS: Final[Kinds] = {
    **traffic.MACHINES,
    "template": gcp.compute.InstanceTemplate,
    "placement": gcp.compute.ResourcePolicy,
    "group": gcp.compute.InstanceGroupManager,
}

CAPACITY: Final = pulumi.CustomTimeouts(create="10m", update="10m")
"""How long an update waits for all machines; no capacity by then is an answer: the next rung."""

COLLOCATED: Final = {"collocation": "COLLOCATED"}
"""As close as the zone has room; a distance is refused by some machines, a number of machines
would have to be met all at once:
https://docs.cloud.google.com/compute/docs/instances/use-compact-placement-policies"""


def build_training(order: Order, group: Group, workload: Training, given: Given) -> Trained:
    """Register a training workload as its plan has it.

    One machine is a group of size one, so that a lost machine comes back.

    Raises:
        InputError: the network, the buckets, the image or the customised children do not fit.
    """
    nodes, rung = workload.nodes, group.rung
    machine, fabric = planned_machine(rung), group.fabric is not None
    layout = training_network(order.region, rung.zones, nodes, machine=machine, fabric=fabric)
    wanted = (*buckets.uses(workload.data), *buckets.checkpoints(workload))
    children = Children(order, given, {**KINDS, **network.kinds(layout), **identity.kinds(wanted)})
    granted = buckets.grants(order.name, wanted, given.buckets, BUCKETS)
    write = partial(
        starts.training_script,
        order.name,
        order.region,
        workload,
        machine=machine,
        fabric=fabric,
    )
    place = (
        network.make_own(children, layout)
        if given.network is None
        else take_callers(
            order.name,
            given.network,
            subnets="one subnet: the fabric does not leave its zone",
            accepted=len(given.network.subnet_ids) == 1,
        )
    )
    own = network.main_range(layout) if given.network is None else None
    planes = network.make_planes(children, layout)
    who = identity.make_identity(children, wanted, granted, peers=nodes > 1)
    firewall = traffic.login(children, place.vpc_id, own, who.account)
    together = nodes > 1 or fabric
    opened = [traffic.peers(children, place.vpc_id, own, who.account)] if together else []
    image = find_image(children, workload.machine_image, "training", machine, rung.image)
    placement = (
        children.make(gcp.compute.ResourcePolicy, "placement", group_placement_policy=COLLOCATED)
        if fabric
        else None
    )
    made = template.instance_template(
        children,
        "template",
        template.Launch(
            machine=machine,
            disk=workload.disk,
            spot=rung.capacity == "spot",
            placement=None if placement is None else placement.self_link,
        ),
        image,
        interfaces=network.interfaces(
            nic_layout(machine, fabric=fabric), place.subnet_ids[0], planes
        ),
        identity=who,
        start=buckets.script(wanted, granted, write),
    )
    machines = _group(
        children,
        group,
        nodes,
        layout.zones[0],
        made,
        ready=(*place.ready, *planes.ready, *who.ready, *opened),
    )
    children.finish()
    return Trained(
        group_name=machines.name,
        template_id=made.id,
        identity=who.account.email,
        firewall_id=firewall.id,
        network_id=pulumi.Output.from_input(place.vpc_id),
        subnet_id=pulumi.Output.from_input(place.subnet_ids[0]),
        image_id=pulumi.Output.from_input(image.id),
    )


def _group(
    children: Children,
    group: Group,
    nodes: int,
    zone: str,
    made: gcp.compute.InstanceTemplate,
    *,
    ready: Sequence[pulumi.Resource],
) -> gcp.compute.InstanceGroupManager:
    """The group, of fixed size, in one zone.

    Another machine or another way to buy it makes the group anew, the old one deleted first: a
    fixed group would keep its running machines and so differ from what was priced and judged.
    Other changes of the template reach a machine when it is next made, never mid-run, and no
    update adds machines beside the old ones. A machine that is gone is made again.
    """
    return children.make(
        gcp.compute.InstanceGroupManager,
        "group",
        opts=children.options(
            depends_on=list(ready),
            replacement_trigger=[group.rung.machine, group.rung.capacity],
            delete_before_replace=True,
            custom_timeouts=CAPACITY,
        ),
        zone=zone,
        base_instance_name=machines_name(children.order.name),
        versions=[{"instance_template": made.self_link}],
        target_size=nodes,
        update_policy={
            "type": "OPPORTUNISTIC",
            "minimal_action": "REPLACE",
            "max_surge_fixed": 0,
            "max_unavailable_fixed": nodes,
        },
        wait_for_instances=True,
        wait_for_instances_status="STABLE",
    )

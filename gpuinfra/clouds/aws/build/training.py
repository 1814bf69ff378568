"""Builds a training node or cluster: its network, role, launch template and scaling group."""

from collections.abc import Sequence
from functools import partial
from math import ceil
from typing import Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws import starts
from gpuinfra.clouds.aws.build import identity, network, template, traffic
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.build.image import find_image
from gpuinfra.clouds.aws.build.storage import BUCKETS
from gpuinfra.clouds.aws.environment import family_environment
from gpuinfra.clouds.aws.footprint import PLACEMENT
from gpuinfra.clouds.aws.machines import planned_machine
from gpuinfra.clouds.aws.network import nic_layout, training_network
from gpuinfra.clouds.building import buckets
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.network import Place, take_callers
from gpuinfra.clouds.order import Given, Order, Trained
from gpuinfra.model import Group
from gpuinfra.stackfile.schema import Training

KINDS: Final[Kinds] = {
    **traffic.MACHINES,
    **identity.KINDS,
    "launch_template": aws.ec2.LaunchTemplate,
    "placement_group": aws.ec2.PlacementGroup,
    "group": aws.autoscaling.Group,
}

CAPACITY_TIMEOUT: Final = "10m"
"""How long an update waits for all machines; no capacity by then is an answer: the next rung."""

NEVER_MOVED: Final = ("AZRebalance",)
STAYS_TOGETHER: Final = ("AZRebalance", "ReplaceUnhealthy")
"""Processes that a group does without. A gang of machines bought on demand is not broken up over a
health check, which would end the run on all of them; an interrupted spot machine has to come back.
https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html"""


def build_training(order: Order, group: Group, workload: Training, given: Given) -> Trained:
    """Register a training workload as its plan has it.

    One machine is a scaling group of size one, so that a lost machine comes back.

    Raises:
        InputError: the network, the buckets, the image or the customised children do not fit.
    """
    nodes, rung = workload.nodes, group.rung
    machine = planned_machine(rung)
    layout = training_network(order.region, rung.zones, nodes)
    children = Children(order, given, {**KINDS, **network.kinds(layout)})
    data, kept = buckets.uses(workload.data), buckets.checkpoints(workload)
    granted = buckets.grants(order.name, (*data, *kept), given.buckets, BUCKETS)
    write = partial(
        starts.training_script,
        order.name,
        order.region,
        workload,
        gpus=max(1, ceil(machine.gpu_count)),
        environment=family_environment(machine.type),
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
    security_group = traffic.machines(
        children, place.vpc_id, together=nodes > 1 or group.fabric is not None
    )
    who = identity.make_identity(children, granted, peers=nodes > 1)
    found = find_image(
        children, workload.machine_image, "training", machine.architecture, rung.image
    )
    made = template.launch_template(
        children,
        template.Launch(
            type=rung.machine,
            nics=nic_layout(machine, fabric=group.fabric is not None),
            disk=workload.disk,
            spot=rung.capacity == "spot",
            spot_price=rung.max_price,
        ),
        found,
        identity=who,
        security_group=security_group.id,
        start=buckets.script((*data, *kept), granted, write),
    )
    scaling = _group(children, group, nodes, made, place, ready=(*place.ready, *who.ready))
    children.finish()
    return Trained(
        group_name=scaling.name,
        template_id=made.id,
        identity=who.role.name,
        firewall_id=security_group.id,
        network_id=pulumi.Output.from_input(place.vpc_id),
        subnet_id=pulumi.Output.from_input(place.subnet_ids[0]),
        image_id=pulumi.Output.from_input(found.id),
    )


def _group(
    children: Children,
    group: Group,
    nodes: int,
    made: aws.ec2.LaunchTemplate,
    place: Place,
    *,
    ready: Sequence[pulumi.Resource],
) -> aws.autoscaling.Group:
    """The scaling group, of fixed size, in one subnet.

    Another machine or another way to buy it makes the group anew, the old one deleted first: a
    fixed group would keep its running machines and so differ from what was priced and judged.
    Other changes of the template reach a machine when it is next replaced, never mid-run.
    """
    placement = {}
    if group.fabric is not None:
        placement["placement_group"] = children.make(
            aws.ec2.PlacementGroup, "placement_group", strategy=PLACEMENT
        ).name
    gang = nodes > 1 and group.rung.capacity != "spot"
    return children.make(
        aws.autoscaling.Group,
        "group",
        opts=children.options(
            depends_on=list(ready),
            replacement_trigger=[group.rung.machine, group.rung.capacity],
            delete_before_replace=True,
        ),
        min_size=nodes,
        max_size=nodes,
        desired_capacity=nodes,
        vpc_zone_identifiers=[place.subnet_ids[0]],
        launch_template={"id": made.id, "version": made.latest_version.apply(str)},
        health_check_type="EC2",
        health_check_grace_period=300,
        suspended_processes=list(STAYS_TOGETHER if gang else NEVER_MOVED),
        wait_for_capacity_timeout=CAPACITY_TIMEOUT,
        tags=group_tags(children),
        **placement,
    )


def group_tags(children: Children) -> list[dict[str, object]]:
    """A scaling group's tags, which its machines take over."""
    tags = {"Name": children.order.name, **children.tags}
    return [
        {"key": key, "value": value, "propagate_at_launch": True} for key, value in tags.items()
    ]

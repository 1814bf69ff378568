"""Builds an inference pool: machines that serve behind a load balancer, or work off a queue."""

from typing import Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws import secured
from gpuinfra.clouds.aws.build import (
    callers,
    front,
    identity,
    network,
    payload,
    pool_group,
    queue,
    scaling,
    template,
    traffic,
)
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.build.container import pinned_container
from gpuinfra.clouds.aws.build.image import find_image
from gpuinfra.clouds.aws.build.storage import BUCKETS
from gpuinfra.clouds.aws.interfaces import addresses, nic_layout
from gpuinfra.clouds.aws.machines import planned_machine
from gpuinfra.clouds.aws.network import pool_network
from gpuinfra.clouds.building import buckets
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.order import Given, Order, Served
from gpuinfra.clouds.startup import uses_gpu_metrics
from gpuinfra.model import Group
from gpuinfra.stackfile.schema import Inference

KINDS: Final[Kinds] = {
    **identity.KINDS,
    **payload.KINDS,
    "launch_template": aws.ec2.LaunchTemplate,
    "group": aws.autoscaling.Group,
    "tracking": aws.autoscaling.Policy,
}


def build_pool(order: Order, group: Group, workload: Inference, given: Given) -> Served:
    """Register an inference pool as its plan has it.

    Raises:
        InputError: the network, the buckets, the image or the customised children do not fit.
    """
    rung, works_off = group.rung, workload.scale_on.queue
    machine = planned_machine(rung)
    layout = pool_network(order.region, rung.zones, wish=order.network)
    kinds = {**_kinds(workload), **traffic.machine_kinds(order), **network.kinds(layout)}
    children = Children(order, given, kinds)
    used = buckets.uses(workload.data)
    granted = buckets.grants(order.name, used, given.buckets, BUCKETS, keys=given.keys)
    nics = nic_layout(machine, fabric=False)
    place = network.place_of(
        children,
        layout,
        given.network,
        callers.Need(
            pool=True,
            machines=workload.replicas.maximum or workload.replicas.minimum,
            each=addresses(nics),
        ),
    )
    servers = traffic.machines(children, place.vpc_id, together=False)
    waiting = None if works_off is None else queue.make_queue(children, works_off)
    who = identity.make_identity(
        children,
        granted,
        metrics=uses_gpu_metrics(workload.scale_on) or order.metrics,
        image=workload.image,
        extra={} if waiting is None else {"messages": queue.rights(waiting)},
    )
    start = payload.pool(
        children,
        workload,
        granted,
        who.role,
        image=pinned_container(children, workload.image),
        queue="" if waiting is None else waiting.url,
    )
    found = find_image(children, workload.machine_image, "inference", machine, rung.image)
    made = template.launch_template(
        children,
        template.Launch(
            type=rung.machine,
            nics=nics,
            disk=workload.disk,
            hops=1 if waiting is None else secured.FROM_CONTAINERS,
        ),
        found,
        identity=who,
        security_group=servers.id,
        start=start.text,
    )
    answers = None if waiting else front.make_front(children, workload, place, servers)
    machines = pool_group.make_group(
        children,
        group,
        made,
        place,
        targets=None if answers is None else answers.targets,
        ready=(*place.ready, *who.ready, *start.ready, *_answering(answers)),
    )
    if waiting is None:
        label = "" if answers is None else answers.label
        scaling.tracking(
            children, scaling.target(workload.scale_on, machines.name, label), machines
        )
    elif works_off is not None:
        scaling.follow_queue(children, group, works_off, waiting.name, machines)
    children.finish()
    return Served(
        url=None if answers is None else answers.url,
        queue_url=None if waiting is None else pulumi.Output.from_input(waiting.url),
        group_name=machines.name,
        template_id=made.id,
        load_balancer_id=None if answers is None else answers.balancer.arn,
        target_group_id=None if answers is None else answers.targets.arn,
        identity=who.role.name,
        firewall_id=servers.id,
        network_id=pulumi.Output.from_input(place.vpc_id),
        image_id=pulumi.Output.from_input(found.id),
    )


def _answering(answers: front.Front | None) -> tuple[pulumi.Resource, ...]:
    """What the group waits for: requests can't be counted before they reach its targets.

    PutScalingPolicy refuses a target group that no listener leads to; and a group that goes first
    has its requests drained.
    """
    return () if answers is None else (answers.listener,)


def _kinds(workload: Inference) -> Kinds:
    """The children that a pool has besides its network."""
    works_off = workload.scale_on.queue
    if works_off is None:
        return {**KINDS, **front.KINDS}
    woken = scaling.WAKING if workload.replicas.minimum == 0 else {}
    return {**KINDS, **queue.kinds(works_off), **woken}

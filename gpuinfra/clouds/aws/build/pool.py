"""Builds an inference pool: machines that serve behind an internal load balancer, and scale."""

from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws import starts
from gpuinfra.clouds.aws.build import identity, network, scaling, template, traffic
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.build.image import find_image
from gpuinfra.clouds.aws.build.storage import BUCKETS
from gpuinfra.clouds.aws.build.training import CAPACITY_TIMEOUT, group_tags
from gpuinfra.clouds.aws.machines import planned_machine
from gpuinfra.clouds.aws.network import nic_layout, pool_network
from gpuinfra.clouds.building import buckets
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.clients import clients_of
from gpuinfra.clouds.building.network import Place, take_callers
from gpuinfra.clouds.order import Given, Order, Served
from gpuinfra.clouds.startup import uses_gpu_metrics
from gpuinfra.model import Group, Rung
from gpuinfra.stackfile.schema import Inference

KINDS: Final[Kinds] = {
    **traffic.MACHINES,
    **traffic.BALANCER,
    **identity.KINDS,
    "launch_template": aws.ec2.LaunchTemplate,
    "load_balancer": aws.lb.LoadBalancer,
    "target_group": aws.lb.TargetGroup,
    "listener": aws.lb.Listener,
    "group": aws.autoscaling.Group,
    "tracking": aws.autoscaling.Policy,
}

LISTENS: Final = 80
GRACE: Final = 900
"""Seconds before a failed health check counts: images of tens of GB and models load first."""

HEALTHY_DURING_REFRESH: Final = 90
"""Percent of the pool that serves while machines are replaced after a change."""


def build_pool(order: Order, group: Group, workload: Inference, given: Given) -> Served:
    """Register an inference pool as its plan has it.

    Raises:
        InputError: the network, the buckets, the image or the customised children do not fit.
    """
    rung = group.rung
    machine = planned_machine(rung)
    layout = pool_network(order.region, rung.zones)
    children = Children(order, given, {**KINDS, **network.kinds(layout)})
    data = buckets.uses(workload.data)
    granted = buckets.grants(order.name, data, given.buckets, BUCKETS)
    metrics = uses_gpu_metrics(workload.scale_on)
    place = (
        network.make_own(children, layout)
        if given.network is None
        else take_callers(
            order.name,
            given.network,
            subnets="two subnets or more, in different zones, for the load balancer",
            accepted=len(given.network.subnet_ids) > 1,
        )
    )
    servers = traffic.machines(children, place.vpc_id, together=False)
    who = identity.make_identity(children, granted, metrics=metrics, image=workload.image)
    found = find_image(
        children, workload.machine_image, "inference", machine.architecture, rung.image
    )
    made = template.launch_template(
        children,
        template.Launch(
            type=rung.machine, nics=nic_layout(machine, fabric=False), disk=workload.disk
        ),
        found,
        identity=who,
        security_group=servers.id,
        start=buckets.script(data, granted, partial(starts.pool_script, order.name, workload)),
    )
    front, targets = _balancer(children, workload, place, servers)
    machines = _group(children, group, made, place, targets, ready=(*place.ready, *who.ready))
    label = pulumi.Output.concat(front.arn_suffix, "/", targets.arn_suffix)
    scaling.tracking(children, workload.scale_on, machines.name, label)
    children.finish()
    return Served(
        url=pulumi.Output.concat("http://", front.dns_name),
        group_name=machines.name,
        template_id=made.id,
        load_balancer_id=front.arn,
        identity=who.role.name,
        firewall_id=servers.id,
        network_id=pulumi.Output.from_input(place.vpc_id),
        image_id=pulumi.Output.from_input(found.id),
    )


def distribution(rung: Rung) -> dict[str, Any]:
    """How a pool's machines are bought: a base on demand, and shares above it.

    The spot strategy weighs price and the risk of interruption; AWS's default looks at price only.
    """
    shares: dict[str, Any] = {
        "on_demand_base_capacity": rung.on_demand_base,
        "on_demand_percentage_above_base_capacity": int(
            100 * (Decimal(1) - rung.spot_share_above_base)
        ),
        "spot_allocation_strategy": "price-capacity-optimized",
    }
    if rung.spot_share_above_base and rung.max_price is not None:
        shares["spot_max_price"] = f"{rung.max_price:f}"
    return shares


def _balancer(
    children: Children,
    workload: Inference,
    place: Place,
    servers: aws.ec2.SecurityGroup,
) -> tuple[aws.lb.LoadBalancer, aws.lb.TargetGroup]:
    """The internal load balancer, which asks every server whether it is well.

    Raises:
        InputError: the caller's network does not say who may call.
    """
    security_group = traffic.balancer(
        children,
        servers,
        vpc_id=place.vpc_id,
        clients=clients_of(children.order.name, place.cidr_block),
        listens=LISTENS,
        serves=workload.port,
    )
    front = children.make(
        aws.lb.LoadBalancer,
        "load_balancer",
        internal=True,
        load_balancer_type="application",
        security_groups=[security_group.id],
        subnets=list(place.subnet_ids),
        drop_invalid_header_fields=True,
    )
    targets = children.make(
        aws.lb.TargetGroup,
        "target_group",
        vpc_id=place.vpc_id,
        port=workload.port,
        protocol="HTTP",
        target_type="instance",
        health_check={"path": workload.health, "protocol": "HTTP", "matcher": "200"},
    )
    children.make(
        aws.lb.Listener,
        "listener",
        load_balancer_arn=front.arn,
        port=LISTENS,
        protocol="HTTP",
        default_actions=[{"type": "forward", "target_group_arn": targets.arn}],
    )
    return front, targets


def _group(
    children: Children,
    group: Group,
    made: aws.ec2.LaunchTemplate,
    place: Place,
    targets: aws.lb.TargetGroup,
    *,
    ready: Sequence[pulumi.Resource],
) -> aws.autoscaling.Group:
    """The scaling group between its minimum and maximum; the policy alone says how many run.

    The desired size is left out, so that no update undoes what the policy did. A change of the
    template rolls through the pool while most of it serves.
    """
    specification = {
        "launch_template_id": made.id,
        "version": made.latest_version.apply(str),
    }
    return children.make(
        aws.autoscaling.Group,
        "group",
        opts=children.options(depends_on=list(ready)),
        min_size=group.minimum,
        max_size=group.maximum,
        vpc_zone_identifiers=list(place.subnet_ids),
        mixed_instances_policy={
            "launch_template": {"launch_template_specification": specification},
            "instances_distribution": distribution(group.rung),
        },
        target_group_arns=[targets.arn],
        health_check_type="ELB",
        health_check_grace_period=GRACE,
        wait_for_capacity_timeout=CAPACITY_TIMEOUT,
        instance_refresh={
            "strategy": "Rolling",
            "preferences": {"min_healthy_percentage": HEALTHY_DURING_REFRESH},
        },
        tags=group_tags(children),
    )

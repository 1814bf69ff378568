"""Builds an inference pool: machines that serve behind an internal load balancer, and scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import pulumi
import pulumi_gcp as gcp

from gpuinfra.clouds.building import buckets
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.clients import clients_of
from gpuinfra.clouds.building.network import take_callers
from gpuinfra.clouds.gcp import starts
from gpuinfra.clouds.gcp.build import balancing, identity, network, scaling, template, traffic
from gpuinfra.clouds.gcp.build.children import Children
from gpuinfra.clouds.gcp.build.image import find_image
from gpuinfra.clouds.gcp.build.names import BUCKETS, machines_name
from gpuinfra.clouds.gcp.build.training import CAPACITY
from gpuinfra.clouds.gcp.machines import planned_machine
from gpuinfra.clouds.gcp.network import nic_layout, pool_network
from gpuinfra.clouds.gcp.userdata import registry
from gpuinfra.clouds.order import Given, Order, Served
from gpuinfra.clouds.startup import uses_gpu_metrics
from gpuinfra.model import Group
from gpuinfra.stackfile.schema import Inference

KINDS: Final[Kinds] = {
    **traffic.MACHINES,
    **traffic.BALANCER,
    **balancing.KINDS,
    "template": gcp.compute.InstanceTemplate,
    "group": gcp.compute.RegionInstanceGroupManager,
    "template_spot": gcp.compute.InstanceTemplate,
    "group_spot": gcp.compute.RegionInstanceGroupManager,
    "autoscaler": gcp.compute.RegionAutoscaler,
}

GRACE: Final = 900
"""Seconds before a failed health check counts: images of tens of GB and models load first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Machines of a pool that are bought alike, a group of their own.

    `suffix` is what the names of its children end with; a part of `fixed` size has no
    autoscaler.
    """

    suffix: str
    spot: bool
    minimum: int
    maximum: int
    fixed: bool = False


def parts(group: Group) -> tuple[Part, ...]:
    """What a pool is made of.

    A managed group's template says how all of its machines are bought, so a base on demand with
    spot above it is two groups, of which the second grows:
    https://docs.cloud.google.com/compute/docs/instance-groups
    """
    base, least, most = group.rung.on_demand_base, group.minimum, group.maximum
    if not isinstance(least, int) or not isinstance(most, int):
        raise TypeError(f"{group.name}: the size of a planned pool is a number")
    if not group.rung.spot_share_above_base or base >= most:
        return (Part(suffix="", spot=False, minimum=least, maximum=most),)
    if base == 0:
        return (Part(suffix="", spot=True, minimum=least, maximum=most),)
    above = Part(suffix="_spot", spot=True, minimum=max(0, least - base), maximum=most - base)
    return (Part(suffix="", spot=False, minimum=base, maximum=base, fixed=True), above)


def build_pool(order: Order, group: Group, workload: Inference, given: Given) -> Served:
    """Register an inference pool as its plan has it.

    Raises:
        InputError: the network, the buckets, the image, the figure to follow or the customised
            children do not fit.
    """
    rung = group.rung
    machine = planned_machine(rung)
    layout = pool_network(order.region, rung.zones, machine=machine)
    wanted = buckets.uses(workload.data)
    children = Children(order, given, {**KINDS, **network.kinds(layout), **identity.kinds(wanted)})
    granted = buckets.grants(order.name, wanted, given.buckets, BUCKETS)
    place = (
        network.make_own(children, layout)
        if given.network is None
        else take_callers(
            order.name,
            given.network,
            subnets="one subnet, which spans the zones of its region",
            accepted=len(given.network.subnet_ids) == 1,
        )
    )
    own = network.main_range(layout) if given.network is None else None
    who = identity.make_identity(
        children,
        wanted,
        granted,
        agent=uses_gpu_metrics(workload.scale_on),
        registry=registry(workload.image) is not None,
    )
    firewall = traffic.login(children, place.vpc_id, own, who.account)
    image = find_image(children, workload.machine_image, "inference", machine, rung.image)
    health = balancing.health_check(children, workload.health, workload.port)
    template_of = partial(
        template.instance_template,
        children,
        image=image,
        interfaces=network.interfaces(
            nic_layout(machine, fabric=False), place.subnet_ids[0], network.Planes()
        ),
        identity=who,
        start=buckets.script(wanted, granted, partial(starts.pool_script, order.name, workload)),
    )
    templates, groups = [], []
    for part in parts(group):
        launch = template.Launch(machine=machine, disk=workload.disk, spot=part.spot)
        templates.append(template_of(f"template{part.suffix}", launch))
        ready = (*place.ready, *who.ready)
        groups.append(_group(children, part, layout.zones, templates[-1], health, ready))
        if not part.fixed:
            policy = scaling.policy(
                order.name,
                workload.scale_on,
                machine,
                minimum=part.minimum,
                maximum=part.maximum,
            )
            children.make(
                gcp.compute.RegionAutoscaler,
                "autoscaler",
                target=groups[-1].self_link,
                autoscaling_policy=policy,
            )
    traffic.serving(
        children,
        place.vpc_id,
        own,
        who.account,
        clients=clients_of(order.name, place.cidr_block),
        port=workload.port,
    )
    front = balancing.front(
        children,
        health,
        groups,
        network=place.vpc_id,
        subnet=place.subnet_ids[0],
        port=workload.port,
    )
    children.finish()
    return Served(
        url=pulumi.Output.concat("http://", front.ip_address, f":{workload.port}"),
        load_balancer_id=front.id,
        group_name=groups[0].name,
        template_id=templates[0].id,
        identity=who.account.email,
        firewall_id=firewall.id,
        network_id=pulumi.Output.from_input(place.vpc_id),
        image_id=pulumi.Output.from_input(image.id),
    )


def _group(
    children: Children,
    part: Part,
    zones: Sequence[str],
    made: gcp.compute.InstanceTemplate,
    health: gcp.compute.RegionHealthCheck,
    ready: Sequence[pulumi.Resource],
) -> gcp.compute.RegionInstanceGroupManager:
    """A group over the zones; the autoscaler alone says how many run, where there is one.

    Its size is left out then, so that no update undoes what the autoscaler did. A change of the
    template rolls through the pool, a machine in each zone at a time and none beside them, since
    machines beside them would break the cap. Machines stand where there is room for them:
    https://docs.cloud.google.com/compute/docs/instance-groups/regional-mig-distribution-shape
    """
    size: dict[str, Any] = (
        {
            "target_size": part.maximum,
            "wait_for_instances": True,
            "wait_for_instances_status": "STABLE",
        }
        if part.fixed
        else {}
    )
    return children.make(
        gcp.compute.RegionInstanceGroupManager,
        f"group{part.suffix}",
        opts=children.options(depends_on=list(ready), custom_timeouts=CAPACITY),
        base_instance_name=machines_name(children.order.name, part.suffix),
        versions=[{"instance_template": made.self_link}],
        distribution_policy_zones=list(zones),
        distribution_policy_target_shape="BALANCED",
        auto_healing_policies={"health_check": health.id, "initial_delay_sec": GRACE},
        update_policy={
            "type": "PROACTIVE",
            "minimal_action": "REPLACE",
            "instance_redistribution_type": "NONE",
            "max_surge_fixed": 0,
            "max_unavailable_fixed": len(zones),
        },
        **size,
    )

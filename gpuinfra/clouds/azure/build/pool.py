"""Builds an inference pool: machines that serve behind an internal load balancer, and scale."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final

import pulumi
import pulumi_azure_native as azure

from gpuinfra.clouds.azure import starts
from gpuinfra.clouds.azure.build import balancer, identity, machine, network, scaling, traffic
from gpuinfra.clouds.azure.build.children import GROUPED, Children
from gpuinfra.clouds.azure.build.image import find_image
from gpuinfra.clouds.azure.build.storage import BUCKETS, mounted
from gpuinfra.clouds.azure.machines import planned_machine
from gpuinfra.clouds.azure.network import workload_network
from gpuinfra.clouds.building import buckets
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.clients import clients_of
from gpuinfra.clouds.building.network import take_callers
from gpuinfra.clouds.order import Given, Order, Served
from gpuinfra.model import Group, Rung
from gpuinfra.stackfile.schema import Inference

KINDS: Final[Kinds] = {
    **GROUPED,
    **network.KINDS,
    **traffic.KINDS,
    **balancer.KINDS,
    **scaling.KINDS,
    "group": azure.compute.VirtualMachineScaleSet,
}

GRACE: Final = "PT30M"
"""How long a machine may be unwell after a change before it is replaced, 10 to 90 minutes: images
of tens of GB and models load first."""

ROLLING: Final[Mapping[str, Any]] = {
    "mode": "Rolling",
    "rolling_upgrade_policy": {
        "max_batch_instance_percent": 20,
        "max_unhealthy_instance_percent": 50,
        "max_unhealthy_upgraded_instance_percent": 50,
        "pause_time_between_batches": "PT5M",
    },
}
"""A change of the model rolls through the pool while most of it serves:
https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-upgrade-policy
"""

SIZE: Final = "sku.capacity"
"""The one property of the scale set that an update ignores: the autoscale setting changes it."""


def build_pool(order: Order, group: Group, workload: Inference, given: Given) -> Served:
    """Register an inference pool as its plan has it.

    A container in an Azure registry takes the role AcrPull on that registry, which is the
    caller's to give to the pool's `identity`: an image's name does not say where its registry
    stands.

    Raises:
        InputError: the network, the buckets, the image or the customised children do not fit.
    """
    rung = group.rung
    planned = planned_machine(rung)
    layout = workload_network()
    wanted = buckets.uses(workload.data)
    children = Children(order, given, {**KINDS, **identity.kinds(wanted)})
    granted = buckets.grants(order.name, wanted, given.buckets, BUCKETS)
    metric, target = scaling.figure(workload.scale_on)
    found = find_image(order.name, workload.machine_image, "inference", planned.architecture)
    addresses = layout.cidr if given.network is None else given.network.cidr_block
    clients = clients_of(order.name, addresses)
    resource_group = children.make_resource_group()
    firewall = traffic.firewall(children, traffic.from_clients(clients, workload.port))
    place = (
        network.make_own(children, layout, firewall)
        if given.network is None
        else take_callers(
            order.name,
            given.network,
            subnets="one subnet or more; the machines and the address stand in the first",
            accepted=len(given.network.subnet_ids) > 0,
        )
    )
    who = identity.make_identity(
        children,
        resource_group,
        identity.accesses(order.name, wanted, granted),
        metrics=True,
    )
    front = balancer.make_front(
        children,
        resource_group,
        place.subnet_ids[0],
        serves=workload.port,
        health=workload.health,
    )
    made = _group(
        children,
        group,
        machine.Launch(
            name=order.name,
            type=rung.machine,
            disk=workload.disk,
            image=found,
            identity=who,
            subnet=place.subnet_ids[0],
            firewall=firewall.id,
            start=buckets.script(
                wanted, mounted(granted), partial(starts.pool_script, order.name, workload)
            ),
            spot=_has_spot(rung),
            spot_price=rung.max_price,
            backend=front.backend,
            health=health(workload),
        ),
        ready=(*place.ready, *who.ready),
    )
    scaling.autoscale(children, group, made.id, metric, target)
    children.finish()
    return Served(
        url=front.url,
        group_name=made.name,
        template_id=None,
        load_balancer_id=front.id,
        identity=who.id,
        firewall_id=firewall.id,
        network_id=pulumi.Output.from_input(place.vpc_id),
        image_id=pulumi.Output.from_input(found.word),
    )


def mix(rung: Rung) -> Mapping[str, Any]:
    """How a pool's machines are bought: a base on demand, and shares above it.

    A set that holds spot machines at all is one of priority Spot; Azure takes the base and the
    shares from the mix: https://learn.microsoft.com/azure/virtual-machine-scale-sets/spot-priority-mix
    """
    if not _has_spot(rung):
        return {}
    regular = int(100 * (Decimal(1) - rung.spot_share_above_base))
    return {
        "priority_mix_policy": {
            "base_regular_priority_count": rung.on_demand_base,
            "regular_priority_percentage_above_base": regular,
        }
    }


def health(workload: Inference) -> Mapping[str, Any]:
    """The extension that asks the server, from inside, whether it is well: 200 and nothing else.

    A flexible scale set takes no load balancer's word for it.
    https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-health-extension
    """
    extension = {
        "name": "health",
        "publisher": "Microsoft.ManagedServices",
        "type": "ApplicationHealthLinux",
        "type_handler_version": "1.0",
        "auto_upgrade_minor_version": True,
        "settings": {
            "protocol": "http",
            "port": workload.port,
            "requestPath": workload.health,
        },
    }
    return {"extensions": [extension]}


def _group(
    children: Children,
    group: Group,
    launch: machine.Launch,
    *,
    ready: Sequence[pulumi.Resource],
) -> azure.compute.VirtualMachineScaleSet:
    """The scale set; the autoscale setting alone says how many of its machines run.

    Azure changes no set's priority, so another one makes the set anew.
    """
    rung = group.rung
    return children.make(
        azure.compute.VirtualMachineScaleSet,
        "group",
        opts=children.options(
            depends_on=list(ready),
            ignore_changes=[SIZE],
            replacement_trigger=["spot" if launch.spot else "regular", *rung.zones],
        ),
        sku={"name": rung.machine, "tier": "Standard", "capacity": group.minimum},
        orchestration_mode="Flexible",
        single_placement_group=False,
        platform_fault_domain_count=1,
        upgrade_policy=ROLLING,
        automatic_repairs_policy={
            "enabled": True,
            "grace_period": GRACE,
            "repair_action": "Replace",
        },
        **mix(rung),
        **machine.placed(rung),
        **machine.model(launch),
    )


def _has_spot(rung: Rung) -> bool:
    return rung.spot_share_above_base > 0

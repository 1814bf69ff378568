"""Builds a training node or cluster: its network, identity and scale set of fixed size."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any, Final

import pulumi
import pulumi_azure_native as azure

from gpuinfra.clouds.azure import starts
from gpuinfra.clouds.azure.build import identity, machine, network, traffic
from gpuinfra.clouds.azure.build.children import GROUPED, Children
from gpuinfra.clouds.azure.build.image import find_image
from gpuinfra.clouds.azure.build.storage import BUCKETS, mounted
from gpuinfra.clouds.azure.environment import family_environment
from gpuinfra.clouds.azure.machines import planned_machine
from gpuinfra.clouds.azure.network import workload_network
from gpuinfra.clouds.building import buckets
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.network import CallersNetwork, take_callers
from gpuinfra.clouds.order import Given, Order, Trained
from gpuinfra.model import Group
from gpuinfra.stackfile.schema import Training

KINDS: Final[Kinds] = {
    **GROUPED,
    **network.KINDS,
    **traffic.KINDS,
    "group": azure.compute.VirtualMachineScaleSet,
}

JOINED: Final[Mapping[str, Any]] = {
    "orchestration_mode": "Uniform",
    "single_placement_group": True,
    "overprovision": False,
}
"""InfiniBand joins the machines of one scale set in a single placement group, and no others; a
machine made beyond the number and deleted again would be one of a run:
https://learn.microsoft.com/azure/virtual-machines/setup-infiniband"""

TOGETHER: Final[Mapping[str, Any]] = {**JOINED, "single_placement_group": False}
"""Without InfiniBand no single placement group is advised, so that Azure finds room sooner; the
machines still find each other in a list that only uniform sets have:
https://learn.microsoft.com/azure/virtual-machine-scale-sets/use-spot#placement-groups"""

ALONE: Final[Mapping[str, Any]] = {
    "orchestration_mode": "Flexible",
    "single_placement_group": False,
}
"""The mode that Azure advises where nothing speaks against it:
https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-orchestration-modes
"""

RESTORED: Final[Mapping[str, Any]] = {"enabled": True, "restore_timeout": "PT1H"}
"""Azure tries for so long to make an evicted machine again, when it has room:
https://learn.microsoft.com/azure/virtual-machine-scale-sets/use-spot#try--restore"""


def build_training(order: Order, group: Group, workload: Training, given: Given) -> Trained:
    """Register a training workload as its plan has it.

    One machine is a scale set of size one. Nothing that Azure makes is outside the workload's own
    resource group, which goes with it.

    Raises:
        InputError: the network, the buckets, the image or the customised children do not fit.
    """
    nodes, rung = workload.nodes, group.rung
    planned = planned_machine(rung)
    layout = workload_network(nodes)
    wanted = (*buckets.uses(workload.data), *buckets.checkpoints(workload))
    children = Children(order, given, {**KINDS, **identity.kinds(wanted)})
    granted = buckets.grants(order.name, wanted, given.buckets, BUCKETS)
    found = find_image(order.name, workload.machine_image, "training", planned.architecture)
    write = partial(
        starts.training_script,
        order.name,
        order.region,
        workload,
        gpus=max(1, ceil(planned.gpu_count)),
        environment=family_environment(planned.type),
    )
    resource_group = children.make_resource_group()
    together = nodes > 1
    shape = JOINED if group.fabric is not None else TOGETHER if together else ALONE
    peers = _peers(given.network, layout.subnet)
    firewall = traffic.firewall(children, traffic.between_machines(peers) if together else [])
    place = (
        network.make_own(children, layout, firewall)
        if given.network is None
        else take_callers(
            order.name,
            given.network,
            subnets="one subnet: the machines of a scale set stand in one",
            accepted=len(given.network.subnet_ids) == 1,
        )
    )
    who = identity.make_identity(
        children,
        resource_group,
        identity.accesses(order.name, wanted, granted),
        peers=together,
    )
    made = _group(
        children,
        group,
        {**shape, "sku": {"name": rung.machine, "tier": "Standard", "capacity": nodes}},
        machine.Launch(
            name=order.name,
            type=rung.machine,
            disk=workload.disk,
            image=found,
            identity=who,
            subnet=place.subnet_ids[0],
            firewall=firewall.id,
            start=buckets.script(wanted, mounted(granted), write),
            spot=rung.capacity == "spot",
            spot_price=rung.max_price,
            flexible=shape is ALONE,
        ),
        ready=(*place.ready, *who.ready),
    )
    children.finish()
    return Trained(
        group_name=made.name,
        template_id=None,
        identity=who.id,
        firewall_id=firewall.id,
        network_id=pulumi.Output.from_input(place.vpc_id),
        subnet_id=pulumi.Output.from_input(place.subnet_ids[0]),
        image_id=pulumi.Output.from_input(found.word),
    )


def _group(
    children: Children,
    group: Group,
    shape: Mapping[str, Any],
    launch: machine.Launch,
    *,
    ready: Sequence[pulumi.Resource],
) -> azure.compute.VirtualMachineScaleSet:
    """The scale set, of fixed size, in at most one zone.

    Another machine, place or way to buy it makes the set anew, the old one deleted first: Azure
    changes neither the priority nor the mode of a set, and a fixed one would keep its machines and
    so differ from what was priced and judged. Other changes of the model reach a machine when it
    is next replaced, never mid-run.
    """
    rung = group.rung
    return children.make(
        azure.compute.VirtualMachineScaleSet,
        "group",
        opts=children.options(
            depends_on=list(ready),
            replacement_trigger=[
                rung.machine,
                rung.capacity,
                shape["orchestration_mode"],
                "one group" if shape["single_placement_group"] else "any group",
                *rung.zones,
            ],
            delete_before_replace=True,
        ),
        platform_fault_domain_count=1,
        upgrade_policy={"mode": "Manual"},
        **shape,
        **machine.placed(rung),
        **machine.model(launch),
        **({"spot_restore_policy": RESTORED} if launch.spot else {}),
    )


def _peers(network: CallersNetwork | None, own: str) -> pulumi.Input[str]:
    """The addresses of the machines: their subnet, or what the caller says of their network."""
    if network is None:
        return own
    return traffic.NETWORK if network.cidr_block is None else network.cidr_block

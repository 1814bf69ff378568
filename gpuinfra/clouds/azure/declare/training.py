"""Declares a training node or cluster: its network, identity and scale set of fixed size."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any, Final

from gpuinfra.clouds.azure import start_scripts
from gpuinfra.clouds.azure.declare import identity, machine, network, scaling, security_groups
from gpuinfra.clouds.azure.declare.bucket_names import BUCKETS, with_mount_names
from gpuinfra.clouds.azure.declare.children import Children
from gpuinfra.clouds.azure.declare.image import find_image
from gpuinfra.clouds.azure.machines import planned_machine
from gpuinfra.clouds.azure.nccl_environment import family_environment
from gpuinfra.clouds.azure.network import workload_network
from gpuinfra.clouds.build_spec import BuildSpec, TrainingOutputs
from gpuinfra.clouds.declaring import buckets
from gpuinfra.clouds.declaring.children import CLUSTER, NODE
from gpuinfra.clouds.declaring.deadline import moment_of
from gpuinfra.clouds.declaring.inputs import CallersNetwork, RuntimeInputs
from gpuinfra.clouds.declaring.network import take_callers, with_named_network
from gpuinfra.graph import Options, Resource, ResourceGraph
from gpuinfra.model import Group
from gpuinfra.specs.schema import Training

FABRIC_MODE: Final[Mapping[str, Any]] = {
    "orchestrationMode": "Uniform",
    "singlePlacementGroup": True,
    "overprovision": False,
}
"""InfiniBand joins the machines of one scale set in a single placement group, and no others; a
machine made beyond the number and deleted again would be one of a run:
https://learn.microsoft.com/azure/virtual-machines/setup-infiniband"""

UNIFORM_MODE: Final[Mapping[str, Any]] = {**FABRIC_MODE, "singlePlacementGroup": False}
"""Without InfiniBand no single placement group is advised, so that Azure finds capacity sooner;
the machines still find each other in a list that only uniform sets have:
https://learn.microsoft.com/azure/virtual-machine-scale-sets/use-spot#placement-groups"""

FLEXIBLE_MODE: Final[Mapping[str, Any]] = {
    "orchestrationMode": "Flexible",
    "singlePlacementGroup": False,
}
"""The mode that Azure advises where nothing speaks against it:
https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-orchestration-modes
"""

SPOT_RESTORE_POLICY: Final[Mapping[str, Any]] = {"enabled": True, "restoreTimeout": "PT1H"}
"""Azure tries for this long to restore an evicted machine, when it has capacity:
https://learn.microsoft.com/azure/virtual-machine-scale-sets/use-spot#try--restore"""


def declare_training(
    spec: BuildSpec, group: Group, workload: Training, key: str, inputs: RuntimeInputs
) -> ResourceGraph:
    """Declare a training workload according to its plan.

    One machine is a scale set of size one. Nothing that Azure makes is outside the workload's own
    resource group, which goes with it.

    Raises:
        InputError: the network, the buckets or the image do not fit.
    """
    nodes, rung, inputs = workload.nodes, group.rung, with_named_network(spec, inputs)
    machine_plan = planned_machine(rung)
    layout = workload_network(nodes)
    bucket_uses = (*buckets.uses(workload.data), *buckets.checkpoints(workload))
    children = Children(spec, key, NODE if nodes == 1 else CLUSTER)
    bucket_grants = buckets.grants(spec.name, bucket_uses, inputs.buckets, BUCKETS)
    machine_image = spec.value("machine_image", workload.machine_image)
    image = find_image(spec.name, machine_image, "training", machine_plan.architecture)
    write = partial(
        start_scripts.training_script,
        spec.name,
        spec.region,
        workload,
        gpus=max(1, ceil(machine_plan.gpu_count)),
        environment=family_environment(machine_plan.type),
    )
    resource_group = children.make_resource_group()
    trains_together = nodes > 1
    shape = UNIFORM_MODE if trains_together else FLEXIBLE_MODE
    if group.fabric is not None:
        shape = FABRIC_MODE
    peers = _peers(inputs.network, layout.subnet)
    firewall = security_groups.firewall(
        children, security_groups.between_machines(peers) if trains_together else []
    )
    network_place = (
        network.declare_own(children, layout, firewall)
        if inputs.network is None
        else take_callers(
            spec.name,
            inputs.network,
            subnets="one subnet: the machines of a scale set are in one",
            accepts_count=(1).__eq__,
        )
    )
    machine_identity = identity.declare_identity(
        children,
        resource_group,
        identity.accesses(spec.name, bucket_uses, bucket_grants),
        peers=trains_together,
    )
    scale_set = _group(
        children,
        group,
        {**shape, "sku": {"name": rung.machine, "tier": "Standard", "capacity": nodes}},
        machine.LaunchSpec(
            name=spec.name,
            type=rung.machine,
            disk=workload.disk,
            image=image,
            identity=machine_identity,
            subnet=network_place.first_subnet,
            firewall=firewall["id"],
            start=buckets.script(
                bucket_uses, with_mount_names(bucket_grants), write, client=machine_identity.client
            ),
            spot=rung.capacity == "spot",
            spot_price=rung.max_price,
            flexible=shape is FLEXIBLE_MODE,
        ),
        start_after=(*network_place.start_after, *machine_identity.start_after),
    )
    life = workload.time_to_live
    if life is not None:
        moment = moment_of(children, "end", group.name, life)
        scaling.time_limit_setting(children, nodes, life, moment, scale_set["id"])
    children.graph.outputs[key] = TrainingOutputs(
        group_name=scale_set["name"],
        template_id=None,
        identity=machine_identity.id,
        firewall_id=firewall["id"],
        network_id=network_place.vpc_id,
        subnet_id=network_place.first_subnet,
        image_id=image.word,
    )
    return children.graph


def _group(
    children: Children,
    group: Group,
    shape: Mapping[str, Any],
    launch: machine.LaunchSpec,
    *,
    start_after: Sequence[str],
) -> Resource:
    """Declare the scale set, of fixed size, in at most one zone.

    Another machine, place or way to buy it replaces the set, the old one first: Azure
    changes neither the priority nor the mode of a set, and a fixed one would keep its machines and
    so differ from what was priced and judged. Other changes of the model reach a machine when it
    is next replaced, never mid-run.
    """
    rung = group.rung
    return children.make(
        "azure-native:compute:VirtualMachineScaleSet",
        "group",
        Options(
            depends_on=tuple(start_after),
            replacement_trigger=(
                rung.machine,
                rung.capacity,
                shape["orchestrationMode"],
                "one group" if shape["singlePlacementGroup"] else "any group",
                *rung.zones,
            ),
            delete_before_replace=True,
        ),
        platformFaultDomainCount=1,
        upgradePolicy={"mode": "Manual"},
        **shape,
        **machine.placement_arguments(rung),
        **machine.model(launch),
        **({"spotRestorePolicy": SPOT_RESTORE_POLICY} if launch.spot else {}),
    )


def _peers(network: CallersNetwork | None, own_range: str) -> Any:
    """Return the machines' addresses: their subnet, or the range of the caller's network."""
    if network is None:
        return own_range
    return security_groups.NETWORK if network.cidr_block is None else network.cidr_block

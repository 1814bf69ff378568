"""Declares an inference pool: machines behind an internal load balancer, with scaling."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.azure import start_scripts
from gpuinfra.clouds.azure.declare import identity, machine, network, scaling, security_groups
from gpuinfra.clouds.azure.declare import load_balancer as balancer
from gpuinfra.clouds.azure.declare.bucket_names import BUCKETS, with_mount_names
from gpuinfra.clouds.azure.declare.children import Children
from gpuinfra.clouds.azure.declare.image import find_image
from gpuinfra.clouds.azure.machines import planned_machine
from gpuinfra.clouds.azure.network import workload_network
from gpuinfra.clouds.build_spec import BuildSpec, InferenceOutputs
from gpuinfra.clouds.declaring import buckets
from gpuinfra.clouds.declaring.children import POOL
from gpuinfra.clouds.declaring.inputs import RuntimeInputs
from gpuinfra.clouds.declaring.network import clients_of, take_callers, with_named_network
from gpuinfra.graph import Options, Resource, ResourceGraph
from gpuinfra.model import Group, Rung
from gpuinfra.specs.schema import Inference

GRACE: Final = "PT30M"
"""How long a machine may be unhealthy after a change before it is replaced, 10 to 90 minutes:
images of tens of GB and models load first."""

ROLLING: Final[Mapping[str, Any]] = {
    "mode": "Rolling",
    "rollingUpgradePolicy": {
        "maxBatchInstancePercent": 20,
        "maxUnhealthyInstancePercent": 50,
        "maxUnhealthyUpgradedInstancePercent": 50,
        "pauseTimeBetweenBatches": "PT5M",
        "maxSurge": True,
    },
}
"""A change of the model rolls through the pool: machines with the new one start beside the old.

Those that are upgraded in place keep their custom data, and with it the image, the port and the
mounts that they started with.
https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-maxsurge
https://learn.microsoft.com/azure/virtual-machines/custom-data
"""

SIZE: Final = "sku.capacity"
"""The one property of the scale set that an update ignores, where autoscale changes it."""


def declare_pool(
    spec: BuildSpec, group: Group, workload: Inference, key: str, inputs: RuntimeInputs
) -> ResourceGraph:
    """Declare an inference pool according to its plan.

    A container in an Azure registry takes the role AcrPull on that registry, which is the
    caller's to give to the pool's `identity`: an image's name does not say where its registry
    stands.

    Raises:
        InputError: the network, the buckets or the image do not fit.
    """
    rung, inputs = group.rung, with_named_network(spec, inputs)
    machine_plan = planned_machine(rung)
    layout = workload_network()
    bucket_uses = buckets.uses(workload.data)
    children = Children(spec, key, POOL)
    bucket_grants = buckets.grants(spec.name, bucket_uses, inputs.buckets, BUCKETS)
    metric, target = scaling.pool_metric(workload.scale_on)
    machine_image = spec.value("machine_image", workload.machine_image)
    image = find_image(spec.name, machine_image, "inference", machine_plan.architecture)
    addresses = layout.cidr if inputs.network is None else inputs.network.cidr_block
    clients = clients_of(spec.name, addresses)
    resource_group = children.make_resource_group()
    firewall = security_groups.firewall(
        children, security_groups.from_clients(clients, workload.port)
    )
    network_place = (
        network.declare_own(children, layout, firewall)
        if inputs.network is None
        else take_callers(
            spec.name,
            inputs.network,
            subnets="one subnet or more; the machines and the address are in the first",
            accepts_count=bool,
        )
    )
    machine_identity = identity.declare_identity(
        children,
        resource_group,
        identity.accesses(spec.name, bucket_uses, bucket_grants),
        metrics=True,
    )
    load_balancer = balancer.declare_frontend(
        children,
        resource_group,
        network_place.first_subnet,
        serves=workload.port,
        health=workload.health,
    )
    scale_set = _group(
        children,
        group,
        machine.LaunchSpec(
            name=spec.name,
            type=rung.machine,
            disk=workload.disk,
            image=image,
            identity=machine_identity,
            subnet=network_place.first_subnet,
            firewall=firewall["id"],
            start=buckets.script(
                bucket_uses,
                with_mount_names(bucket_grants),
                buckets.with_arguments(partial(start_scripts.pool_script, spec.name), workload),
                client=machine_identity.client,
                image=spec.value("image", workload.image),
                args=spec.value("args", workload.args),
            ),
            spot=_has_spot(rung),
            spot_price=rung.max_price,
            backend=load_balancer.backend,
            health=health(workload),
        ),
        start_after=(*network_place.start_after, *machine_identity.start_after),
    )
    if group.minimum != group.maximum:
        scaling.autoscale(children, group, scale_set["id"], metric, target)
    elif _has_spot(rung):
        scaling.fixed_size_setting(children, group.minimum, scale_set["id"])
    children.graph.outputs[key] = InferenceOutputs(
        url=load_balancer.url,
        group_name=scale_set["name"],
        template_id=None,
        load_balancer_id=load_balancer.id,
        identity=machine_identity.id,
        firewall_id=firewall["id"],
        network_id=network_place.vpc_id,
        image_id=image.word,
    )
    return children.graph


def mix(rung: Rung) -> Mapping[str, Any]:
    """Return the purchase options of a pool's machines: an on-demand base, and shares above it.

    A set that holds spot machines at all is one of priority Spot; Azure takes the base and the
    shares from the mix:
    https://learn.microsoft.com/azure/virtual-machine-scale-sets/spot-priority-mix
    """
    if not _has_spot(rung):
        return {}
    regular = int(100 * (Decimal(1) - rung.spot_share_above_base))
    return {
        "priorityMixPolicy": {
            "baseRegularPriorityCount": rung.on_demand_base,
            "regularPriorityPercentageAboveBase": regular,
        }
    }


def health(workload: Inference) -> Mapping[str, Any]:
    """Return the extension that checks the server's health locally: only 200 is healthy.

    A flexible scale set takes no load balancer's word for it.
    https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-health-extension
    """
    extension = {
        "name": "health",
        "publisher": "Microsoft.ManagedServices",
        "type": "ApplicationHealthLinux",
        "typeHandlerVersion": "1.0",
        "autoUpgradeMinorVersion": True,
        "settings": {
            "protocol": "http",
            "port": workload.port,
            "requestPath": workload.health,
        },
    }
    return {"extensions": [extension]}


def _group(
    children: Children, group: Group, launch: machine.LaunchSpec, *, start_after: Sequence[str]
) -> Resource:
    """Declare the scale set, whose size the autoscale setting alone determines.

    Azure changes no set's priority or zones, so another one replaces the set: by options on these
    inputs, since a policy is not shown whether a trigger changes, and would count the set twice.
    https://github.com/pulumi/pulumi-azure-native/blob/master/provider/pkg/provider/diff.go
    """
    rung = group.rung
    return children.make(
        "azure-native:compute:VirtualMachineScaleSet",
        "group",
        Options(
            depends_on=tuple(start_after),
            ignore_changes=(SIZE,) if group.minimum != group.maximum else (),
            replace_on_changes=("virtualMachineProfile.priority", "zones"),
        ),
        sku={"name": rung.machine, "tier": "Standard", "capacity": group.minimum},
        orchestrationMode="Flexible",
        singlePlacementGroup=False,
        platformFaultDomainCount=1,
        upgradePolicy=ROLLING,
        automaticRepairsPolicy={
            "enabled": True,
            "gracePeriod": GRACE,
            "repairAction": "Replace",
        },
        **mix(rung),
        **machine.placement_arguments(rung),
        **machine.model(launch),
    )


def _has_spot(rung: Rung) -> bool:
    return rung.spot_share_above_base > 0

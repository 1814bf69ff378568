"""Declares a training node or cluster: its network, account, instance template and group."""

from collections.abc import Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from gpuinfra.clouds.build_spec import BuildSpec, TrainingOutputs
from gpuinfra.clouds.declaring import buckets
from gpuinfra.clouds.declaring.children import CLUSTER, NODE
from gpuinfra.clouds.declaring.deadline import moment_of
from gpuinfra.clouds.declaring.inputs import RuntimeInputs
from gpuinfra.clouds.declaring.network import with_named_network
from gpuinfra.clouds.gcp import start_scripts
from gpuinfra.clouds.gcp.declare import firewalls, identity, instance_template, network
from gpuinfra.clouds.gcp.declare.children import Children
from gpuinfra.clouds.gcp.declare.image import find_image
from gpuinfra.clouds.gcp.declare.names import BUCKETS, machines_name
from gpuinfra.clouds.gcp.machines import planned_machine
from gpuinfra.clouds.gcp.network import nic_layout, training_network
from gpuinfra.graph import Options, Ref, Resource, ResourceGraph
from gpuinfra.model import Group
from gpuinfra.specs.schema import Training
from gpuinfra.units import format_duration

CAPACITY: Final = MappingProxyType({"create": "10m", "update": "10m"})
"""How long an update waits for all machines; no capacity by then is an answer: the next rung."""

UPDATE_ON_REPAIR: Final = {"forceUpdateOnRepair": "YES"}
"""A machine that is made again, after an interruption or a fault, starts from today's template;
without it from the one that it had:
https://docs.cloud.google.com/compute/docs/instance-groups/update-on-repair"""

COLLOCATED_POLICY: Final = {"collocation": "COLLOCATED"}
"""As close together as the zone's capacity allows. Some machine types do not take a maximum
distance, and a VM count would have to be met all at once:
https://docs.cloud.google.com/compute/docs/instances/use-compact-placement-policies"""


def declare_training(
    spec: BuildSpec, group: Group, workload: Training, key: str, inputs: RuntimeInputs
) -> ResourceGraph:
    """Declare a training workload according to its plan.

    One machine is a group of size one, so that a lost machine comes back.

    Raises:
        InputError: the network, the buckets or the image do not fit.
    """
    nodes, rung, life = workload.nodes, group.rung, workload.time_to_live
    machine, fabric = planned_machine(rung), group.fabric is not None
    inputs = with_named_network(spec, inputs)
    layout = training_network(spec.region, rung.zones, nodes, machine=machine, fabric=fabric)
    bucket_uses = (*buckets.uses(workload.data), *buckets.checkpoints(workload))
    children = Children(spec, key, NODE if nodes == 1 else CLUSTER)
    bucket_grants = buckets.grants(spec.name, bucket_uses, inputs.buckets, BUCKETS)
    write = partial(
        start_scripts.training_script,
        spec.name,
        spec.region,
        workload,
        machine=machine,
        fabric=fabric,
    )
    network_place = network.make_place(
        children, layout, inputs.network, subnets="one subnet: the fabric is in one zone"
    )
    own_range = network.main_range(layout) if inputs.network is None else None
    planes = network.make_planes(children, layout)
    machine_identity = identity.make_identity(
        children, bucket_uses, bucket_grants, peers=nodes > 1
    )
    firewall = firewalls.login(children, network_place.vpc_id, own_range, machine_identity.account)
    start_after = [
        *network_place.start_after,
        *planes.start_after,
        *machine_identity.start_after,
        firewall.key,
    ]
    if nodes > 1 or fabric:
        start_after.append(
            firewalls.peers(
                children, network_place.vpc_id, own_range, machine_identity.account
            ).key
        )
    image = find_image(
        children,
        spec.value("machine_image", workload.machine_image),
        "training",
        machine,
        locked_id=rung.image,
        renewed=inputs.images_renewed,
    )
    nics = nic_layout(machine, fabric=fabric)
    template = instance_template.instance_template(
        children,
        "template",
        instance_template.LaunchSpec(
            machine=machine,
            disk=workload.disk,
            spot=rung.capacity == "spot",
            image=image,
            identity=machine_identity,
            placement=_placement(children) if fabric else None,
            deletion_time=None if life is None else moment_of(children, "end", group.name, life),
        ),
        interfaces=network.interfaces(nics, network_place.first_subnet, planes),
        start=buckets.script(bucket_uses, bucket_grants, write),
    )
    machines = _group(
        children, group, workload, layout.zones[0], template, start_after=start_after
    )
    children.graph.outputs[key] = TrainingOutputs(
        group_name=machines["name"],
        template_id=template["id"],
        identity=machine_identity.account["email"],
        firewall_id=firewall["id"],
        network_id=network_place.vpc_id,
        subnet_id=network_place.first_subnet,
        image_id=image.id,
    )
    return children.graph


def _placement(children: Children) -> Ref:
    return children.make(
        "gcp:compute/resourcePolicy:ResourcePolicy",
        "placement",
        groupPlacementPolicy=COLLOCATED_POLICY,
    )["selfLink"]


def _group(
    children: Children,
    group: Group,
    workload: Training,
    zone: str,
    template: Resource,
    *,
    start_after: Sequence[str],
) -> Resource:
    """Declare the group, of fixed size, in one zone.

    Another machine, another way to buy it or another time to live replaces the group, the old
    one deleted first: a fixed group would keep its running machines, with the end that they were
    made with, and so differ from what was priced and judged. Other changes of the template reach a
    machine when it is next made, never mid-run, and no update adds machines beside the old ones. A
    machine that is gone is made again.
    """
    nodes, life = workload.nodes, workload.time_to_live
    return children.make(
        "gcp:compute/instanceGroupManager:InstanceGroupManager",
        "group",
        Options(
            depends_on=tuple(start_after),
            replacement_trigger=(
                group.rung.machine,
                group.rung.capacity,
                *([] if life is None else [format_duration(life)]),
            ),
            delete_before_replace=True,
            timeouts=CAPACITY,
        ),
        zone=zone,
        baseInstanceName=machines_name(children.spec.name),
        versions=[{"instanceTemplate": template["selfLink"]}],
        targetSize=nodes,
        updatePolicy={
            "type": "OPPORTUNISTIC",
            "minimalAction": "REPLACE",
            "maxSurgeFixed": 0,
            "maxUnavailableFixed": nodes,
        },
        instanceLifecyclePolicy=UPDATE_ON_REPAIR,
        waitForInstances=True,
        waitForInstancesStatus="STABLE",
    )

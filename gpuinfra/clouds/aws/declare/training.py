"""Declares a training node or cluster: its network, role, launch template, and group or fleet."""

from collections.abc import Mapping
from typing import Any

from gpuinfra.clouds.aws.declare import (
    capacity,
    existing_network,
    identity,
    launch_template,
    network,
    payload,
    security_groups,
    training_group,
)
from gpuinfra.clouds.aws.declare.bucket_names import BUCKETS
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.image import find_image
from gpuinfra.clouds.aws.interfaces import addresses, nic_layout
from gpuinfra.clouds.aws.machines import planned_machine
from gpuinfra.clouds.aws.network import training_network
from gpuinfra.clouds.aws.script_host import host_of
from gpuinfra.clouds.build_spec import BuildSpec, TrainingOutputs
from gpuinfra.clouds.declaring import buckets
from gpuinfra.clouds.declaring.children import CLUSTER, NODE
from gpuinfra.clouds.declaring.inputs import RuntimeInputs
from gpuinfra.clouds.declaring.network import NetworkPlace
from gpuinfra.graph import Resource, ResourceGraph
from gpuinfra.model import Group
from gpuinfra.specs.schema import Training


def declare_training(
    spec: BuildSpec, group: Group, workload: Training, key: str, inputs: RuntimeInputs
) -> ResourceGraph:
    """Declare a training workload according to its plan.

    One machine is a scaling group of size one, so that a lost machine comes back; machines that
    are wanted all at once or not at all are a fleet.

    Raises:
        InputError: the network, the buckets or the image do not fit.
    """
    nodes, rung = workload.nodes, group.rung
    machine = planned_machine(rung)
    nics = nic_layout(machine, fabric=group.fabric is not None, layout=workload.efa_layout)
    layout = training_network(
        spec.region, rung.zones, nodes, each=addresses(nics), spec=spec.network
    )
    children = Children(spec, key, NODE if nodes == 1 else CLUSTER)
    data, checkpoints = buckets.uses(workload.data), buckets.checkpoints(workload)
    bucket_grants = buckets.grants(
        spec.name,
        (*data, *checkpoints),
        inputs.buckets,
        BUCKETS,
        keys=inputs.keys,
        other_buckets=_linked_bucket_name(workload),
    )
    host = host_of(machine, nics)
    need = existing_network.SubnetNeed(
        pool=False,
        types=(rung.machine,),
        machines=nodes,
        addresses_each=addresses(nics),
        has_several_interfaces=len(nics) > 1,
    )
    network_place = network.place_of(children, layout, inputs.network, need)
    security_group = security_groups.machines(
        children, network_place.vpc_id, together=nodes > 1 or group.fabric is not None
    )
    machine_identity = identity.make_identity(
        children,
        bucket_grants,
        peers=nodes > 1,
        extra=payload.training_rights(spec, workload, host),
    )
    mounted = _declare_file_system(
        children, workload, network_place, security_group, inputs.buckets
    )
    ends = rung.ends if rung.capacity == "capacity-block" else None
    start = payload.training(
        children,
        workload,
        payload.MachineAccess(granted=bucket_grants, role=machine_identity.role),
        host=host,
        ends=ends,
        shared=mounted,
    )
    image = find_image(
        children,
        spec.value("machine_image", workload.machine_image),
        "training",
        machine,
        rung.image,
        renewed=inputs.images_renewed,
    )
    bought = capacity.make_capacity(
        children,
        group,
        nodes,
        network_place,
        layout.private[0].zone if _is_made(spec, inputs) else None,
    )
    template = launch_template.launch_template(
        children,
        launch_template.LaunchSpec(
            type=rung.machine,
            nics=nics,
            ena_express=workload.ena_express,
            disk=workload.disk,
            # A fleet asks for spot itself, and is refused with a template that does too.
            spot=rung.capacity == "spot" and not workload.all_or_nothing,
            spot_price=rung.max_price,
            block=rung.capacity == "capacity-block",
            reservation=bought.reservation,
            placement_group=bought.placement_group if workload.all_or_nothing else None,
        ),
        image,
        identity=machine_identity,
        security_group=security_group["id"],
        start=start.text,
    )
    linked = () if mounted is None else mounted.start_after
    start_after = (
        *network_place.start_after,
        *machine_identity.start_after,
        *start.start_after,
        *security_groups.rules(children),
        *linked,
    )
    machines = training_group.TrainingMachines(
        group=group,
        workload=workload,
        template=template,
        capacity=bought,
        subnet_id=network_place.first_subnet,
        start_after=start_after,
    )
    children.graph.outputs[key] = TrainingOutputs(
        group_name=_machines(children, machines),
        template_id=template["id"],
        identity=machine_identity.role["name"],
        firewall_id=security_group["id"],
        network_id=network_place.vpc_id,
        subnet_id=network_place.first_subnet,
        image_id=image.id,
    )
    return children.graph


def _is_made(build_spec: BuildSpec, inputs: RuntimeInputs) -> bool:
    """Return whether the subnet is made by gpuinfra: for this workload or the shared network."""
    spec = build_spec.network
    if inputs.network is not None:
        return spec is not None and spec.shared
    return spec is None or spec.vpc is None


def _linked_bucket_name(workload: Training) -> tuple[str, ...]:
    """Return the name in the stack of the bucket linked to the file system; empty without one."""
    spec = workload.shared_storage
    return () if spec is None or spec.bucket is None else (spec.bucket,)


def _declare_file_system(
    children: Children,
    workload: Training,
    network_place: NetworkPlace,
    machines: Resource,
    buckets: Mapping[str, Any],
) -> payload.LustreMount | None:
    """Declare the file system of the machines; None where the stack file has none."""
    if workload.shared_storage is None:
        return None
    from gpuinfra.clouds.aws.declare.shared_storage import make_shared  # noqa: PLC0415  (few have one)

    return make_shared(children, workload.shared_storage, network_place, machines, buckets)


def _machines(children: Children, machines: training_group.TrainingMachines) -> Any:
    """Declare the machines and return the id of their fleet or the name of their scaling group."""
    if machines.workload.all_or_nothing:
        from gpuinfra.clouds.aws.declare import fleet  # noqa: PLC0415  (most are scaling groups)

        return fleet.make_fleet(children, machines)
    return training_group.make_group(children, machines)["name"]

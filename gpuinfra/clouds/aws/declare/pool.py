"""Declares an inference pool: machines behind a load balancer, or consumers of a queue."""

from typing import Any, Final

from gpuinfra.clouds.aws import userdata
from gpuinfra.clouds.aws.declare import (
    existing_network,
    identity,
    launch_template,
    load_balancer,
    network,
    payload,
    policies,
    pool_group,
    queue,
    scaling,
    security_groups,
)
from gpuinfra.clouds.aws.declare.bucket_names import BUCKETS
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.image import find_image
from gpuinfra.clouds.aws.interfaces import addresses, nic_layout
from gpuinfra.clouds.aws.machines import planned_machine
from gpuinfra.clouds.aws.network import pool_network
from gpuinfra.clouds.aws.statements import allow
from gpuinfra.clouds.build_spec import BuildSpec, InferenceOutputs
from gpuinfra.clouds.declaring import buckets
from gpuinfra.clouds.declaring.children import POOL
from gpuinfra.clouds.declaring.inputs import RuntimeInputs
from gpuinfra.clouds.declaring.pinned_values import pinned_image
from gpuinfra.clouds.startup import uses_gpu_metrics
from gpuinfra.graph import Expression, Lookup, ResourceGraph, concat
from gpuinfra.model import Group
from gpuinfra.specs.schema import Inference

CONTAINER_HOP_LIMIT: Final = 2
"""Hops to the metadata service from a container: its own network is one more.
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-IMDS-new-instances.html"""


def declare_pool(
    spec: BuildSpec, group: Group, workload: Inference, key: str, inputs: RuntimeInputs
) -> ResourceGraph:
    """Declare an inference pool according to its plan.

    Raises:
        InputError: the network, the buckets or the image do not fit.
    """
    rung, works_off = group.rung, workload.scale_on.queue
    machine = planned_machine(rung)
    nics = nic_layout(machine, fabric=False)
    children = Children(spec, key, POOL)
    bucket_uses, image_name = buckets.uses(workload.data), spec.value("image", workload.image)
    bucket_grants = buckets.grants(
        spec.name, bucket_uses, inputs.buckets, BUCKETS, keys=inputs.keys
    )
    network_place = network.place_of(
        children,
        pool_network(spec.region, rung.zones, spec=spec.network),
        inputs.network,
        existing_network.SubnetNeed(
            pool=True,
            types=group.machines or (rung.machine,),
            machines=workload.replicas.maximum or workload.replicas.minimum,
            addresses_each=addresses(nics),
        ),
    )
    servers = security_groups.machines(children, network_place.vpc_id, together=False)
    waiting = None if works_off is None else queue.make_queue(children, works_off)
    answers = (
        None
        if waiting
        else load_balancer.make_load_balancer(children, workload, network_place, servers)
    )
    leaves = answers.targets["arn"] if answers and _may_leave(group) else ""
    machine_identity = identity.make_identity(
        children,
        bucket_grants,
        metrics=uses_gpu_metrics(workload.scale_on) or spec.metrics,
        image=image_name,
        extra={
            **({} if waiting is None else {"messages": queue.rights(waiting)}),
            **({"leaving": [allow(policies.LEAVE, leaves)]} if leaves else {}),
        },
    )
    start = payload.pool(
        children,
        workload,
        payload.MachineAccess(granted=bucket_grants, role=machine_identity.role),
        image=_pinned_container(children, image_name, inputs.images_renewed),
        queue="" if waiting is None else waiting.url,
        targets=leaves,
    )
    image = find_image(
        children,
        spec.value("machine_image", workload.machine_image),
        "inference",
        machine,
        rung.image,
        renewed=inputs.images_renewed,
    )
    template = launch_template.launch_template(
        children,
        launch_template.LaunchSpec(
            type=rung.machine,
            nics=nics,
            disk=workload.disk,
            hops=1 if waiting is None else CONTAINER_HOP_LIMIT,
        ),
        image,
        identity=machine_identity,
        security_group=servers["id"],
        start=start.text,
    )
    machines = pool_group.make_group(
        children,
        group,
        template,
        network_place,
        targets=None if answers is None else answers.targets,
        start_after=(
            *(*network_place.start_after, *machine_identity.start_after, *start.start_after),
            *(*security_groups.rules(children), *_listener_keys(answers)),
        ),
    )
    if works_off is not None and waiting is not None:
        scaling.follow_queue(children, group, works_off, waiting.name, machines)
    elif group.minimum != group.maximum:
        label = "" if answers is None else answers.label
        scaling.tracking(
            children, scaling.target(workload.scale_on, machines["name"], label), machines
        )
    children.graph.outputs[key] = InferenceOutputs(
        url=None if answers is None else answers.url,
        queue_url=None if waiting is None else waiting.url,
        group_name=machines["name"],
        template_id=template["id"],
        load_balancer_id=None if answers is None else answers.balancer["arn"],
        target_group_id=None if answers is None else answers.targets["arn"],
        identity=machine_identity.role["name"],
        firewall_id=servers["id"],
        network_id=network_place.vpc_id,
        image_id=image.id,
    )
    return children.graph


def _may_leave(group: Group) -> bool:
    """Return whether spot machines leave the load balancer at their interruption notice.

    Not where one of them may be the pool's only machine: it serves until it is gone.
    """
    is_spot_mixed = group.rung.on_demand_base or (
        isinstance(group.minimum, int) and group.minimum > 1
    )
    return bool(group.rung.spot_share_above_base and is_spot_mixed)


def _listener_keys(answers: load_balancer.PoolEndpoint | None) -> tuple[str, ...]:
    """Return the keys that the group waits for: requests count once they reach its targets.

    PutScalingPolicy refuses a target group that no listener leads to; and a group that goes first
    has its requests drained.
    """
    return () if answers is None else (answers.listener.key,)


def _pinned_container(children: Children, image: Any, renewed: str) -> Any:
    """Return the image by the digest that its tag pointed to at the first look-up.

    So all machines of a pool run one build, whenever they start; another one comes by an order
    (`gpuinfra up --update-images`). Other registries are not queried: write the digest. Nor is
    the registry of an output, whose name is not known yet: give one with its digest.
    """
    if isinstance(image, Expression):
        return image
    location = userdata.ecr(image)
    if location is None or "@" in image:
        return image
    registry, region = location
    name, _, tag = image.removeprefix(f"{registry}/").partition(":")
    arguments = {
        "registryId": registry.partition(".")[0],
        "repositoryName": name,
        "imageTag": tag or "latest",
        "region": region,
    }
    looked_up = Lookup("aws:ecr/getImage:getImage", arguments, "imageDigest")
    digest = pinned_image(children, (region, image), looked_up, renewed, "container_pin")
    return concat(f"{registry}/{name}@", digest)

"""Declares an inference pool: machines behind an internal load balancer, with scaling."""

from collections.abc import Sequence
from functools import partial
from math import ceil
from typing import Final

from gpuinfra.clouds.build_spec import BuildSpec, InferenceOutputs
from gpuinfra.clouds.declaring import buckets
from gpuinfra.clouds.declaring.children import POOL
from gpuinfra.clouds.declaring.inputs import RuntimeInputs
from gpuinfra.clouds.declaring.network import clients_of, with_named_network
from gpuinfra.clouds.gcp import start_scripts
from gpuinfra.clouds.gcp.declare import firewalls, identity, instance_template, network, scaling
from gpuinfra.clouds.gcp.declare import load_balancer as balancing
from gpuinfra.clouds.gcp.declare.children import Children
from gpuinfra.clouds.gcp.declare.image import find_image
from gpuinfra.clouds.gcp.declare.names import BUCKETS, machines_name
from gpuinfra.clouds.gcp.declare.training import CAPACITY
from gpuinfra.clouds.gcp.machines import planned_machine
from gpuinfra.clouds.gcp.network import nic_layout, pool_network
from gpuinfra.clouds.gcp.userdata import registry
from gpuinfra.clouds.startup import uses_gpu_metrics
from gpuinfra.graph import Expression, Options, Resource, ResourceGraph, concat
from gpuinfra.model import Group, Machine
from gpuinfra.records import record
from gpuinfra.specs.schema import Inference, ScaleOn

GRACE: Final = 900
"""Seconds before a failed health check counts: images of tens of GB and models load first."""

CREATE_SECONDS: Final = 600
"""Seconds for the machines themselves, beside GRACE; as long as training waits for them."""


@record
class PoolPart:
    """The machines of a pool with the same purchase option, in a group of their own.

    `suffix` is what the names of its children end with; a part of fixed size has no
    autoscaler.
    """

    suffix: str
    spot: bool
    minimum: int
    maximum: int

    @property
    def is_fixed_size(self) -> bool:
        """Whether its number of machines is fixed."""
        return self.minimum == self.maximum


def pool_parts(group: Group) -> tuple[PoolPart, ...]:
    """Return the parts of a pool, one for each purchase option.

    A managed group's template says how all of its machines are bought, so a base on demand with
    spot above it is two groups, of which the second grows:
    https://docs.cloud.google.com/compute/docs/instance-groups
    """
    on_demand_base, least, most = group.rung.on_demand_base, group.minimum, group.maximum
    if not isinstance(least, int) or not isinstance(most, int):
        raise TypeError(f"{group.name}: a planned pool needs a fixed size")
    if not group.rung.spot_share_above_base or on_demand_base >= most:
        return (PoolPart(suffix="", spot=False, minimum=least, maximum=most),)
    if on_demand_base == 0:
        return (PoolPart(suffix="", spot=True, minimum=least, maximum=most),)
    spot_part = PoolPart(
        suffix="_spot",
        spot=True,
        minimum=max(0, least - on_demand_base),
        maximum=most - on_demand_base,
    )
    return (
        PoolPart(suffix="", spot=False, minimum=on_demand_base, maximum=on_demand_base),
        spot_part,
    )


def declare_pool(
    spec: BuildSpec, group: Group, workload: Inference, key: str, inputs: RuntimeInputs
) -> ResourceGraph:
    """Declare an inference pool according to its plan.

    Raises:
        InputError: the network, the buckets, the image or the figure to follow do not fit.
    """
    rung, inputs = group.rung, with_named_network(spec, inputs)
    machine = planned_machine(rung)
    layout = pool_network(spec.region, rung.zones, machine=machine)
    bucket_uses, image_name = buckets.uses(workload.data), spec.value("image", workload.image)
    children = Children(spec, key, POOL)
    bucket_grants = buckets.grants(spec.name, bucket_uses, inputs.buckets, BUCKETS)
    network_place = network.make_place(
        children,
        layout,
        inputs.network,
        subnets="one subnet, which spans the zones of its region",
    )
    subnet = network_place.first_subnet
    own_range = network.main_range(layout) if inputs.network is None else None
    machine_identity = identity.make_identity(
        children,
        bucket_uses,
        bucket_grants,
        agent=uses_gpu_metrics(workload.scale_on),
        registry=isinstance(image_name, Expression) or registry(image_name) is not None,
    )
    firewall = firewalls.login(children, network_place.vpc_id, own_range, machine_identity.account)
    image = find_image(
        children,
        spec.value("machine_image", workload.machine_image),
        "inference",
        machine,
        locked_id=rung.image,
        renewed=inputs.images_renewed,
    )
    serving_rules = firewalls.serving(
        children,
        network_place.vpc_id,
        own_range,
        machine_identity.account,
        clients=clients_of(spec.name, network_place.cidr_block),
        port=workload.port,
    )
    start_after = (
        *network_place.start_after,
        *machine_identity.start_after,
        firewall.key,
        *serving_rules,
    )
    health = balancing.health_check(children, workload.health, workload.port)
    nics = nic_layout(machine, fabric=False)
    template_of = partial(
        instance_template.instance_template,
        children,
        interfaces=network.interfaces(nics, subnet, network.FabricSubnets()),
        start=buckets.script(
            bucket_uses,
            bucket_grants,
            buckets.with_arguments(partial(start_scripts.pool_script, spec.name), workload),
            image=image_name,
            args=spec.value("args", workload.args),
        ),
    )
    templates, groups = [], []
    for part in pool_parts(group):
        launch = instance_template.LaunchSpec(
            machine=machine,
            disk=workload.disk,
            spot=part.spot,
            image=image,
            identity=machine_identity,
        )
        templates.append(template_of(f"template{part.suffix}", launch))
        groups.append(_group(children, part, layout.zones, templates[-1], health, start_after))
        if not part.is_fixed_size:
            _autoscaler(children, part, groups[-1], workload.scale_on, machine)
    load_balancer = balancing.make_load_balancer(
        children, health, groups, network=network_place.vpc_id, subnet=subnet, port=workload.port
    )
    children.graph.outputs[key] = InferenceOutputs(
        url=concat("http://", load_balancer["ipAddress"], f":{workload.port}"),
        load_balancer_id=load_balancer["id"],
        group_name=groups[0]["name"],
        template_id=templates[0]["id"],
        identity=machine_identity.account["email"],
        firewall_id=firewall["id"],
        network_id=network_place.vpc_id,
        image_id=image.id,
    )
    return children.graph


def _group(
    children: Children,
    pool_part: PoolPart,
    zones: Sequence[str],
    template: Resource,
    health: Resource,
    start_after: Sequence[str],
) -> Resource:
    """Declare a group over the zones; an autoscaler, where there is one, sets its size alone.

    Its size is left out then, so that no update undoes what the autoscaler did. A change of the
    template rolls through the pool: a new machine in each zone before an old one goes, so that the
    smallest pool goes on serving; the cap counts them. A group of several zones takes as many at
    least. Machines start in the zones that have capacity for them:
    https://docs.cloud.google.com/compute/docs/instance-groups/rolling-out-updates-to-managed-instance-groups#max_surge
    https://docs.cloud.google.com/compute/docs/instance-groups/regional-mig-distribution-shape
    """
    return children.make(
        "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager",
        f"group{pool_part.suffix}",
        Options(depends_on=tuple(start_after), timeouts=_patience(pool_part, len(zones))),
        baseInstanceName=machines_name(children.spec.name, pool_part.suffix),
        versions=[{"instanceTemplate": template["selfLink"]}],
        distributionPolicyZones=list(zones),
        distributionPolicyTargetShape="BALANCED",
        autoHealingPolicies={"healthCheck": health["id"], "initialDelaySec": GRACE},
        updatePolicy={
            "type": "PROACTIVE",
            "minimalAction": "REPLACE",
            "instanceRedistributionType": "NONE",
            "maxSurgeFixed": len(zones),
            "maxUnavailableFixed": 0,
        },
        targetSize=pool_part.maximum if pool_part.is_fixed_size else None,
        waitForInstances=pool_part.is_fixed_size or None,
        waitForInstancesStatus="STABLE" if pool_part.is_fixed_size else None,
    )


def _patience(pool_part: PoolPart, zones: int) -> dict[str, str]:
    """Return how long an update waits for a group of fixed size; for others it does not wait.

    A machine is only stable once its health check passes, and a rolling change replaces one in
    each zone before the next ones:
    https://docs.cloud.google.com/compute/docs/reference/rest/v1/InstanceAction
    """
    if not pool_part.is_fixed_size:
        return dict(CAPACITY)
    batches = ceil(pool_part.maximum / zones)
    return {
        "create": f"{(CREATE_SECONDS + GRACE) // 60}m",
        "update": f"{(CREATE_SECONDS + batches * GRACE) // 60}m",
    }


def _autoscaler(
    children: Children, pool_part: PoolPart, group: Resource, scale_on: ScaleOn, machine: Machine
) -> None:
    name = children.spec.name
    children.make(
        "gcp:compute/regionAutoscaler:RegionAutoscaler",
        "autoscaler",
        target=group["selfLink"],
        autoscalingPolicy=scaling.policy(
            name, scale_on, machine, minimum=pool_part.minimum, maximum=pool_part.maximum
        ),
    )

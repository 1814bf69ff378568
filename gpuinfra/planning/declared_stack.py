"""The resources of a whole stack, declared offline as one graph from its plan."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds import provider_of
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.clouds.declaring.budget_only_guards import ROOT_KEY, WatchedStack
from gpuinfra.clouds.declaring.children import ROOT
from gpuinfra.clouds.declaring.inputs import RuntimeInputs
from gpuinfra.clouds.declaring.network import NetworkMember, NetworkPlace
from gpuinfra.graph import Resource, ResourceGraph, RuntimeInput
from gpuinfra.model import Caps, Group, Plan
from gpuinfra.planning.colocation import used_buckets
from gpuinfra.specs.schema import Inference, Stack, Training
from gpuinfra.specs.storage import Bucket

KINDS: Final = {"training": "training", "pool": "inference", "bucket": "buckets"}
"""The section of the stack file by the kind of component, which a component's key begins with."""

_NO_PLAN: Final = Plan(name="", owner=None, caps=Caps())
"""A plan without a workload."""


def stack_graph(stack: Stack, plan: Plan) -> ResourceGraph:
    """Return all that a stack file creates, with each workload on its active rung."""
    graph = ResourceGraph()
    graph.add(Resource(ROOT_KEY, ROOT, stack.name, {}))
    clouds = sorted(clouds_of(plan).items())
    guarded = {
        cloud: provider_of(cloud).declare.declare_guards(
            stack_spec(stack, region), stack, plan, graph
        )
        for cloud, region in clouds
    }
    ended_by = {name: key for guards in guarded.values() for name, key in guards.ended_by.items()}
    shared = declare_networks(stack, plan, graph)
    for component in _components(stack, plan, graph, ended_by, shared):
        graph.extend(component)
    components = {
        key.partition(".")[2]: outputs
        for key, outputs in graph.outputs.items()
        if not key.startswith("bucket.")
    }
    for cloud, region in clouds:
        watched = WatchedStack(
            stack=stack,
            plan=plan,
            workload_outputs=components,
            guardrail_outputs=guarded[cloud],
            graph=graph,
        )
        provider_of(cloud).declare.declare_watch(
            monitoring_spec(stack, plan, region), watched, graph
        )
    return graph


def _components(
    stack: Stack,
    plan: Plan,
    graph: ResourceGraph,
    ended_by: Mapping[str, str],
    shared: Mapping[str, NetworkPlace],
) -> Iterator[ResourceGraph]:
    """Yield the graphs of buckets and workloads, each of which may refer to earlier ones."""
    buckets_by_name = {bucket.name: bucket for bucket in plan.buckets}
    groups = {group.name: group for group in plan.groups}
    for name, bucket in stack.buckets.items():
        bucket_place = buckets_by_name[name]
        build_spec = workload_spec(stack, name, bucket, bucket_place.region)
        yield _below_root(
            provider_of(bucket_place.cloud).declare.declare_bucket(
                build_spec, bucket, f"bucket.{name}"
            )
        )
    for kind, workloads in (("training", stack.training), ("pool", stack.inference)):
        for name, work in workloads.items():
            group = groups[name]
            build_spec = workload_spec(stack, name, work, group.rung.region)
            network_place, inputs = shared.get(name), _mounts(work, graph)
            build_spec = replace(
                build_spec, after=outside_dependencies(ended_by.get(name), network_place)
            )
            if network_place is not None:
                inputs = replace(inputs, network=network_place.to_inputs())
            workload_resources = declare_work(build_spec, group, work, f"{kind}.{name}", inputs)
            runtime_values = {
                **_bucket_input_values(work, graph),
                **({} if network_place is None else network_place.runtime_names),
            }
            yield _below_root(workload_resources.with_runtime_values(runtime_values))


def outside_dependencies(
    end_key: str | None, network_place: NetworkPlace | None
) -> tuple[str, ...]:
    """Return the keys of outside resources that must exist before a workload's own.

    Args:
        end_key: what ends its machines.
        network_place: its place in a network that it shares.
    """
    start_after = () if network_place is None else tuple(network_place.start_after)
    return start_after if end_key is None else (end_key, *start_after)


def declare_networks(stack: Stack, plan: Plan, graph: ResourceGraph) -> dict[str, NetworkPlace]:
    """Add the shared networks, one per region; return the network place of each workload."""
    shared: dict[str, NetworkPlace] = {}
    for (cloud, region), members in _members(stack, plan.groups).items():
        build_spec = network_spec(stack, region)
        shared |= provider_of(cloud).declare.declare_network(build_spec, members, graph)
    return shared


def _members(
    stack: Stack, groups: Iterable[Group]
) -> dict[tuple[str, str], dict[str, NetworkMember]]:
    """Return the workloads that share a network, by cloud and region."""
    workloads = stack.workloads
    members: dict[tuple[str, str], dict[str, NetworkMember]] = {}
    for group in groups:
        work = workloads[group.name]
        if shares(stack, work):
            place = members.setdefault((group.cloud, group.rung.region), {})
            place[group.name] = NetworkMember(group=group, work=work)
    return members


def shares(stack: Stack, workload: Training | Inference) -> bool:
    """Return whether a workload uses the network that is shared in its region."""
    return stack.shares_network and workload.network is None


def network_spec(stack: Stack, region: str) -> BuildSpec:
    """Return the BuildSpec of the network that workloads share in a region."""
    build_spec = stack_spec(stack, region)
    return replace(build_spec, name=f"{stack.name}-network-{region}", network=stack.network)


def workload_graph(stack: Stack, group: Group) -> ResourceGraph:
    """Return the resources of one workload on its active rung, with unknown buckets.

    A network that several share comes with the first of them, so that it is counted once.
    """
    name = group.name
    work = stack.workloads[name]
    kind = "training" if name in stack.training else "pool"
    inputs = RuntimeInputs(
        buckets={bucket: RuntimeInput(f"buckets.{bucket}") for bucket in used_buckets(work)}
    )
    build_spec = workload_spec(stack, name, work, group.rung.region)
    graph = ResourceGraph()
    graph.add(Resource(ROOT_KEY, ROOT, stack.name, {}))
    network_key = declare_networks(stack, replace(_NO_PLAN, groups=(group,)), graph).get(name)
    if network_key is None:
        return declare_work(build_spec, group, work, f"{kind}.{name}", inputs)
    inputs = replace(inputs, network=network_key.to_inputs())
    workload_resources = declare_work(build_spec, group, work, f"{kind}.{name}", inputs)
    if name != first_sharing(stack):
        return workload_resources
    graph.extend(workload_resources.with_runtime_values(network_key.runtime_names))
    return graph


def first_sharing(stack: Stack) -> str | None:
    """Return the first workload that shares a network, which pays for it; None for none."""
    if not stack.shares_network:
        return None
    return next((name for name, work in stack.workloads.items() if shares(stack, work)), None)


def declare_work(
    spec: BuildSpec, group: Group, workload: Training | Inference, key: str, inputs: RuntimeInputs
) -> ResourceGraph:
    """Return the resources of one workload in its group's cloud, under a component's key."""
    declare = provider_of(group.cloud).declare
    if isinstance(workload, Training):
        graph = declare.declare_training(spec, group, workload, key, inputs)
    else:
        graph = declare.declare_pool(spec, group, workload, key, inputs)
    return _depending_on_outside(graph, key, spec.after) if spec.after else graph


def _depending_on_outside(
    graph: ResourceGraph, component: str, keys: Sequence[str]
) -> ResourceGraph:
    """Return a component's graph whose children depend on the given outside resources."""
    resources = {
        key: replace(
            resource,
            options=replace(resource.options, depends_on=(*resource.options.depends_on, *keys)),
        )
        if resource.parent == component
        else resource
        for key, resource in graph.resources.items()
    }
    return replace(graph, resources=resources)


def _below_root(graph: ResourceGraph) -> ResourceGraph:
    """Return a component's graph with the component under the stack's root."""
    resources = {
        key: replace(resource, parent=ROOT_KEY) if resource.parent is None else resource
        for key, resource in graph.resources.items()
    }
    return replace(graph, resources=resources)


def _mounts(workload: Training | Inference, graph: ResourceGraph) -> RuntimeInputs:
    """Return the buckets that a workload mounts, with their keys."""
    names = used_buckets(workload)
    return RuntimeInputs(
        buckets={name: RuntimeInput(f"buckets.{name}") for name in names},
        keys={
            name: RuntimeInput(f"keys.{name}")
            for name in names
            if graph.outputs[f"bucket.{name}"].key_id is not None
        },
    )


def _bucket_input_values(workload: Training | Inference, graph: ResourceGraph) -> dict[str, Any]:
    """Return the values of a workload's bucket inputs, by input name."""
    stored = {name: graph.outputs[f"bucket.{name}"] for name in used_buckets(workload)}
    return {
        **{f"buckets.{name}": bucket.bucket_name for name, bucket in stored.items()},
        **{f"keys.{name}": bucket.key_id for name, bucket in stored.items()},
    }


def workload_spec(
    stack: Stack, name: str, work: Training | Inference | Bucket, region: str | None
) -> BuildSpec:
    """Return the BuildSpec of a workload or a bucket of a stack file."""
    return BuildSpec(
        name=name,
        stack=stack.name,
        owner=stack.owner,
        region=region or stack.where.regions[0],
        **stack_wide_inputs(stack, work),
    )


def stack_spec(stack: Stack, region: str) -> BuildSpec:
    """Return the BuildSpec of the stack itself."""
    return BuildSpec(
        name=stack.name, stack=stack.name, owner=stack.owner, region=region, tags=stack.tags
    )


def monitoring_spec(stack: Stack, plan: Plan, region: str) -> BuildSpec:
    """Return the BuildSpec of the stack's monitoring, with machine prices for the daily report."""
    build_spec = stack_spec(stack, region)
    if stack.monitoring is None or not stack.monitoring.report:
        return build_spec
    from gpuinfra.planning.machine_hours import machine_hours  # noqa: PLC0415  (few stacks ask)

    return replace(build_spec, hourly_prices=machine_hours(plan.groups))


def stack_wide_inputs(stack: Stack, training: Training | Inference | Bucket) -> dict[str, Any]:
    """Return the inputs that a workload takes from its stack: tags, network, and monitoring."""
    watch = stack.monitoring
    if isinstance(training, Bucket):
        return {"tags": stack.tags}
    stops_when_idle = isinstance(training, Training) and training.idle_stop is not None
    return {
        "tags": stack.tags,
        "network": training.network or stack.network,
        "zones": (training.where or stack.where).zones,
        "metrics": stops_when_idle
        or (watch is not None and (watch.alarms or watch.dashboard or watch.report)),
        "prometheus": "" if watch is None or watch.prometheus is None else watch.prometheus,
    }


def clouds_of(plan: Plan) -> dict[str, str]:
    """Return the clouds that a plan uses, each with the first region in use."""
    cloud_regions = [(group.cloud, group.rung.region) for group in plan.groups]
    cloud_regions += [(bucket.cloud, bucket.region) for bucket in plan.buckets if bucket.region]
    return dict(reversed(cloud_regions))

"""Declares the monitoring of the workloads: alarms, idle stop, dashboard, report."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gpuinfra.clouds.aws import metrics
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.guardrails import AwsGuardrails, RegionalGuardrails
from gpuinfra.clouds.aws.declare.guards import children_in
from gpuinfra.clouds.aws.guards.request import Guards, guards_of
from gpuinfra.clouds.build_spec import BuildSpec, InferenceOutputs, TrainingOutputs
from gpuinfra.clouds.declaring.budget_only_guards import WatchedStack
from gpuinfra.graph import ResourceGraph, format_values
from gpuinfra.model import Group

if TYPE_CHECKING:
    from gpuinfra.clouds.aws.declare.alarms import Values


def declare_watch(spec: BuildSpec, watched: WatchedStack, graph: ResourceGraph) -> None:
    """Declare the resources for the stack file's `monitoring` and `idle_stop`.

    The deploy role gets its rights here, when all that it deploys has been declared.
    """
    stack, guarded = watched.stack, watched.guardrail_outputs
    guards = guards_of(spec, stack, watched.plan.groups)
    values = {
        group.name: metric_dimensions(spec, group, watched.workload_outputs[group.name])
        for group in guards.groups
    }
    for region in guards.regions:
        children = children_in(region, spec, guards, graph)
        _watch_region(children, guards, values, guarded)
    if guarded.deploy_role is not None:
        from gpuinfra.clouds.aws.declare.deploy_role import grant  # noqa: PLC0415  (few stacks have one)

        everything = {**watched.graph.resources, **graph.resources}
        grant(spec, graph, guarded.deploy_role, everything, guards.regions)


def metric_dimensions(
    spec: BuildSpec, group: Group, outputs: TrainingOutputs | InferenceOutputs
) -> "Values":
    """Return the values of all dimensions that a workload's metrics may have."""
    run = (spec.stack, group.name)
    values: dict[str, Any] = dict(zip(metrics.RUN_DIMENSIONS, run, strict=True))
    if isinstance(outputs, InferenceOutputs):
        values[metrics.DIMENSION] = outputs.group_name
        if outputs.target_group_id is not None:
            values["TargetGroup"] = format_values(_after_colon, outputs.target_group_id)
            values["LoadBalancer"] = format_values(_balancer, outputs.load_balancer_id)
    return values


def _watch_region(
    children: Children, guards: Guards, values: "Mapping[str, Values]", guarded: AwsGuardrails
) -> None:
    region = children.spec.region
    is_first_region = region == guards.regions[0]
    site = guarded.sites.get(region, RegionalGuardrails())
    if guards.alarms:
        _alarms(children, guards, values, site)
    if is_first_region and guards.dashboard:
        from gpuinfra.clouds.aws.declare import dashboard  # noqa: PLC0415  (few stacks ask for one)

        dashboard.make_dashboard(children, guards.groups, values)
    if is_first_region and guards.report and site.notices is not None and guarded.key is not None:
        from gpuinfra.clouds.aws.declare import daily_report  # noqa: PLC0415  (few stacks ask for one)

        daily_report.make_report(children, guards.groups, values, site.notices, guarded.key)


def _alarms(
    children: Children, guards: Guards, values: "Mapping[str, Values]", site: RegionalGuardrails
) -> None:
    """Declare the alarms on a region's workloads, and the mails on their capacity blocks."""
    from gpuinfra.clouds.aws.declare import alarms  # noqa: PLC0415  (few stacks ask for any)

    groups = guards.groups_in_region(children.spec.region)
    names = {group.name for group in groups}
    topics = guards.alarm_actions(children.spec.region, site.notices)
    for alarm in guards.alarms:
        if alarm.workload in names:
            stop = [site.stop["arn"]] if alarm.stops and site.stop is not None else []
            alarms.make_alarm(children, alarm, values[alarm.workload], [*topics, *stop])
    for group in groups if topics else ():
        if group.rung.capacity == "capacity-block":
            alarms.make_block_mails(children, group, topics)


def _after_colon(arn: str) -> str:
    """Return CloudWatch's name of a target group: targetgroup/name/id."""
    return arn.rpartition(":")[2]


def _balancer(arn: str) -> str:
    """Return CloudWatch's name of a load balancer: app/name/id."""
    return _after_colon(arn).removeprefix("loadbalancer/")

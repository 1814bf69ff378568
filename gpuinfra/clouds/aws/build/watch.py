"""Builds what looks at the workloads that stand: alarms, idle stop, dashboard, report."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pulumi

from gpuinfra.clouds.aws import metrics
from gpuinfra.clouds.aws.build import alarms, dashboard, report
from gpuinfra.clouds.aws.build.alarms import Values
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.build.deploy import grant
from gpuinfra.clouds.aws.build.guards import AwsGuarded, Site, elsewhere
from gpuinfra.clouds.aws.guards.footprint import Guards, guards_of
from gpuinfra.clouds.order import Given, Order, Served, Trained
from gpuinfra.model import Group, Plan
from gpuinfra.stackfile.schema import Stack


def build_watch(
    order: Order,
    stack: Stack,
    plan: Plan,
    made: Mapping[str, Trained | Served],
    guarded: AwsGuarded,
    given: Given,
) -> None:
    """Register what the stack file asks for under `monitoring` and `idle_stop`.

    The deploy role gets its rights here, when all that it deploys has been registered.
    """
    guards = guards_of(stack, plan.groups)
    values = {group.name: named(stack, group, made[group.name]) for group in guards.groups}
    for region in guards.regions:
        _watch_region(order, region, guards, values, guarded, given)
    if guarded.deploy_role is not None:
        grant(order, given, guarded.deploy_role, guards.regions)


def named(stack: Stack, group: Group, made: Trained | Served) -> Values:
    """The values of every dimension that a workload's metrics may have."""
    found: dict[str, pulumi.Input[str]] = dict(
        zip(metrics.RUN_DIMENSIONS, (stack.name, group.name), strict=True)
    )
    if isinstance(made, Served):
        found[metrics.DIMENSION] = made.group_name
        if made.target_group_id is not None:
            found["TargetGroup"] = made.target_group_id.apply(_after_colon)
            found["LoadBalancer"] = made.load_balancer_id.apply(_balancer)
    return found


def _watch_region(
    order: Order,
    region: str,
    guards: Guards,
    values: Mapping[str, Values],
    guarded: AwsGuarded,
    given: Given,
) -> None:
    first = region == guards.regions[0]
    groups = guards.in_region(region)
    names = {group.name for group in groups}
    wanted = [one for one in guards.alarms if one.workload in names]
    blocks = [one for one in groups if one.rung.capacity == "capacity-block"]
    here = replace(order, region=region)
    children = Children(
        here if first else elsewhere(here, region),
        given,
        {**alarms.kinds(wanted, blocks), **dashboard.KINDS, **report.KINDS},
    )
    site = guarded.sites.get(region, Site())
    for alarm in wanted:
        topics = (site.notices, site.stop if alarm.stops else None)
        actions = [topic.arn for topic in topics if topic is not None]
        alarms.make_alarm(children, alarm, values[alarm.workload], actions)
    if site.notices is not None and guards.alarms:
        for group in blocks:
            alarms.make_block_mail(children, group, site.notices)
    if first and guards.dashboard:
        dashboard.make_dashboard(children, guards.groups, values)
    if first and guards.report and site.notices is not None:
        _report(children, guards, values, guarded, site)
    children.finish()


def _report(
    children: Children,
    guards: Guards,
    values: Mapping[str, Values],
    guarded: AwsGuarded,
    site: Site,
) -> None:
    if guarded.key is None or guarded.account is None or site.notices is None:
        raise LookupError("a report has a topic and its key")
    report.make_report(children, guarded.account, guards.groups, values, site.notices, guarded.key)


def _after_colon(arn: Any) -> str:
    """A target group as CloudWatch names it: targetgroup/name/id."""
    return str(arn).rpartition(":")[2]


def _balancer(arn: Any) -> str:
    """A load balancer as CloudWatch names it: app/name/id."""
    return _after_colon(arn).removeprefix("loadbalancer/")

"""Declares the guards of a stack's budget and time limits, before its workloads."""

from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.aws.declare.budget import declare_budget
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.guardrails import AwsGuardrails
from gpuinfra.clouds.aws.guards.request import Guards, guards_of
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.clouds.declaring.budget_only_guards import ROOT_KEY
from gpuinfra.graph import Resource, ResourceGraph
from gpuinfra.model import Plan
from gpuinfra.specs.schema import Stack

MOST_MAILS: Final = 10
"""https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_CreateBudgetAction.html"""


def declare_guards(
    spec: BuildSpec, stack: Stack, plan: Plan, graph: ResourceGraph
) -> AwsGuardrails:
    """Declare the guards in the stack file, in the region of the first workload."""
    guards = guards_of(spec, stack, plan.groups)
    role = _deploy_role(spec, stack, graph)
    role_id = None if role is None else role["arn"]
    if not guards.stops and not guards.sends_to_topic:
        declare_budget(spec, plan.caps, graph)
        return AwsGuardrails(sites={}, deploy_role=role, deploy_role_id=role_id)
    from gpuinfra.clouds.aws.declare.guards_maker import GuardsMaker  # noqa: PLC0415  (few have any)

    workloads = stack.workloads
    times = {
        name: time for name in guards.timed if (time := workloads[name].time_to_live) is not None
    }
    first = guards.regions[0]
    children = {region: children_in(region, spec, guards, graph) for region in guards.regions}
    maker = GuardsMaker(guards, times, children)
    sites = {region: maker.site(region) for region in guards.regions}
    stopping = sites[first].stop if guards.limited else None
    budget = declare_budget(
        spec,
        plan.caps,
        graph,
        None if stopping is None else (stopping["arn"], maker.policies[first].key),
    )
    if budget is not None and role is not None and guards.blocked:
        from gpuinfra.clouds.aws.declare.deploy_role import block  # noqa: PLC0415  (as above)

        block(spec, graph, budget, role, _subscribers(guards, stopping))
    ends = maker.stopping(sites)
    return AwsGuardrails(
        ends={name: moment for name, (moment, _) in ends.items()},
        ended_by={name: key for name, (_, key) in ends.items()},
        sites=sites,
        key=maker.keys.get(first),
        deploy_role=role,
        deploy_role_id=role_id,
    )


def _deploy_role(spec: BuildSpec, stack: Stack, graph: ResourceGraph) -> Resource | None:
    """Declare the role that the stack is deployed with; None when the stack file has none."""
    if stack.deploy_role is None:
        return None
    from gpuinfra.clouds.aws.declare.deploy_role import make_deploy_role  # noqa: PLC0415  (few have one)

    return make_deploy_role(spec, stack, graph)


def _subscribers(guards: Guards, stopping: Resource | None) -> list[dict[str, Any]]:
    """Return the subscribers of a budget's action: AWS requires one and accepts at most ten."""
    if guards.mails or stopping is None:
        mails = guards.mails[:MOST_MAILS]
        return [{"address": mail, "subscriptionType": "EMAIL"} for mail in mails]
    return [{"address": stopping["arn"], "subscriptionType": "SNS"}]


def children_in(region: str, spec: BuildSpec, guards: Guards, graph: ResourceGraph) -> Children:
    """Return the stack's children in a region; in all but the first, names include the region.

    A component outside a stack has one region, and its guards are its own children.
    """
    if spec.alarms_of:
        return Children(spec, spec.alarms_of, graph=graph)
    name = spec.name if region == guards.regions[0] else f"{spec.name}-{region}"
    region_spec = replace(spec, name=name, region=region)
    return Children(region_spec, ROOT_KEY, graph=graph, prefix=f"{region}.")

"""Declares what keeps a stack to its budget and its time, before its workloads."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from gpuinfra.clouds.aws.declare import deadline, guards_topics, stop
from gpuinfra.clouds.aws.declare.budget import declare_budget
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.deploy import block, make_deploy_role
from gpuinfra.clouds.aws.guards.request import Guards, guards_of
from gpuinfra.clouds.build_spec import BuildSpec, GuardrailOutputs
from gpuinfra.clouds.declaring.guards import ROOT_KEY
from gpuinfra.graph import Resource, ResourceGraph
from gpuinfra.model import Plan
from gpuinfra.records import record
from gpuinfra.specs.schema import Stack

MOST_MAILS: Final = 10
"""https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_CreateBudgetAction.html"""


@record
class Site:
    """What stands in one region: where notices go, and what asks for machines to go down."""

    notices: Resource | None = None
    stop: Resource | None = None


@record
class AwsGuarded(GuardrailOutputs):
    """What looks after a stack on AWS; `sites` are by region, each with machines."""

    sites: Mapping[str, Site]
    key: Resource | None = None
    deploy_role: Resource | None = None


def declare_guards(order: BuildSpec, stack: Stack, plan: Plan, graph: ResourceGraph) -> AwsGuarded:
    """Declare the guards that the stack file asks for, in the region of the first workload."""
    guards = guards_of(stack, plan.groups)
    role = make_deploy_role(order, stack, graph)
    role_id = None if role is None else role["arn"]
    if not guards.stops and not guards.tells:
        declare_budget(order, plan.caps, graph)
        return AwsGuarded(sites={}, deploy_role=role, deploy_role_id=role_id)
    times = {
        name: time
        for name in guards.timed
        if (time := {**stack.training, **stack.inference}[name].time_to_live) is not None
    }
    first = guards.regions[0]
    maker = _Maker(order, guards, times, graph)
    sites = {region: maker.site(region) for region in guards.regions}
    stopping = sites[first].stop if guards.limited else None
    budget = declare_budget(
        order,
        plan.caps,
        graph,
        None if stopping is None else (stopping["arn"], maker.policies[first].key),
    )
    if budget is not None and role is not None and guards.blocked:
        block(order, graph, budget, role, _told(guards, stopping))
    ends = maker.stopping(sites)
    notices = sites[first].notices
    return AwsGuarded(
        topic_id=None if notices is None else notices["arn"],
        stop_id=maker.function,
        ends=ends,
        sites=sites,
        key=maker.keys.get(first),
        deploy_role=role,
        deploy_role_id=role_id,
    )


class _Maker:
    """Makes the guards of a stack, region by region."""

    def __init__(
        self,
        order: BuildSpec,
        guards: Guards,
        times: Mapping[str, timedelta],
        graph: ResourceGraph,
    ) -> None:
        self.guards, self.times = guards, times
        self._children = {
            region: children_in(region, order, guards, graph) for region in guards.regions
        }
        self.first = self._children[guards.regions[0]]
        self.keys: dict[str, Resource] = {}
        self.policies: dict[str, Resource] = {}
        self.function: Any = None

    def site(self, region: str) -> Site:
        """The topics of a region, as far as something there needs them."""
        children = self._children[region]
        told, stops = self.guards.noticed(region), self.guards.listens(region)
        if not told and not stops:
            return Site()
        key = self.keys[region] = guards_topics.make_key(children)
        notices = stopping = None
        if told:
            notices = guards_topics.make_notices(children, key, self.guards.mails)
        if stops:
            stopping, self.policies[region] = guards_topics.make_stop(children, key)
        return Site(notices=notices, stop=stopping)

    def stopping(self, sites: Mapping[str, Site]) -> dict[str, Any]:
        """The function that stops, all that calls it, and the moments at which it is called."""
        if not self.guards.stops:
            return {}
        region = self.first.order.region
        notices = sites[region].notices
        failed = stop.make_failed(self.first)
        function = stop.make_function_of(
            self.first, self.guards.regions, failed, notices, self.keys.get(region)
        )
        self.function = function["arn"]
        for where, site in sites.items():
            if site.stop is not None:
                stop.listen(self._children[where], site.stop, function, region)
        if notices is not None:
            self._unable(failed, notices)
        if not self.times:
            return {}
        role = deadline.make_clock(self.first, function, failed)
        return {
            name: deadline.make_end(self.first, name, time, role, function, failed)
            for name, time in self.times.items()
        }

    def _unable(self, failed: Resource, notices: Resource) -> None:
        """An alarm for an event that could not be done: the machines may still run."""
        self.first.make(
            "aws:cloudwatch/metricAlarm:MetricAlarm",
            "stop_unable",
            alarmDescription=f"{self.first.order.stack}: machines could not be taken down; look at"
            " the function's log, and take them down by gpuinfra destroy",
            namespace="AWS/SQS",
            metricName="ApproximateNumberOfMessagesVisible",
            dimensions={"QueueName": failed["name"]},
            statistic="Maximum",
            comparisonOperator="GreaterThanOrEqualToThreshold",
            threshold=1.0,
            period=300,
            evaluationPeriods=1,
            treatMissingData="notBreaching",
            alarmActions=[notices["arn"]],
        )


def _told(guards: Guards, stopping: Resource | None) -> list[dict[str, Any]]:
    """The subscribers of a budget's action: AWS requires one, and takes ten addresses at most."""
    if guards.mails or stopping is None:
        mails = guards.mails[:MOST_MAILS]
        return [{"address": mail, "subscriptionType": "EMAIL"} for mail in mails]
    return [{"address": stopping["arn"], "subscriptionType": "SNS"}]


def children_in(region: str, order: BuildSpec, guards: Guards, graph: ResourceGraph) -> Children:
    """The stack's children in a region; their names say it in all but the first."""
    name = order.name if region == guards.regions[0] else f"{order.name}-{region}"
    here = replace(order, name=name, region=region)
    return Children(here, ROOT_KEY, graph=graph, prefix=f"{region}.")

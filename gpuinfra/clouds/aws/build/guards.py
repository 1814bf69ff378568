"""Builds what keeps a stack to its budget and its time, before its workloads."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build import deadline, guards_topics, stop
from gpuinfra.clouds.aws.build.budget import build_budget
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.build.deploy import block, make_deploy_role
from gpuinfra.clouds.aws.guards.footprint import Guards, guards_of
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.order import Given, Guarded, Order
from gpuinfra.model import Plan
from gpuinfra.stackfile.schema import Stack

MOST_MAILS: Final = 10
"""https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_CreateBudgetAction.html"""

FAILED: Final[Kinds] = {"stop_unable": aws.cloudwatch.MetricAlarm}


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What stands in one region: where notices go, and what asks for machines to go down."""

    notices: aws.sns.Topic | None = None
    stop: aws.sns.Topic | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsGuarded(Guarded):
    """What looks after a stack on AWS; `sites` are by region, each with machines."""

    sites: Mapping[str, Site]
    key: aws.kms.Key | None = None
    account: pulumi.Output[str] | None = None
    deploy_role: aws.iam.Role | None = None


def build_guards(order: Order, stack: Stack, plan: Plan, given: Given) -> AwsGuarded:
    """Register the guards that the stack file asks for, in the region of the first workload."""
    guards = guards_of(stack, plan.groups)
    role = make_deploy_role(order, stack, given)
    role_id = None if role is None else role.arn
    if not guards.stops and not guards.tells:
        build_budget(order, plan.caps, given)
        return AwsGuarded(sites={}, deploy_role=role, deploy_role_id=role_id)
    times = {
        name: time
        for name in guards.timed
        if (time := {**stack.training, **stack.inference}[name].time_to_live) is not None
    }
    maker = _Maker(replace(order, region=guards.regions[0]), guards, times, given)
    sites = {region: maker.site(region) for region in guards.regions}
    stopping = sites[guards.regions[0]].stop if guards.limited else None
    budget = build_budget(
        order,
        plan.caps,
        given,
        None if stopping is None else (stopping.arn, maker.policies[guards.regions[0]]),
    )
    if budget is not None and role is not None and guards.blocked:
        block(order, given, budget, role, maker.account, _told(guards, stopping))
    ends = maker.stopping(sites)
    maker.finish()
    return AwsGuarded(
        topic_id=None if (first := sites[guards.regions[0]].notices) is None else first.arn,
        stop_id=maker.function,
        ends=ends,
        sites=sites,
        key=maker.keys.get(guards.regions[0]),
        account=maker.account,
        deploy_role=role,
        deploy_role_id=role_id,
    )


class _Maker:
    """Makes the guards of a stack, region by region."""

    def __init__(
        self, order: Order, guards: Guards, times: Mapping[str, timedelta], given: Given
    ) -> None:
        self.order, self.guards, self.times, self.given = order, guards, times, given
        kinds: Kinds = {
            **guards_topics.kinds(guards.mails),
            **stop.KINDS,
            **deadline.kinds(times),
            **FAILED,
        }
        self._children = {
            region: Children(
                order if region == order.region else elsewhere(order, region), given, kinds
            )
            for region in guards.regions
        }
        self.first = self._children[order.region]
        self.account = pulumi.Output.from_input(
            aws.get_caller_identity_output(opts=self.first.invoke()).account_id
        )
        self.keys: dict[str, aws.kms.Key] = {}
        self.policies: dict[str, aws.sns.TopicPolicy] = {}
        self.function: pulumi.Output[str] | None = None

    def site(self, region: str) -> Site:
        """The topics of a region, as far as something there needs them."""
        children = self._children[region]
        told, asked = self.guards.noticed(region), self.guards.listens(region)
        if not told and not asked:
            return Site()
        key = self.keys[region] = guards_topics.make_key(children, self.account)
        notices = stopping = None
        if told:
            notices, _ = guards_topics.make_notices(children, key, self.account, self.guards.mails)
        if asked:
            stopping, self.policies[region] = guards_topics.make_stop(children, key, self.account)
        return Site(notices=notices, stop=stopping)

    def stopping(self, sites: Mapping[str, Site]) -> dict[str, pulumi.Output[str]]:
        """The function that stops, all that calls it, and the moments at which it is called."""
        if not self.guards.stops:
            return {}
        region = self.order.region
        notices = sites[region].notices
        failed = stop.make_failed(self.first)
        function = stop.make_function_of(
            self.first, self.guards.regions, failed, notices, self.keys.get(region)
        )
        self.function = function.arn
        for where, site in sites.items():
            if site.stop is not None:
                stop.listen(self._children[where], site.stop, function, region)
        if notices is not None:
            self._unable(failed, notices)
        if not self.times:
            return {}
        role = deadline.make_clock(self.first, self.account, function.arn, failed.arn)
        return {
            name: deadline.make_end(self.first, name, time, role, function.arn, failed.arn)
            for name, time in self.times.items()
        }

    def _unable(self, failed: aws.sqs.Queue, notices: aws.sns.Topic) -> None:
        """An alarm for an event that could not be done: the machines may still run."""
        self.first.make(
            aws.cloudwatch.MetricAlarm,
            "stop_unable",
            alarm_description=f"{self.order.stack}: machines could not be taken down; look at the"
            " function's log, and take them down by gpuinfra destroy",
            namespace="AWS/SQS",
            metric_name="ApproximateNumberOfMessagesVisible",
            dimensions={"QueueName": failed.name},
            statistic="Maximum",
            comparison_operator="GreaterThanOrEqualToThreshold",
            threshold=1.0,
            period=300,
            evaluation_periods=1,
            treat_missing_data="notBreaching",
            alarm_actions=[notices.arn],
        )

    def finish(self) -> None:
        """Refuse customised children that there are none of."""
        for children in self._children.values():
            children.finish()


def _told(guards: Guards, stopping: aws.sns.Topic | None) -> list[dict[str, Any]]:
    """Who hears of a budget's action, which AWS wants somebody to; mails are ten at most."""
    if guards.mails or stopping is None:
        mails = guards.mails[:MOST_MAILS]
        return [{"address": mail, "subscription_type": "EMAIL"} for mail in mails]
    return [{"address": stopping.arn, "subscription_type": "SNS"}]


def elsewhere(order: Order, region: str) -> Order:
    """The same stack in another region, where its children have names of their own."""
    return replace(order, name=f"{order.name}-{region}", region=region)

"""Declares the topics of a stack's guards, the stop function, and its triggers."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from gpuinfra.clouds.aws.declare import deadline, guards_topics, stop_function
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.guardrails import RegionalGuardrails
from gpuinfra.clouds.aws.guards.request import Guards
from gpuinfra.graph import Resource


class GuardsMaker:
    """The maker of a stack's guards, region by region."""

    def __init__(
        self, guards: Guards, times: Mapping[str, timedelta], children: Mapping[str, Children]
    ) -> None:
        self.guards, self.times, self._children = guards, times, children
        self.first = self._children[guards.regions[0]]
        self.keys: dict[str, Resource] = {}
        self.policies: dict[str, Resource] = {}

    def site(self, region: str) -> RegionalGuardrails:
        """Declare the topics of a region that something there needs."""
        children = self._children[region]
        has_notices, listens = self.guards.has_notices_in(region), self.guards.listens(region)
        if not has_notices and not listens:
            return RegionalGuardrails()
        key = self.keys[region] = guards_topics.make_key(children)
        notices = stopping = None
        if has_notices:
            notices = guards_topics.make_notices(children, key, self.guards.mails)
        if listens:
            limited = self.guards.limits(region)
            stopping, self.policies[region] = guards_topics.make_stop(
                children, key, limited=limited
            )
        return RegionalGuardrails(notices=notices, stop=stopping)

    def stopping(self, sites: Mapping[str, RegionalGuardrails]) -> dict[str, tuple[Any, str]]:
        """Declare the stop function and its triggers; return times and schedules by workload."""
        if not self.guards.stops:
            return {}
        region = self.first.spec.region
        notices = sites[region].notices
        failed = stop_function.make_dead_letter_queue(self.first)
        function = stop_function.make_stop_function(
            self.first, self.guards.regions, failed, notices, self.keys.get(region)
        )
        for site_region, site in sites.items():
            if site.stop is not None:
                stop_function.listen(self._children[site_region], site.stop, function, region)
        if actions := self.guards.alarm_actions(region, notices):
            self._declare_failure_alarm(failed, actions)
        if not self.times:
            return {}
        role = deadline.make_schedule_role(self.first, function, failed)
        return {
            name: deadline.make_end(self.first, name, time, role, function, failed)
            for name, time in self.times.items()
        }

    def _declare_failure_alarm(self, failed: Resource, actions: Sequence[Any]) -> None:
        """Declare the alarm for a failed stop event: the machines may still run."""
        self.first.make(
            "aws:cloudwatch/metricAlarm:MetricAlarm",
            "stop_unable",
            alarmDescription=f"{self.first.spec.stack}: machines could not be shut down; read the"
            " function's log, then run gpuinfra destroy",
            namespace="AWS/SQS",
            metricName="ApproximateNumberOfMessagesVisible",
            dimensions={"QueueName": failed["name"]},
            statistic="Maximum",
            comparisonOperator="GreaterThanOrEqualToThreshold",
            threshold=1.0,
            period=300,
            evaluationPeriods=1,
            treatMissingData="notBreaching",
            alarmActions=list(actions),
        )

"""The guards of workloads that a stack file asks for on AWS."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuinfra.clouds.aws.guards.alarms import Alarm, alarms
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.graph import Resource
from gpuinfra.model import Group
from gpuinfra.records import record
from gpuinfra.specs.operations import is_topic, topic_region

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Stack


@record
class Guards:
    """The guards that a stack file asks for on AWS.

    Attributes:
        groups: the workloads there, with the active rung.
        mails: the recipients of notices.
        topics: the existing SNS topics that alarms notify too: the region and ARN of each.
        limited: whether the month's cap stops the machines.
        timed: the workloads whose time is limited.
        alarms: of all workloads.
        dashboard: of the stack.
        report: every day.
        blocked: the deploy role is kept from new machines at the month's cap.
    """

    groups: tuple[Group, ...]
    mails: tuple[str, ...]
    topics: tuple[tuple[str, Any], ...]
    limited: bool
    timed: tuple[str, ...]
    alarms: tuple[Alarm, ...]
    dashboard: bool
    report: bool
    blocked: bool

    @property
    def stops(self) -> bool:
        """Whether a guard may stop machines."""
        return self.limited or bool(self.timed) or any(alarm.stops for alarm in self.alarms)

    @property
    def sends_to_topic(self) -> bool:
        """Whether notices are sent to an SNS topic; the budget's own mails need no topic."""
        return bool(self.mails) and (bool(self.alarms) or self.stops or self.report)

    @property
    def regions(self) -> tuple[str, ...]:
        """The regions of the machines, each once; the guards are in the first."""
        return tuple(dict.fromkeys(group.rung.region for group in self.groups))

    def alarm_actions(self, region: str, notices: Resource | None) -> list[Any]:
        """Return the ARNs that a region's alarms notify: its topic of notices, existing topics.

        An alarm notifies topics of its own region only.
        """
        region_topics = [] if notices is None else [notices["arn"]]
        return [
            *region_topics,
            *(arn for topic_region, arn in self.topics if topic_region == region),
        ]

    def groups_in_region(self, region: str) -> tuple[Group, ...]:
        """Return the workloads of a region."""
        return tuple(group for group in self.groups if group.rung.region == region)

    def listens(self, region: str) -> bool:
        """Return whether an alarm or the budget of a region may stop machines."""
        names = {group.name for group in self.groups_in_region(region)}
        is_stopped_by_alarm = any(alarm.stops and alarm.workload in names for alarm in self.alarms)
        return is_stopped_by_alarm or self.limits(region)

    def limits(self, region: str) -> bool:
        """Return whether the budget of a region may stop machines."""
        return self.limited and region == self.regions[0]

    def has_notices_in(self, region: str) -> bool:
        """Return whether an alarm or a guard in a region sends notices."""
        names = {group.name for group in self.groups_in_region(region)}
        has_alarm = any(alarm.workload in names for alarm in self.alarms)
        return self.sends_to_topic and (has_alarm or region == self.regions[0])


def guards_of(spec: BuildSpec, stack: "Stack", groups: Sequence[Group]) -> Guards:
    """Return the guards that a stack file asks for on AWS, for the groups of its plan."""
    aws_groups = tuple(group for group in groups if group.cloud == "aws")
    watch, budget = stack.monitoring, stack.budget
    workloads = stack.workloads
    receivers = () if watch is None else watch.notify
    mails = () if watch is None else watch.mails
    stops_at_limit = (
        budget is not None and budget.on_breach == "stop" and budget.per_month is not None
    )
    return Guards(
        groups=aws_groups,
        mails=mails if receivers or budget is None else budget.notify,
        topics=tuple(
            (topic_region(receiver), spec.entry("notify", index, receiver))
            for index, receiver in enumerate(receivers)
            if is_topic(receiver)
        ),
        limited=stops_at_limit and bool(aws_groups),
        timed=tuple(
            aws_group.name
            for aws_group in aws_groups
            if workloads[aws_group.name].time_to_live is not None
        ),
        alarms=tuple(alarm for group in aws_groups for alarm in alarms(stack, group)),
        dashboard=watch is not None and watch.dashboard and bool(aws_groups),
        report=watch is not None and watch.report and bool(aws_groups),
        blocked=stops_at_limit and bool(aws_groups) and stack.deploy_role is not None,
    )

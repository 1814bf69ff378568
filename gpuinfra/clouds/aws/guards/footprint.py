"""What looks after a stack: what it is made of, and what that costs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws.footprint import CUSTOM_METRIC
from gpuinfra.clouds.aws.guards.alarms import Alarm, alarms
from gpuinfra.model import Group, Item

if TYPE_CHECKING:
    from gpuinfra.stackfile.schema import Stack

_ONE: Final = Decimal(1)

ALARM: Final = "cloudwatch-alarm-standard"
DASHBOARD: Final = "cloudwatch-dashboard"
LOGS: Final = (("cloudwatch-logs-ingest", "GB"), ("cloudwatch-logs-archive", "GB-month"))
KEY: Final = (("kms-key", "key-month"), ("kms-requests", "10k-requests"))
TOPIC: Final = (("sns-requests", "1m-requests"),)
QUEUE: Final = (("sqs-requests", "1m-requests"),)
FUNCTION: Final = (("lambda-requests", "1m-requests"), ("lambda-duration", "GB-second"))
SCHEDULE: Final = (("scheduler-invocations", "1m-requests"),)
ACTION: Final = (("budget-action", "day"),)
"""What each kind of resource is paid by. Nobody knows how often they are called; of budget actions
nobody knows how many an account has, whose first two are free:
https://aws.amazon.com/aws-cost-management/aws-budgets/pricing/"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guards:
    """What a stack file asks for on AWS.

    Attributes:
        groups: the workloads there, with the rung that stands.
        mails: who is told.
        limited: the month's cap takes the machines down.
        timed: the workloads whose time is limited.
        alarms: of all workloads.
        dashboard: of the stack.
        report: every day.
        blocked: the deploy role is kept from new machines at the month's cap.
    """

    groups: tuple[Group, ...]
    mails: tuple[str, ...]
    limited: bool
    timed: tuple[str, ...]
    alarms: tuple[Alarm, ...]
    dashboard: bool
    report: bool
    blocked: bool

    @property
    def stops(self) -> bool:
        """Whether something may take machines down."""
        return self.limited or bool(self.timed) or any(one.stops for one in self.alarms)

    @property
    def tells(self) -> bool:
        """Whether somebody is told by a topic; the budget's own mails need none."""
        return bool(self.mails) and (bool(self.alarms) or self.stops or self.report)

    @property
    def regions(self) -> tuple[str, ...]:
        """Where the machines stand, each once; the first is where what guards them stands."""
        return tuple(dict.fromkeys(group.rung.region for group in self.groups))

    def in_region(self, region: str) -> tuple[Group, ...]:
        """The workloads of a region."""
        return tuple(group for group in self.groups if group.rung.region == region)

    def listens(self, region: str) -> bool:
        """Whether something of a region asks for machines to be taken down."""
        names = {group.name for group in self.in_region(region)}
        asked = any(one.stops and one.workload in names for one in self.alarms)
        return asked or (self.limited and region == self.regions[0])

    def noticed(self, region: str) -> bool:
        """Whether something of a region tells somebody."""
        names = {group.name for group in self.in_region(region)}
        alarmed = any(one.workload in names for one in self.alarms)
        return self.tells and (alarmed or region == self.regions[0])


def guards_of(stack: "Stack", groups: Sequence[Group]) -> Guards:
    """What a stack file asks for on AWS, of the groups of its plan."""
    ours = tuple(group for group in groups if group.cloud == "aws")
    watch, budget = stack.monitoring, stack.budget
    works = {**stack.training, **stack.inference}
    mails = () if watch is None else watch.notify
    limited = budget is not None and budget.on_breach == "stop" and budget.per_month is not None
    return Guards(
        groups=ours,
        mails=mails or (() if budget is None else budget.notify),
        limited=limited and bool(ours),
        timed=tuple(one.name for one in ours if works[one.name].time_to_live is not None),
        alarms=tuple(alarm for group in ours for alarm in alarms(stack, group)),
        dashboard=watch is not None and watch.dashboard and bool(ours),
        report=watch is not None and watch.report and bool(ours),
        blocked=limited and bool(ours) and stack.deploy_role is not None,
    )


def guard_items(stack: "Stack", groups: Sequence[Group]) -> tuple[Item, ...]:
    """What costs money of what looks after a stack; each row follows a workload's region."""
    guards = guards_of(stack, groups)
    return tuple(_items(stack.name, guards)) if guards.groups else ()


def _items(name: str, guards: Guards) -> Iterator[Item]:
    for region in guards.regions:
        beside = guards.in_region(region)[0].name
        topics = guards.listens(region) + guards.noticed(region)
        if topics:
            yield _item(name, beside, "key", *KEY[0], _ONE)
            yield _item(name, beside, "key", *KEY[1])
        for _ in range(topics):
            yield from _rates(name, beside, "topic", TOPIC)
    yield from _functions(name, guards)
    for alarm in guards.alarms:
        count = Decimal(len(alarm.metrics))
        yield _item(name, alarm.workload, "alarm", ALARM, "metric-month", count)
        if not alarm.metrics[0].namespace.startswith("AWS/"):
            yield _item(name, alarm.workload, "metrics", CUSTOM_METRIC, "metric-month")


def _functions(name: str, guards: Guards) -> Iterator[Item]:
    """What stands once, beside the first workload."""
    first = guards.groups[0].name
    if guards.stops:
        yield from _rates(name, first, "function", (*FUNCTION, *LOGS, *QUEUE))
        if guards.tells:
            yield _item(name, first, "alarm", ALARM, "metric-month", _ONE)
    for _ in guards.timed:
        yield from _rates(name, first, "schedule", SCHEDULE)
    if guards.report:
        yield from _rates(name, first, "function", (*FUNCTION, *LOGS, *SCHEDULE))
    if guards.dashboard:
        yield _item(name, first, "dashboard", DASHBOARD, "dashboard-month", _ONE)
    if guards.blocked:
        yield from _rates(name, first, "budget action", ACTION)


def _rates(name: str, group: str, kind: str, paid: Sequence[tuple[str, str]]) -> Iterator[Item]:
    for item, unit in paid:
        yield _item(name, group, kind, item, unit)


def _item(
    name: str, group: str, kind: str, item: str, unit: str, quantity: Decimal | None = None
) -> Item:
    return Item(
        name=name,
        subject=name,
        kind=kind,
        cloud="aws",
        item=item,
        unit=unit,
        quantity=quantity,
        group=group,
    )

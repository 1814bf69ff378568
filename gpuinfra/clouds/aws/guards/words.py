"""What a reader of a plan or a quote has to know of what looks after a stack."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws.guards.request import guards_of
from gpuinfra.model import Group
from gpuinfra.units import format_duration, format_money

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Stack

LATE: Final = "8 to 12 hours"
"""How far apart AWS looks at what was spent:
https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html"""


def guard_notes(stack: "Stack", groups: Sequence[Group]) -> tuple[str, ...]:
    """Sentences on the delay of the budget, on ends, and on what a person has to do once."""
    return tuple(_notes(stack, groups))


def _notes(stack: "Stack", groups: Sequence[Group]) -> Iterator[str]:
    guards = guards_of(stack, groups)
    budget = stack.budget
    if guards.limited and budget is not None and budget.per_month is not None:
        yield (
            f"at ${format_money(budget.per_month)} a month AWS stops the stack's "
            "machines, once a month; this is hours late: AWS updates the spending "
            f"every {LATE}, and the machines are billed until then"
        )
    if budget is not None and budget.per_month is not None and guards.groups:
        yield (
            "the AWS Budget stays at $0 until the cost allocation tag gpuinfra:stack "
            "is activated, once per account, by an administrator"
        )
    if guards.stops:
        yield (
            f"the machines to stop are found by the tag gpuinfra:stack={stack.name}: "
            "stacks with the same name in one account stop each other's machines, so "
            "give each its own name"
        )
    for name in guards.timed:
        time = {**stack.training, **stack.inference}[name].time_to_live
        if time is not None:
            yield (
                f"{name} is deleted {format_duration(time)} after its first up; a "
                "changed time_to_live counts from the next up"
            )
    for alarm in guards.alarms:
        if alarm.stops:
            yield (
                f"{alarm.workload} is stopped once its {alarm.says}; data on a "
                "machine's own disk is lost, buckets and shared storage are kept"
            )
    if guards.tells:
        yield (
            f"AWS asks {', '.join(guards.mails)} to confirm by mail after the first up; "
            "no notification is sent before"
        )

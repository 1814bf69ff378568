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
            f"at {format_money(budget.per_month)} USD a month AWS takes the stack's machines down,"
            f" once a month; it is late by hours: AWS looks at what was spent every {LATE}, and"
            " the machines are paid until then"
        )
    if budget is not None and budget.per_month is not None and guards.groups:
        yield (
            "the cloud's budget counts nothing until the tag gpuinfra:stack is activated as a cost"
            " allocation tag, which an administrator of the account does once"
        )
    if guards.stops:
        yield (
            f"machines to take down are known by the tag gpuinfra:stack={stack.name}: stacks of"
            " one name in an account take each other's down, so each needs a name of its own"
        )
    for name in guards.timed:
        time = {**stack.training, **stack.inference}[name].time_to_live
        if time is not None:
            yield (
                f"{name} is taken down {format_duration(time)} after its first up; another"
                " time_to_live counts anew from the next up"
            )
    for alarm in guards.alarms:
        if alarm.stops:
            yield (
                f"{alarm.workload} is taken down once its {alarm.says}; what is on a machine's own"
                " disk goes with it, buckets and shared storage stay"
            )
    if guards.tells:
        yield (
            f"AWS asks {', '.join(guards.mails)} to confirm by mail after the first up; nothing is"
            " sent before that"
        )

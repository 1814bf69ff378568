"""The message when one more resource would exceed a cap: the sum, the share, and the fix."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra.crossguard.running_costs import CostStep
from gpuinfra.crossguard.update_cost import Cost
from gpuinfra.model import Caps
from gpuinfra.rules.budget import full_months_note
from gpuinfra.rules.waivers import short_name
from gpuinfra.units import format_excess, format_money
from gpuinfra.units.message_merging import first_in_words

RUNNING: Final[Mapping[str, str]] = {"cap-per-hour": "per_hour", "cap-per-month": "per_month"}
"""The rules that a running total can keep, and the figure and budget key of each."""

_SPAN_TEXTS: Final = {"per_hour": "an hour", "per_month": "a month"}
_MOST_NAMED: Final = 5


def cap_violation(
    rule: str, caps: Caps, step: CostStep, name: str, waiting: Callable[[], Sequence[str]]
) -> str | None:
    """Return why the resource would exceed the cap; None when it may be created.

    A resource that adds nothing always may: an update that shrinks a stack has to pass, even
    where existing resources exceed the cap.

    Args:
        rule: a key of `RUNNING`.
        caps: the caps that hold.
        step: what the resource does to the running total.
        name: what to call the resource.
        waiting: returns the existing, unregistered resources; some may be deleted.
    """
    key = RUNNING[rule]
    cap: Decimal | None = getattr(caps, key)
    if cap is None or step.growth.adds_nothing:
        return None
    added, total = _figure(step.growth, key), _figure(step.total, key)
    span_text = _SPAN_TEXTS[key]
    if step.total.unknown:
        return (
            f"It is unknown whether the cost stays under {format_money(cap)} {span_text}: "
            f"{_list(step.total.unknown)}. Use resources with a known price, or list the "
            "type under prices.not_counted."
        )
    if added <= 0 or total <= cap:
        return None
    amount, most = format_excess(total, cap)
    sentence = (
        f"{name} adds {format_money(added)} {span_text} to {format_money(total - added)} "
        f"of existing and planned resources: {amount} is above the cap of "
        f"{most} (budget.{key})."
    )
    endless = (
        [f"{full_months_note(step.endless_groups)}."]
        if step.endless_groups and key == "per_month"
        else []
    )
    return " ".join((sentence, *endless, *_ways_out(step, waiting())))


def unreadable_cost_violation(
    rule: str, caps: Caps, step: CostStep, name: str, reason: str
) -> str | None:
    """Return why the resource is refused while existing costs are unknown; None if it may pass."""
    key = RUNNING[rule]
    if getattr(caps, key) is None or step.growth.adds_nothing:
        return None
    return (
        f"{name} adds {format_money(_figure(step.growth, key))} {_SPAN_TEXTS[key]}, but the "
        f"cost of existing resources is unknown, so the cap can't be checked: {reason}. "
        "Make `pulumi stack export` work where this policy pack runs: pulumi on PATH, "
        "and the backend and organization of the update in PULUMI_BACKEND_URL and "
        "PULUMI_ORGANIZATION."
    )


def _figure(cost: Cost, key: str) -> Decimal:
    return cost.per_hour if key == "per_hour" else cost.per_month


def _ways_out(step: CostStep, waiting: Sequence[str]) -> list[str]:
    ways_out = ["Raise the cap or use less."]
    if step.counted_twice:
        ways_out.append(
            "The change may replace the resource, so the old and the new one both "
            "count; with delete_before_replace the old one is deleted first."
        )
    if step.moved_reservations:
        ways_out.append(
            f"{_list(step.moved_reservations)} and the machines that move into or out of it both "
            "count, since a part of them runs outside of it for a while: remove the machines in "
            "one update, and add them in the next."
        )
    if step.unknown_reservations:
        ways_out.append(
            f"The stack's state does not show whether {_list(step.unknown_reservations)} is a "
            "capacity reservation of this stack, so reservations of this update and the machines "
            "in them both count: create the reservation in one update, and the machines "
            "in the next."
        )
    unfinished = [urn for urn in waiting if "(still " in urn]
    if unfinished:
        ways_out.append(
            "An interrupted update left "
            f"{_list([short_name(urn) for urn in unfinished])}; it may exist. Check the "
            "cloud, then run `pulumi refresh --clear-pending-creates`."
        )
    waiting_resources = [urn for urn in waiting if urn not in unfinished]
    if waiting_resources and not step.updated_in_place:
        ways_out.append(
            "Existing resources count until they are deleted, and deletes come last: "
            f"to swap {_list([short_name(urn) for urn in waiting_resources])} at the cap, use two "
            "updates: remove it in the first, add the new one in the second."
        )
    return ways_out


def _list(names: Sequence[str]) -> str:
    return first_in_words(names, _MOST_NAMED)

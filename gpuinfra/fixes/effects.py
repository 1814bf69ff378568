"""The effect of edits: the maximum cost, the fabric verdict, machines and locations."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Literal

from gpuinfra.clouds import provider_of
from gpuinfra.cost import Quote, Total
from gpuinfra.fixes.fix import Effect, FabricChange
from gpuinfra.fixes.side_effects import group_differences, lost_discounts
from gpuinfra.fixes.spans import ExpectedSpan, Span
from gpuinfra.fixes.tradeoffs import Loss
from gpuinfra.fixes.trials import PlanAndQuote
from gpuinfra.fixes.value_text import DATA_MOVE_NOTE
from gpuinfra.model import Group, Plan
from gpuinfra.rules import fabric_verdict
from gpuinfra.units import format_count, format_money, plain


def effect(result_before: PlanAndQuote | None, result_after: PlanAndQuote, loss: Loss) -> Effect:
    """Return the effect of a change; `result_before` is None where nothing could be planned."""
    quote_before = None if result_before is None else result_before.quote
    has_run_cost = result_after.quote.per_run is not None or (
        quote_before is not None and quote_before.per_run is not None
    )
    return Effect(
        per_hour=_span(quote_before, result_after.quote, "per_hour"),
        per_month=_span(quote_before, result_after.quote, "per_month"),
        per_run=_span(quote_before, result_after.quote, "per_run") if has_run_cost else None,
        fabric=tuple(
            _fabric(None if result_before is None else result_before.plan, result_after.plan)
        ),
        changes=()
        if result_before is None
        else tuple(_changes(result_before.plan, result_after.plan)),
        losses=(
            *loss.texts,
            *(
                ()
                if result_before is None
                else lost_discounts(result_before.plan, result_after.plan)
            ),
        ),
        assumptions=()
        if result_before is None
        else (
            *_duration_assumptions(result_before.plan, result_after.plan),
            *_maximum_prices(result_before.quote, result_after.quote),
            *group_differences(result_before.plan, result_after.plan),
        ),
        expected=None
        if result_before is None
        else _expected_hourly_cost(result_before, result_after),
    )


def _duration_assumptions(plan_before: Plan, plan_after: Plan) -> Iterator[str]:
    """Yield the duration of runs whose machines become slower."""
    hours_before = {group.subject: group.needs.hours for group in plan_before.groups}
    for group in plan_after.groups:
        earlier_hours, hours_after = hours_before.get(group.subject), group.needs.hours
        if earlier_hours is not None and hours_after is not None and hours_after > earlier_hours:
            yield (
                f"{group.name}: at its speed {plain(Decimal(earlier_hours))} h of work take about "
                f"{plain(round(Decimal(hours_after), 1))} h"
            )


def _maximum_prices(quote_before: Quote, quote_after: Quote) -> Iterator[str]:
    """Yield what an edited maximum price of spot machines means, and whether it may be too low."""
    maxima_before = {
        (rung_quote.group, rung_quote.index): rung_quote.rung.max_price
        for rung_quote in quote_before.rungs
    }
    for quoted in quote_after.rungs:
        rung, line = quoted.rung, next(iter(quoted.machines), None)
        most = rung.max_price
        if rung.capacity != "spot" or most in {
            None,
            maxima_before.get((quoted.group, quoted.index)),
        }:
            continue
        text = f"{quoted.group}: a spot machine dearer than {format_money(most)}/h is not started"
        is_price_unknown = line is not None and line.expected_per_hour is None
        yield f"{text}; its spot price in {rung.region} is unknown" if is_price_unknown else text


def _expected_hourly_cost(
    result_before: PlanAndQuote, result_after: PlanAndQuote
) -> ExpectedSpan | None:
    """Return the expected hourly cost if only the purchase mode changes it, else None."""
    quote_before, quote_after = result_before.quote, result_after.quote
    bought = _purchase_modes(result_before.plan), _purchase_modes(result_after.plan)
    if bought[0] == bought[1] or _ceiling(quote_before, "per_hour") != _ceiling(
        quote_after, "per_hour"
    ):
        return None
    return ExpectedSpan(
        before=quote_before.per_hour.expected,
        after=quote_after.per_hour.expected,
        before_at_most=quote_before.per_hour.expected_at_most,
        after_at_most=quote_after.per_hour.expected_at_most,
    )


def _purchase_modes(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Return the purchase mode of each group's rungs, in the order of its ladder."""
    return {group.subject: tuple(rung.capacity for rung in group.rungs) for group in plan.groups}


def _span(
    quote_before: Quote | None,
    quote_after: Quote,
    span: Literal["per_hour", "per_month", "per_run"],
) -> Span:
    return Span(before=_ceiling(quote_before, span), after=_ceiling(quote_after, span))


def _ceiling(quote: Quote | None, span: str) -> Decimal | None:
    """Return the maximum cost; None where a part has no price."""
    if quote is None or quote.unpriced:
        return None
    total: Total | None = getattr(quote, span)
    return None if total is None else total.ceiling


def _fabric(plan_before: Plan | None, plan_after: Plan) -> Iterator[FabricChange]:
    proofs_before = _proofs(plan_before)
    proofs_after = _proofs(plan_after)
    for name in dict.fromkeys((*proofs_before, *proofs_after)):
        yield FabricChange(
            group=name, before=proofs_before.get(name), after=proofs_after.get(name)
        )


def _proofs(plan: Plan | None) -> dict[str, str]:
    proofs = () if plan is None else fabric_verdict(plan)
    return {proof.name: proof.answer_text for proof in proofs}


def _changes(plan_before: Plan, plan_after: Plan) -> Iterator[str]:
    """Yield the changes of each group's machines, ladder and locations."""
    groups_before = {group.subject: group for group in plan_before.groups}
    for group in plan_after.groups:
        group_before = groups_before.get(group.subject)
        if group_before is not None:
            yield from (
                f"{group.name}: {current_text}, was {text_before}"
                for text_before, current_text in zip(
                    _machines_text(group_before), _machines_text(group), strict=True
                )
                if text_before != current_text
            )
    regions_before = {bucket.subject: bucket.region for bucket in plan_before.buckets}
    for bucket in plan_after.buckets:
        region_before = regions_before.get(bucket.subject)
        if region_before is not None and region_before != bucket.region:
            yield f"bucket {bucket.name}: {bucket.region}, was {region_before}; {DATA_MOVE_NOTE}"


def _machines_text(group: Group) -> tuple[str, ...]:
    """Return a group's machines, count, ladder and locations as text."""
    return (
        ", ".join(dict.fromkeys(_machine(group, rung.machine) for rung in group.rungs)),
        how_many(group),
        ", ".join(dict.fromkeys(rung.capacity for rung in group.rungs)),
        ", ".join(dict.fromkeys(f"{group.cloud} {rung.region}" for rung in group.rungs)),
    )


def how_many(group: Group) -> str:
    """Return the number of machines of a group as text."""
    if group.minimum == group.maximum:
        return format_count(str(group.maximum), "machine")
    return f"{group.minimum} to {group.maximum} machines"


def _machine(group: Group, type_: str) -> str:
    machine = provider_of(group.cloud).machines.get(type_)
    if machine is None:
        return type_
    memory = machine.gpu_memory_nominal_gb
    each = "" if memory is None else f", {memory.normalize():f} GB each"
    return f"{type_} ({machine.gpu_count.normalize():f} × {machine.gpu}{each})"

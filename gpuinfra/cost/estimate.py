"""The quote of a plan: lines, ladders with excluded rungs, totals, and unpriced parts."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import chain
from typing import get_args

from gpuinfra import logs
from gpuinfra.cost import outdated_prices
from gpuinfra.cost.metered import metered_lines, not_metered
from gpuinfra.cost.networks import Place, after_move, members_of, networks_of
from gpuinfra.cost.other_costs import item_line, unjudged_lines
from gpuinfra.cost.pricing_terms import PricingTerms
from gpuinfra.cost.quote import (
    ZERO,
    Chosen,
    CostSum,
    Line,
    Quote,
    RunCost,
    Span,
    SpanAmounts,
    Total,
    add,
    sum_of,
)
from gpuinfra.cost.run_hours import run_hours
from gpuinfra.cost.rungs import (
    Period,
    PricedLadder,
    RungStep,
    ceiling,
    exclude_rungs,
    minimum,
    no_purchase_option,
    places_of,
    rung_quotes,
    steps_of,
)
from gpuinfra.model import Item, Plan
from gpuinfra.planning.active_rungs import on_rung


def estimate(plan: Plan, terms: PricingTerms, *, fixed_names: Collection[str] = ()) -> Quote:
    """Return the quote of a plan, with its maximum and its expected cost.

    Args:
        plan: from a stack file (whole ladders) or from resources (one rung each).
        terms: from which book, for which day, and what is accepted.
        fixed_names: groups whose active rung was named by the user and is not moved.
    """
    owned, items_without_group = _items_by_group(plan)
    networks = networks_of(plan, terms)
    other_lines = (
        *(item_line(item, terms) for item in items_without_group),
        *metered_lines(plan, terms),
        *unjudged_lines(plan.not_judged, terms),
    )
    rest_total = add(other_lines)
    steps = [steps_of(group, owned[group.name], terms, networks) for group in plan.groups]
    ladders = exclude_rungs(steps, rest_total, plan.caps, frozenset(fixed_names), networks)
    if plan.from_file:  # resources have no other rungs, and may hold secrets
        _log_excluded(ladders)
    stand = members_of({ladder.group.name: places_of([ladder.active_step]) for ladder in ladders})
    standing_networks = tuple(chain.from_iterable(networks.lines(stand).values()))
    remaining_members = members_of(
        {ladder.group.name: places_of(ladder.remaining_steps) for ladder in ladders}
    )
    may = networks.lines(remaining_members)
    lines = (
        *(line for ladder in ladders for line in ladder.active_step.lines),
        *standing_networks,
        *other_lines,
    )
    priced_lines = tuple(
        _priced_lines(ladders, (*chain.from_iterable(may.values()), *other_lines))
    )
    old = tuple(line for line in priced_lines if outdated_prices.is_outdated(line, terms))
    rates = tuple(line for line in lines if line.status == "rate")
    run_costs = tuple(
        _run_cost(ladder) for ladder in ladders if ladder.group.needs.hours is not None
    )
    active_networks = add((*other_lines, *standing_networks))
    sums = {network_place: add(network_cost) for network_place, network_cost in may.items()}
    per_hour = _total(ladders, rest_total, active_networks, sums, "per_hour")
    per_month = _total(ladders, rest_total, active_networks, sums, "per_month")
    per_run = max((run.total for run in run_costs), key=lambda total: total.ceiling, default=None)
    doubled = outdated_prices.if_doubled(ladders, other_lines, may, terms) if old else {}
    caps_before: dict[Span, Decimal] = {
        "per_hour": per_hour.ceiling,
        "per_month": per_month.ceiling,
        "per_run": ZERO if per_run is None else per_run.ceiling,
    }
    at_risk = outdated_prices.caps_at_risk(plan.caps, caps_before, doubled)

    def network_cost_beside(active_step: RungStep, step: RungStep) -> CostSum:
        members = after_move(stand, step.group.name, active_step.place, step.place)
        return add(chain.from_iterable(networks.lines(members).values()))

    return Quote(
        lines=lines,
        per_hour=per_hour,
        per_month=per_month,
        per_run=per_run,
        runs=run_costs,
        rungs=tuple(
            quoted
            for ladder in ladders
            for quoted in rung_quotes(ladder, terms, network_cost_beside)
        ),
        active_rungs={ladder.group.name: ladder.active_step.index for ladder in ladders},
        chosen=tuple(
            Chosen(group=group.name, cloud=group.cloud, reason=group.cloud_reasons.chosen)
            for group in plan.groups
            if group.cloud_reasons.chosen
        ),
        unpriced=tuple(dict.fromkeys(_missing_prices(ladders, (*sums.values(), rest_total)))),
        rates=rates,
        oldest=outdated_prices.oldest(priced_lines),
        outdated=old,
        accept_outdated=terms.accept_outdated,
        at_risk=at_risk,
        doubled=doubled,
        bounded=tuple(line for line in (*priced_lines, *rates) if line.origin == "bound"),
        undecided=tuple(row for row in plan.undecided if not terms.leaves_out(row.type)),
        warnings=(
            *terms.notes,
            *(
                outdated_prices.outdated_notes(old, terms)
                if terms.accept_outdated or not at_risk
                else ()
            ),
            *_notes(ladders, lines, terms),
        ),
    )


def plan_on_active_rungs(plan: Plan, quote: Quote) -> Plan:
    """Return the plan with each group on the active rung of the quote."""
    groups = (on_rung(group, quote.active_rungs[group.name]) for group in plan.groups)
    return replace(plan, groups=tuple(groups))


def _items_by_group(plan: Plan) -> tuple[dict[str, list[Item]], list[Item]]:
    """Return the items by group, and those without a group; shared networks are left out."""
    shared = {item for network in plan.networks for item in network.items}
    names = {group.name for group in plan.groups}
    owned: dict[str, list[Item]] = defaultdict(list)
    items_without_group: list[Item] = []
    for item in not_metered(plan.items, plan.data):
        if item.group in names:
            owned[item.group or ""].append(item)
        elif not shared or item not in shared:  # an item of many fields takes long to hash
            items_without_group.append(item)
    return owned, items_without_group


def _total(
    ladders: Sequence[PricedLadder],
    rest_total: CostSum,
    active_networks: CostSum,
    networks: Mapping[Place, CostSum],
    period: Period,
) -> Total:
    """Return the stack's total; `rest_total` has lines without a group.

    `active_networks` are the shared networks of active rungs, `networks` those of all rungs left.
    """
    groups = [ladder.active_step.total for ladder in ladders]
    expected, at_most = _expected_or_bound((active_networks, *groups), period)
    return Total(
        ceiling=ceiling(ladders, rest_total, networks, period),
        # In the order of the ceiling: where both are the same, no last digit differs.
        active=getattr(active_networks, period)
        + sum((getattr(group, period) for group in groups), ZERO),
        expected=expected,
        minimum=minimum(ladders, rest_total, networks, period),
        expected_at_most=at_most,
    )


def _expected_or_bound(
    parts: Sequence[CostSum], span: Span
) -> tuple[Decimal | None, Decimal | None]:
    """Return the expected cost of the parts, or else an upper bound of it."""
    expected = sum_of([part.expected for part in parts], span)
    if expected is not None:
        return expected, None
    return None, sum_of([part.expected_at_most for part in parts], span)


def _least_cost(ladder: PricedLadder) -> SpanAmounts | None:
    """Return a group's maximum cost at its minimum size on the rungs left; None if unknown."""
    minimum_costs = [step.total.minimum for step in ladder.remaining_steps]
    known_totals = [spans for spans in minimum_costs if spans is not None]
    if len(known_totals) < len(minimum_costs):
        return None
    return SpanAmounts(
        *(max(getattr(spans, span) for spans in known_totals) for span in get_args(Span))
    )


def _run_cost(ladder: PricedLadder) -> RunCost:
    active_total = ladder.active_step.total
    expected, at_most = _expected_or_bound((active_total,), "per_run")
    return RunCost(
        group=ladder.group.name,
        subject=ladder.group.subject,
        hours=run_hours(ladder.group, ladder.active_step.rung) or ZERO,
        total=Total(
            ceiling=max(step.total.per_run for step in ladder.remaining_steps),
            active=active_total.per_run,
            expected=expected,
            minimum=sum_of([_least_cost(ladder)], "per_run"),
            expected_at_most=at_most,
        ),
    )


def _log_excluded(ladders: Iterable[PricedLadder]) -> None:
    for ladder in ladders:
        for step, reason in zip(ladder.steps, ladder.skip_reasons, strict=True):
            if reason is not None:
                logs.debug("struck %s of %s: %s", step.rung.label, ladder.group.name, reason)


def _missing_prices(
    ladders: Sequence[PricedLadder], other_sums: Iterable[CostSum]
) -> Iterator[str]:
    for ladder in ladders:
        for step in ladder.remaining_steps:
            yield from step.total.missing
    for place in other_sums:
        yield from place.missing


def _priced_lines(ladders: Sequence[PricedLadder], other_lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the priced lines behind the totals, each price once per group."""
    counted_keys: set[tuple[str | None, str, str, str]] = set()
    for line in (
        *(line for ladder in ladders for step in ladder.remaining_steps for line in step.lines),
        *other_lines,
    ):
        key = (line.group, line.subject, line.item, line.region + line.kind)
        if line.status == "priced" and key not in counted_keys:
            counted_keys.add(key)
            yield line


def _notes(
    ladders: Sequence[PricedLadder], lines: Sequence[Line], terms: PricingTerms
) -> Iterator[str]:
    yield from dict.fromkeys(line.note for line in lines if line.status == "priced" and line.note)
    for group in (ladder.group for ladder in ladders):
        if group.needs.expected is None and group.minimum != group.maximum:
            yield f"expected figures count {group.name} at its minimum of {group.minimum}"
    left_out = Counter(line.item for line in lines if line.status == "not-counted")
    if by_user := [item for item in left_out if terms.leaves_out(item)]:
        yield f"not counted (prices: not_counted): {', '.join(by_user)}"
    if other_counts := [f"{left_out[item]} × {item}" for item in left_out if item not in by_user]:
        yield f"not counted (no price is known, no machine in it): {', '.join(other_counts)}"
    for ladder in ladders:
        if None not in ladder.skip_reasons:
            none_left = no_purchase_option(ladder.group.name, ladder.group.rungs)
            yield f"{none_left}: {ladder.skip_reasons[0]}"

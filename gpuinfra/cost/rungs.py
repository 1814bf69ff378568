"""The cost of a group on each rung of its ladder, and the rungs that are excluded."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Literal, get_args

from gpuinfra.cost.machines import machine_lines, node_rate
from gpuinfra.cost.networks import CheapestRest, Choice, Networks, Place, highest_sum, members_of
from gpuinfra.cost.other_costs import item_line
from gpuinfra.cost.pricing_terms import PricingTerms
from gpuinfra.cost.quote import ZERO, CostSum, Line, RungQuote, add, sum_of
from gpuinfra.model import Caps, Group, Item, Origin, Rung
from gpuinfra.records import record
from gpuinfra.units import format_excess

Period = Literal["per_hour", "per_month"]
"""The span of a cap on the whole stack."""


@record(kw_only=False)
class RungStep:
    """A group on one rung; `place` is the location of its shared network, None for none."""

    group: Group
    index: int
    machines: tuple[Line, ...]
    lines: tuple[Line, ...]
    total: CostSum
    place: Place | None = None

    @property
    def rung(self) -> Rung:
        """The rung."""
        return self.group.rungs[self.index]


@record(kw_only=False)
class PricedLadder:
    """A group with all of its rungs; `skip_reasons` has the reason for each excluded rung.

    `remaining_steps` are the rungs that may be active: the one named by the user, else those not
    struck, else all of them, so that what is wrong shows.
    """

    group: Group
    steps: tuple[RungStep, ...]
    skip_reasons: tuple[str | None, ...]
    is_rung_named: bool

    @property
    def active_step(self) -> RungStep:
        """The active rung: the named one, or the first not excluded, or the group's own."""
        if not self.is_rung_named:
            for step, reason in zip(self.steps, self.skip_reasons, strict=True):
                if reason is None:
                    return step
        return self.steps[self.group.active_rung]

    @property
    def remaining_steps(self) -> tuple[RungStep, ...]:
        """The rungs that count."""
        if self.is_rung_named:
            return (self.active_step,)
        open_ = [
            step
            for step, reason in zip(self.steps, self.skip_reasons, strict=True)
            if reason is None
        ]
        return tuple(open_) or self.steps


def steps_of(
    group: Group, items: Sequence[Item], terms: PricingTerms, networks: Networks
) -> tuple[RungStep, ...]:
    """Return the steps of a group, priced with its items, which cost the same within a region."""
    rungs_by_region = {rung.region: rung for rung in group.rungs}
    other_lines = {
        region: tuple(item_line(item, terms, group, rung) for item in items)
        for region, rung in rungs_by_region.items()
    }
    steps = []
    for index, rung in enumerate(group.rungs):
        machines = tuple(machine_lines(group, rung, terms.prices, terms.as_of))
        lines = (*machines, *other_lines[rung.region])
        network_place = networks.network_place(group.name, group.cloud, rung.region)
        steps.append(RungStep(group, index, machines, lines, add(lines), network_place))
    return tuple(steps)


def exclude_rungs(
    groups: Sequence[tuple[RungStep, ...]],
    rest_total: CostSum,
    caps: Caps,
    fixed_names: frozenset[str],
    networks: Networks,
) -> tuple[PricedLadder, ...]:
    """Return the ladders, with rungs excluded that are unpriced or certain to exceed a cap."""
    sums = networks.sums(members_of({steps[0].group.name: places_of(steps) for steps in groups}))
    others = _OtherLadders(groups, rest_total, fixed_names, sums)
    return tuple(
        PricedLadder(
            group=steps[0].group,
            steps=steps,
            skip_reasons=tuple(_exclusion_reason(step, others, sums, caps) for step in steps),
            is_rung_named=steps[0].group.name in fixed_names,
        )
        for steps in groups
    )


def purchase_options(rungs: Iterable[Rung]) -> str:
    """Return the purchase options of rungs, each once."""
    return ", ".join(dict.fromkeys(rung.capacity for rung in rungs))


def no_purchase_option(name: str, rungs: Iterable[Rung]) -> str:
    """Return the message for a workload whose rungs are all excluded."""
    return f"no purchase option is left for {name} ({purchase_options(rungs)})"


def rung_quotes(
    ladder: PricedLadder, terms: PricingTerms, networks: Callable[[RungStep, RungStep], CostSum]
) -> Iterable[RungQuote]:
    """Yield the quote of every rung of a ladder.

    Args:
        ladder: of a group.
        terms: on which it is priced.
        networks: what all shared networks cost when the group moves from its active rung to
            another, and the others keep theirs.
    """
    active_step, remaining_steps = ladder.active_step, ladder.remaining_steps
    active = networks(active_step, active_step)
    for step, skip_reason in zip(ladder.steps, ladder.skip_reasons, strict=True):
        shared = active if step.place == active_step.place else networks(active_step, step)
        has_all = not (step.total.missing or shared.missing)
        is_priced = all(line.status == "priced" for line in step.machines)
        runs = has_all and step.group.needs.hours is not None
        hour = sum((line.per_hour or ZERO for line in step.machines), ZERO)
        run = sum((line.per_run or ZERO for line in step.machines), ZERO)
        yield RungQuote(
            group=step.group.name,
            index=step.index,
            rung=step.rung,
            node_rate=node_rate(step.group, step.rung, terms.prices),
            machines_per_hour=hour if is_priced else None,
            machines_per_run=run if is_priced and step.group.needs.hours is not None else None,
            per_hour=step.total.per_hour + shared.per_hour - active.per_hour if has_all else None,
            per_month=step.total.per_month + shared.per_month - active.per_month
            if has_all
            else None,
            per_run=step.total.per_run if runs else None,
            skip_reason=skip_reason,
            machines=step.machines,
            origin=_origin(step.machines),
            in_ceiling=any(step is rung_total for rung_total in remaining_steps),
        )


class _OtherLadders:
    """The lowest cost of everything except one workload, including shared networks."""

    def __init__(
        self,
        groups: Sequence[tuple[RungStep, ...]],
        rest_total: CostSum,
        fixed_names: frozenset[str],
        networks: Mapping[Place, CostSum],
    ) -> None:
        ladders = {
            steps[0].group.name: (steps[steps[0].group.active_rung],)
            if steps[0].group.name in fixed_names
            else steps
            for steps in groups
        }
        self.alone = {name: steps for name, steps in ladders.items() if not places_of(steps)}
        self.sharing = {name: steps for name, steps in ladders.items() if name not in self.alone}
        self.sums: dict[Period, Decimal] = {
            span: getattr(rest_total, span)
            + sum((_least_cost(ladder, span) for ladder in self.alone.values()), ZERO)
            for span in get_args(Period)
        }
        self.others = {
            span: CheapestRest(
                {name: choices(steps, span) for name, steps in self.sharing.items()},
                {network_place: getattr(total, span) for network_place, total in networks.items()},
            )
            for span in get_args(Period)
        }
        self.cached_costs: dict[tuple[str, Place | None, Period], Decimal] = {}

    def lowest_cost_with(self, step: RungStep, span: Period) -> Decimal:
        """Return the lowest cost of the rest while a workload is on a rung."""
        name = step.group.name
        if name in self.alone:
            other_cost = self.sums[span] - _least_cost(self.alone[name], span)
            return other_cost + self._shared_cost("", None, span)
        return self.sums[span] + self._shared_cost(name, step.place, span)

    def _shared_cost(self, own_name: str, network_place: Place | None, span: Period) -> Decimal:
        """Return the lowest cost of workloads with a shared network, without the given one."""
        key = (own_name, network_place, span)
        if key not in self.cached_costs:
            self.cached_costs[key] = self.others[span].cost_of_others(own_name, network_place)
        return self.cached_costs[key]


def choices(steps: Iterable[RungStep], span: Period) -> list[Choice]:
    """Return the cost of a workload on each rung, with the location of its network there."""
    return [(step.place, getattr(step.total, span)) for step in steps]


def places_of(steps: Iterable[RungStep]) -> frozenset[Place]:
    """Return the locations where a workload shares a network on some rungs."""
    return frozenset(step.place for step in steps if step.place is not None)


def _least_cost(steps: Iterable[RungStep], span: Period) -> Decimal:
    return min(cost for _, cost in choices(steps, span))


def ceiling(
    ladders: Sequence[PricedLadder],
    rest_total: CostSum,
    networks: Mapping[Place, CostSum],
    period: Period,
) -> Decimal:
    """Return the cost of the most expensive combination of the rungs left, plus `rest_total`."""
    costs = {
        network_place: getattr(network, period) for network_place, network in networks.items()
    }
    most: Decimal = getattr(rest_total, period)
    return most + highest_sum(
        [choices(ladder.remaining_steps, period) for ladder in ladders], costs
    )


def minimum(
    ladders: Sequence[PricedLadder],
    rest_total: CostSum,
    networks: Mapping[Place, CostSum],
    period: Period,
) -> Decimal | None:
    """Return the maximum cost with pools at their minimum; None if a part is unknown."""
    least = sum_of([rest_total.minimum], period)
    costs = {
        network_place: sum_of([network.minimum], period)
        for network_place, network in networks.items()
    }
    groups = [
        [(step.place, sum_of([step.total.minimum], period)) for step in ladder.remaining_steps]
        for ladder in ladders
    ]
    if (
        least is None
        or None in costs.values()
        or any(cost is None for group in groups for _, cost in group)
    ):
        return None
    return least + highest_sum(
        [[(network_place, cost or ZERO) for network_place, cost in group] for group in groups],
        {network_place: cost or ZERO for network_place, cost in costs.items()},
    )


def _exclusion_reason(
    step: RungStep, other_ladders: _OtherLadders, networks: Mapping[Place, CostSum], caps: Caps
) -> str | None:
    total = step.total
    missing = (*total.missing, *(networks[step.place].missing if step.place else ()))
    if missing:
        return missing[0].removeprefix(f"{step.group.name}: ")
    if step.group.needs.hours is not None and _is_over_cap(total.per_run, caps.per_run):
        return _cost_text(total.per_run, "a run", caps.per_run)
    hour = total.per_hour + other_ladders.lowest_cost_with(step, "per_hour")
    if _is_over_cap(hour, caps.per_hour):
        return _cost_text(hour, "an hour with the rest of the stack", caps.per_hour)
    month = total.per_month + other_ladders.lowest_cost_with(step, "per_month")
    if _is_over_cap(month, caps.per_month):
        return _cost_text(month, "a month with the rest of the stack", caps.per_month)
    return None


def _is_over_cap(amount: Decimal, cap: Decimal | None) -> bool:
    return cap is not None and amount > cap


def _cost_text(amount: Decimal, cost_kind: str, cap: Decimal | None) -> str:
    amount_text, cap_text = format_excess(amount, cap or ZERO)
    return f"{amount_text} {cost_kind}, above the cap of {cap_text}"


def _origin(machines: Iterable[Line]) -> Origin:
    """Return the origin of the machines' prices: the first that is not the catalog, if any."""
    for line in machines:
        if line.origin != "catalog":
            return line.origin
    return "catalog"

"""A group on each rung of its ladder: what it costs there, and which rungs are struck."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from gpuinfra import logs
from gpuinfra.cost.items import item_line
from gpuinfra.cost.machines import machine_lines, node_rate
from gpuinfra.cost.quote import ZERO, Line, RungQuote
from gpuinfra.cost.sums import Sum, add
from gpuinfra.cost.terms import Terms
from gpuinfra.model import Caps, Group, Item, Origin, Rung
from gpuinfra.records import record
from gpuinfra.units import format_money


@record(kw_only=False)
class Step:
    """A group on one rung."""

    group: Group
    index: int
    machines: tuple[Line, ...]
    lines: tuple[Line, ...]
    total: Sum

    @property
    def rung(self) -> Rung:
        """The rung."""
        return self.group.rungs[self.index]


@record(kw_only=False)
class Ladder:
    """A group with all of its rungs; `struck` has a reason for each rung that is out.

    `left` are the rungs that may stand: the one named by the user, else those not struck, else
    all of them, so that what is wrong shows.
    """

    group: Group
    steps: tuple[Step, ...]
    struck: tuple[str | None, ...]
    named: bool

    @property
    def standing(self) -> Step:
        """The rung that stands: named, or the first that is not struck, or the group's own."""
        if not self.named:
            for step, reason in zip(self.steps, self.struck, strict=True):
                if reason is None:
                    return step
        return self.steps[self.group.standing]

    @property
    def left(self) -> tuple[Step, ...]:
        """The rungs that count."""
        if self.named:
            return (self.standing,)
        open_ = [
            step for step, reason in zip(self.steps, self.struck, strict=True) if reason is None
        ]
        return tuple(open_) or self.steps


def steps_of(group: Group, items: Sequence[Item], terms: Terms) -> tuple[Step, ...]:
    """Price a group and its items on every rung; items cost the same on all rungs of a region."""
    places = {rung.region: rung for rung in group.rungs}
    others = {
        region: tuple(item_line(item, terms, group, rung) for item in items)
        for region, rung in places.items()
    }
    return tuple(
        _step(group, index, rung, others[rung.region], terms)
        for index, rung in enumerate(group.rungs)
    )


def strike(
    groups: Sequence[tuple[Step, ...]], loose: Sum, caps: Caps, fixed: frozenset[str]
) -> tuple[Ladder, ...]:
    """Strike each rung that has an unpriced part, or is over a cap with the rest at its least."""
    least = [_least(steps, steps[0].group.name in fixed) for steps in groups]
    hour = loose.per_hour + sum((per_hour for per_hour, _ in least), ZERO)
    month = loose.per_month + sum((per_month for _, per_month in least), ZERO)
    ladders = tuple(
        Ladder(
            group=steps[0].group,
            steps=steps,
            struck=tuple(_struck(step, hour - own[0], month - own[1], caps) for step in steps),
            named=steps[0].group.name in fixed,
        )
        for steps, own in zip(groups, least, strict=True)
    )
    for ladder in ladders:
        for step, reason in zip(ladder.steps, ladder.struck, strict=True):
            if reason is not None:
                logs.debug("struck %s of %s: %s", step.rung.label, ladder.group.name, reason)
    return ladders


def rung_quotes(ladder: Ladder, terms: Terms) -> Iterable[RungQuote]:
    """Every rung of a ladder as a quote shows it."""
    for step, struck in zip(ladder.steps, ladder.struck, strict=True):
        whole = not step.total.missing
        priced = all(line.status == "priced" for line in step.machines)
        runs = whole and step.group.wishes.hours is not None
        hour = sum((line.per_hour or ZERO for line in step.machines), ZERO)
        run = sum((line.per_run or ZERO for line in step.machines), ZERO)
        yield RungQuote(
            group=step.group.name,
            index=step.index,
            rung=step.rung,
            node_rate=node_rate(step.group, step.rung, terms.prices),
            machines_per_hour=hour if priced else None,
            machines_per_run=run if priced and step.group.wishes.hours is not None else None,
            per_hour=step.total.per_hour if whole else None,
            per_month=step.total.per_month if whole else None,
            per_run=step.total.per_run if runs else None,
            struck=struck,
            machines=step.machines,
            origin=_origin(step.machines),
            counts=any(step is left for left in ladder.left),
        )


def _step(group: Group, index: int, rung: Rung, others: tuple[Line, ...], terms: Terms) -> Step:
    machines = tuple(machine_lines(group, rung, terms.prices, terms.as_of))
    lines = (*machines, *others)
    return Step(group, index, machines, lines, add(lines))


def _least(steps: tuple[Step, ...], named: bool) -> tuple[Decimal, Decimal]:
    """The minimum cost of a group an hour and a month; of a named rung, what that costs."""
    if named:
        total = steps[steps[0].group.standing].total
        return total.per_hour, total.per_month
    return (
        min(step.total.per_hour for step in steps),
        min(step.total.per_month for step in steps),
    )


def _struck(step: Step, hour: Decimal, month: Decimal, caps: Caps) -> str | None:
    total = step.total
    if total.missing:
        return total.missing[0].removeprefix(f"{step.group.name}: ")
    if step.group.wishes.hours is not None and _over(total.per_run, caps.per_run):
        return _words(total.per_run, "a run", caps.per_run)
    if _over(total.per_hour + hour, caps.per_hour):
        return _words(total.per_hour + hour, "an hour with the rest of the stack", caps.per_hour)
    if _over(total.per_month + month, caps.per_month):
        return _words(
            total.per_month + month, "a month with the rest of the stack", caps.per_month
        )
    return None


def _over(amount: Decimal, cap: Decimal | None) -> bool:
    return cap is not None and amount > cap


def _words(amount: Decimal, what: str, cap: Decimal | None) -> str:
    return f"{format_money(amount)} USD {what}, above the cap of {format_money(cap or ZERO)}"


def _origin(machines: Iterable[Line]) -> Origin:
    """Where the machines' prices come from; the first that is not the catalog."""
    for line in machines:
        if line.origin != "catalog":
            return line.origin
    return "catalog"

"""The parts of a quote; money is exact `Decimal` US dollars."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from decimal import Decimal
from typing import Final, Literal

from gpuinfra.catalog.rates import OWN_PRICE
from gpuinfra.model import NotJudged, Origin, Rung
from gpuinfra.records import record
from gpuinfra.units import HOURS_PER_MONTH

ZERO: Final = Decimal(0)

Span = Literal["per_hour", "per_month", "per_run"]

Status = Literal["priced", "free", "unpriced", "rate", "not-counted"]


@record
class Line:
    """A line of a quote, at its maximum.

    `status`: priced; free by a sourced row; unpriced (`note` says why: no price, or a quantity
    that is not known yet); rate (the quantity is not known: outside every cap; `rate` is None
    where the price is not known either); not-counted (unpriced, and the user
    left it out of the caps, or the caps are of machines and none can be in it).
    `expected_per_hour` is at today's spot price, of `expected_as_of`, and at the expected number
    of machines; `expected_per_month` is given where a month is expected to have other hours than
    the ceiling's: those of one run. Where no spot price counts, for example since it is too old,
    `expected_at_most_per_hour` and `expected_at_most_per_month` are the same at the most that the
    machines may cost. `may_wait`: the spot request pays less than today's price, so
    that it may not run; its maximum is counted, which has no date. `default_maximum`: the rate at
    most without a maximum of the request's own. `minimum_per_hour` is the
    ceiling with pools at their minimum.
    """

    group: str | None
    subject: str
    name: str
    kind: str
    item: str
    region: str
    quantity: Decimal | None
    unit: str
    status: Status
    rate: Decimal | None = None
    per_hour: Decimal | None = None
    per_month: Decimal | None = None
    per_run: Decimal | None = None
    expected_per_hour: Decimal | None = None
    expected_per_month: Decimal | None = None
    expected_as_of: str = ""
    expected_at_most_per_hour: Decimal | None = None
    expected_at_most_per_month: Decimal | None = None
    may_wait: bool = False
    default_maximum: Decimal | None = None
    minimum_per_hour: Decimal | None = None
    source: str = ""
    as_of: str = ""
    note: str = ""
    origin: Origin = "catalog"

    @property
    def has_no_age(self) -> bool:
        """Whether the user named the price; a discount keeps the date of its list price."""
        return not self.as_of and (self.origin == "user" or self.source == OWN_PRICE)


@record
class Total:
    """A sum: at the most expensive rungs left (which caps judge), on active rungs, and expected.

    `expected` is None where a spot price or a number of machines is not known; `expected_at_most`
    is what it is at most then, with spot machines at their ceiling: None where `expected` is
    known, and where the number of machines is not. `minimum` is the ceiling while pools are at
    their minimum; None where that is not known.
    """

    ceiling: Decimal
    active: Decimal
    expected: Decimal | None
    minimum: Decimal | None = None
    expected_at_most: Decimal | None = None


@record
class RunCost:
    """The cost of one run of a training workload: its machines and their per-machine charges.

    That is disks, and on some clouds an address and NAT by the machine. What the stack has besides
    stays until it is deleted and counts by the hour and by the month (`breakdown.beside_run`).
    """

    group: str
    subject: str
    hours: Decimal
    total: Total


@record
class RungQuote:
    """The cost of a group on one rung; `skip_reason` is the reason why `up` may not use it.

    `node_rate` is the most that one machine costs an hour; `machines_per_hour` and
    `machines_per_run` leave out disks and the network, which the other figures hold; of a network
    that workloads share, the change from the active rung. `origin` is where the price of its
    machines comes from; `machines` are their lines. `in_ceiling` says that the ceiling is the
    dearest of this and the other rungs that count.
    """

    group: str
    index: int
    rung: Rung
    node_rate: Decimal | None
    machines_per_hour: Decimal | None
    machines_per_run: Decimal | None
    per_hour: Decimal | None
    per_month: Decimal | None
    per_run: Decimal | None
    skip_reason: str | None
    machines: tuple[Line, ...] = ()
    origin: Origin = "catalog"
    in_ceiling: bool = True


@record
class Chosen:
    """The cloud that planning chose for a group, and why."""

    group: str
    cloud: str
    reason: str


@record
class Quote:
    """The cost of a plan.

    Attributes:
        lines: of the active rungs, and of items without a group.
        per_hour: all that may run at once, pools at their maximum.
        per_month: 730 hours, or those after which something that the stack makes ends the
            machines; what is booked or reserved in full. Its expected figure has one run of each
            workload.
        per_run: the dearest run, machines and disks; None where no training workload has a
            duration.
        runs: each run.
        rungs: every rung of every ladder.
        active_rungs: the active rung of each group, by name.
        chosen: the clouds that were chosen, each with the reason.
        unpriced: the reasons why there is no total.
        rates: lines of unknown quantity.
        oldest: the `as_of` of the oldest list price that counts; empty when none does.
        outdated: lines whose list price is too old or undated.
        at_risk: the caps that hold, and would be exceeded if the outdated prices had doubled.
        doubled: the maximum per hour, month and run if the outdated prices had doubled; empty
            where none is outdated.
        bounded: lines that count, or have a rate, at a bound, their price being unknown.
        undecided: what may have no price, by a text that is not known yet.
        accept_outdated: the user said that this is fine.
        warnings: what a reader of the figures has to know.
    """

    lines: tuple[Line, ...]
    per_hour: Total
    per_month: Total
    per_run: Total | None
    runs: tuple[RunCost, ...]
    rungs: tuple[RungQuote, ...]
    active_rungs: Mapping[str, int]
    chosen: tuple[Chosen, ...]
    unpriced: tuple[str, ...]
    rates: tuple[Line, ...]
    oldest: str
    outdated: tuple[Line, ...]
    accept_outdated: bool
    at_risk: tuple[str, ...] = ()
    doubled: Mapping[Span, Decimal] = field(default_factory=dict)
    bounded: tuple[Line, ...] = ()
    undecided: tuple[NotJudged, ...] = ()
    warnings: tuple[str, ...]

    @property
    def skip_reasons(self) -> Mapping[tuple[str, str], str | None]:
        """The reason why each rung, by group and label, is excluded; None where it is not."""
        return {(rung.group, rung.rung.label): rung.skip_reason for rung in self.rungs}

    @property
    def excluded_rungs(self) -> Mapping[str, tuple[RungQuote, ...]]:
        """The rungs of the workloads whose rungs are all excluded."""
        names = dict.fromkeys(rung.group for rung in self.rungs if rung.skip_reason)
        each = {name: tuple(rung for rung in self.rungs if rung.group == name) for name in names}
        return {
            name: rungs for name, rungs in each.items() if all(row.skip_reason for row in rungs)
        }

    @property
    def run_cost_kinds(self) -> str:
        """The kinds of cost in the figure of a run, without shared networks and buckets."""
        machines = {line for rung in self.rungs for line in rung.machines}
        run_lines = (line for line in self.lines if line.per_run and line not in machines)
        kinds = dict.fromkeys(line.kind for line in run_lines if line.kind != "disk")
        *first, last = ("machines", "disks", *kinds)
        return f"{', '.join(first)} and {last}"

    def rungs_by_group(self) -> dict[str, list[RungQuote]]:
        """Return every rung by its group, for who asks about one group after the other."""
        by_group: dict[str, list[RungQuote]] = {}
        for rung in self.rungs:
            by_group.setdefault(rung.group, []).append(rung)
        return by_group

    def state_of(self, rung: RungQuote) -> str:
        """Return the state of a rung: active, next, before the active one, or excluded."""
        if rung.skip_reason:
            return f"excluded: {rung.skip_reason}"
        active = self.active_rungs[rung.group]
        if rung.index == active:
            return "active"
        return "next in line" if rung.index > active else "before the active one"


@record(kw_only=False)
class SpanAmounts:
    """The cost per hour, per month and per run."""

    per_hour: Decimal = ZERO
    per_month: Decimal = ZERO
    per_run: Decimal = ZERO


@record(kw_only=False)
class CostSum(SpanAmounts):
    """The sum of lines: the known costs, and the missing ones as text.

    `expected` and `minimum` (with pools at their minimum) are None where a part is not known.
    `expected_at_most` has spot machines whose price is not known at their ceiling.
    """

    expected: SpanAmounts | None = None
    minimum: SpanAmounts | None = None
    missing: tuple[str, ...] = ()
    expected_at_most: SpanAmounts | None = None


def add(lines: Iterable[Line]) -> CostSum:
    """Return the sum of lines; one without an expected cost leaves the expected sum unknown."""
    hour = month = run = ZERO
    likely: SpanAmounts | None = SpanAmounts()
    most: SpanAmounts | None = likely
    least: SpanAmounts | None = likely
    missing: list[str] = []
    for line in lines:
        if line.status == "unpriced":
            missing.append(f"{line.group or line.name}: {line.note}")
            likely = most = least = None
        if line.per_hour is None or line.per_month is None:
            continue
        hour += line.per_hour
        month += line.per_month
        run += line.per_run or ZERO
        likely = _add_proportionally(likely, line, line.expected_per_hour, line.expected_per_month)
        most = _add_proportionally(most, line, *_likely_at_most(line))
        least = _add_proportionally(least, line, line.minimum_per_hour)
    return CostSum(hour, month, run, likely, least, tuple(dict.fromkeys(missing)), most)


def _likely_at_most(line: Line) -> tuple[Decimal | None, Decimal | None]:
    """Return the expected cost per hour and month of a line, or else its upper bound."""
    if line.expected_per_hour is not None:
        return line.expected_per_hour, line.expected_per_month
    return line.expected_at_most_per_hour, line.expected_at_most_per_month


def _add_proportionally(
    sums: SpanAmounts | None, line: Line, hourly: Decimal | None, monthly: Decimal | None = None
) -> SpanAmounts | None:
    """Return the sums plus a line; its month and run are proportional to its maximum.

    Unless its month is given. What is kept for groups that grow within it costs nothing of its own
    at their maximum, and is paid all month below it.
    """
    if sums is None or hourly is None or line.per_hour is None or line.per_month is None:
        return None
    if not line.per_hour:
        all_month = hourly * HOURS_PER_MONTH
        return SpanAmounts(sums.per_hour + hourly, sums.per_month + all_month, sums.per_run)
    share = hourly / line.per_hour
    return SpanAmounts(
        sums.per_hour + hourly,
        sums.per_month + (line.per_month * share if monthly is None else monthly),
        sums.per_run + (line.per_run or ZERO) * share,
    )


def sum_of(parts: Sequence[SpanAmounts | None], span: Span) -> Decimal | None:
    """Return the sum of parts; None where one of them is unknown."""
    known: list[Decimal] = [getattr(part, span) for part in parts if part is not None]
    return sum(known, ZERO) if len(known) == len(parts) else None

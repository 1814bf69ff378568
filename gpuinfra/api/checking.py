"""The check of a stack file, as a typed result."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gpuinfra import cost, planning, rules, source, stackfile
from gpuinfra import lock as locks
from gpuinfra.api.results import CheckResult
from gpuinfra.catalog import PriceBook
from gpuinfra.clouds import refreshing
from gpuinfra.errors import Problem, lock_update
from gpuinfra.lock import FILE_NAME
from gpuinfra.model import Plan
from gpuinfra.records import record
from gpuinfra.specs import Stack

if TYPE_CHECKING:
    from gpuinfra.cost.run_outlook import RunOutlook
    from gpuinfra.report import Report


@record
class StackCheck(CheckResult):
    """The check of a stack file, with its plan, quote and verdict.

    Attributes:
        source: the stack file and what lies beside it.
        rungs: the rungs by workload that the caller named.
    """

    source: source.Source
    rungs: Mapping[str, str]

    @property
    def document(self) -> stackfile.StackDocument:
        """The stack file as it was read."""
        return self.source.document

    @property
    def stack(self) -> Stack:
        """The stack file's content."""
        return self.document.stack

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the prices, the files beside the stack file, and the plan."""
        return (*refreshing.faults(), *self.source.notes, *self.plan_notes)

    @property
    def plan_notes(self) -> tuple[str, ...]:
        """Notes on the plan: own prices, the lock, and each workload."""
        own_notes = (
            () if self.source.own_prices is None else self.source.own_prices.notes(self.as_of)
        )
        has_valid_lock = self.source.valid_lock is not None
        origins = (
            [f"machines, prices and images are those of {FILE_NAME}"] if has_valid_lock else []
        )
        groups = (f"{group.name}: {note}" for group in self.plan.groups for note in group.notes)
        return (
            *own_notes,
            *origins,
            *groups,
            *self.open_notes,
            *self.spot_notes,
            *self.plan.notes,
            *self.plan.disk_loss_notes,
        )

    @property
    def open_notes(self) -> tuple[str, ...]:
        """Notes on what workloads leave open of their GPUs: the task of a model, the count."""
        return tuple(planning.open_notes(self.stack, self.plan, self.source.prices))

    @property
    def spot_notes(self) -> tuple[str, ...]:
        """Notes on workloads whose spot price is no lower than on demand."""
        if all(group.rung.capacity != "spot" for group in self.plan.groups):
            return ()
        from gpuinfra.cost.spot_savings import no_saving_notes  # noqa: PLC0415  (spot alone)

        return tuple(no_saving_notes(self.plan.groups, self.source.prices, self.as_of))

    @property
    def outlooks(self) -> "tuple[RunOutlook, ...]":
        """The expected hours and cost of each training run, for each purchase option."""
        from gpuinfra.cost.outlook import outlook  # noqa: PLC0415  (a check needs none)

        terms = self.source.terms(self.as_of)
        return outlook(self.stack, self.plan, terms, self.quote.skip_reasons)

    @property
    def report(self) -> "Report":
        """The check as `gpuinfra.report` writes it: SARIF, JUnit, Markdown and others."""
        from gpuinfra.report import Report  # noqa: PLC0415  (a plan and a quote need none)
        from gpuinfra.report.checkout import checkout  # noqa: PLC0415

        path = self.document.path
        return Report(
            name=self.stack.name,
            as_of=self.as_of,
            source=path,
            root=checkout(path),
            verdict=self.verdict,
            quote=self.quote,
            caps=self.plan.caps,
            fabric=self.fabric,
            not_judged=self.not_judged,
            waivers=self.stack.waivers,
            locate=self.document.locate,
            text=self.document.text,
            doubts=()
            if self.source.own_prices is None
            else self.source.own_prices.notes(self.as_of),
        )


def check_stack(
    path: source.Source | Path | str,
    rungs: Mapping[str, str],
    day: date,
    lock: source.UseLock = "enforce",
) -> StackCheck:
    """Plan, price and check a stack file; `lock` sets the use of its lock file.

    Raises:
        InputError: all problems of the file and of its plan, with their places.
        RefusedError: the lock does not match, or has other prices than its own tables.
    """
    read, plan = plan_stack(path, rungs, day, lock)
    if lock in {"enforce", "note"} and read.valid_lock is not None:
        locks.refuse_forged(read.valid_lock, read.current_prices, read.document.path)
    check = _with_cheaper_regions(judge(read, plan, rungs, day))
    check.verdict.log()
    return check


def plan_stack(
    path: source.Source | Path | str,
    rungs: Mapping[str, str],
    day: date,
    lock: source.UseLock = "enforce",
) -> tuple[source.Source, Plan]:
    """Plan a stack file, which is read unless a source is given.

    Raises:
        InputError: all problems of the file and of its plan, with their places.
        RefusedError: the lock does not match.
    """
    if not isinstance(path, source.Source):
        return source.read(path, rungs, _settings_problems, day, lock)
    must_match_lock = lock == "enforce"
    return path, source.plan_source(path, rungs, _settings_problems, day, strict=must_match_lock)


def check_on_rungs(checked: StackCheck, rungs: Mapping[str, str]) -> StackCheck:
    """Return the check of the stack on other rungs."""
    return check_stack(checked.source, rungs, checked.as_of)


def price(
    read: source.Source, plan: Plan, rungs: Mapping[str, str], day: date
) -> tuple[Plan, cost.Quote]:
    """Return the plan on the rungs that its caps allow, and its quote."""
    quote = cost.estimate(plan, read.terms(day), fixed_names=frozenset(rungs))
    active_plan = cost.plan_on_active_rungs(plan, quote)
    if [group.active_rung for group in active_plan.groups] != [
        group.active_rung for group in plan.groups
    ]:
        active_plan = planning.with_facts(read.stack, active_plan)
    return active_plan, quote


def judge(read: source.Source, plan: Plan, rungs: Mapping[str, str], day: date) -> StackCheck:
    """Price and judge a source that is read and planned."""
    active_plan, quote = price(read, plan, rungs, day)
    stack, terms = read.stack, read.terms(day)

    def quote_at(prices: PriceBook) -> cost.Quote:
        return cost.estimate(plan, replace(terms, prices=prices), fixed_names=frozenset(rungs))

    verdict = rules.judge(
        active_plan,
        quote,
        settings=stack.rules,
        waivers=stack.waivers,
        today=day,
        locked_totals=locked_totals(read, quote_at),
    )
    return StackCheck(
        source=read,
        plan=active_plan,
        quote=quote,
        verdict=verdict,
        as_of=day,
        rungs=rungs,
    )


def _with_cheaper_regions(check: StackCheck) -> StackCheck:
    """Return the check with a move to a cheaper region first in the fixes of exceeded caps."""
    if not any(map(_is_exceeded_cap, check.verdict.findings)):
        return check
    from gpuinfra.cost.spot_savings import cheaper_region_fix  # noqa: PLC0415  (seldom needed)
    from gpuinfra.fixes.trials import key_of  # noqa: PLC0415

    source, rungs, day = check.source, check.rungs, check.as_of

    def with_region(finding: rules.Finding) -> rules.Finding:
        if not _is_exceeded_cap(finding):
            return finding
        fix = cheaper_region_fix(
            check.plan,
            source.terms(day),
            lambda plan: all(
                each.outcome == "fine" or key_of(each) != key_of(finding)
                for each in _caps_of_plan(source, plan, rungs, day)
            ),
        )
        return replace(finding, fix=f"{fix}{finding.fix}")

    findings = tuple(map(with_region, check.verdict.findings))
    return replace(check, verdict=replace(check.verdict, findings=findings))


def _is_exceeded_cap(finding: rules.Finding) -> bool:
    return finding.rule in CAPS and finding.outcome == "violated"


CAPS: Final = ("cap-per-hour", "cap-per-month", "cap-per-run")


def caps_of_machines(
    read: source.Source, rungs: Mapping[str, str], day: date
) -> Sequence[rules.Finding]:
    """Return the caps' findings about machines and their disks; the whole stack costs no less.

    That takes a fifth of a judgement's time.

    Raises:
        InputError: the stack can't be planned.
    """
    plan = planning.choices(read.stack, rungs=rungs, prices=read.prices)
    return _caps_of_plan(read, plan, rungs, day)


def _caps_of_plan(
    read: source.Source, plan: Plan, rungs: Mapping[str, str], day: date
) -> Sequence[rules.Finding]:
    quote = cost.estimate(plan, read.terms(day), fixed_names=frozenset(rungs))
    stack = read.stack
    return rules.judge(
        plan, quote, settings=stack.rules, waivers=stack.waivers, today=day, only=CAPS
    ).findings


def locked_totals(
    read: source.Source, quote_at: Callable[[PriceBook], cost.Quote]
) -> rules.LockedTotals | None:
    """Return the lock's totals and the quote at today's prices; None without a lock.

    Args:
        read: a stack file with what lies beside it.
        quote_at: the quote of what is judged, by a book.
    """
    lock = read.valid_lock
    if lock is None:
        return None
    run = lock.per_run
    return rules.LockedTotals(
        per_hour=lock.per_hour.ceiling,
        per_month=lock.per_month.ceiling,
        per_run=None if run is None else run.ceiling,
        quote_today=quote_at(read.current_prices),
        update_command=lock_update(read.document.path),
    )


def read_despite_faults(path: Path | str) -> stackfile.StackDocument:
    """Return the stack file for a command that needs only its name, despite other faults.

    Raises:
        InputError: nothing of it can be read.
    """
    try:
        return source.read_document(path)
    except stackfile.StackFileError as error:
        if error.rest is None:
            raise
        return error.rest


def _settings_problems(stack: Stack, has: Collection[str] | None) -> Iterable[Problem]:
    return rules.settings_problems(stack.rules, has)

"""Loads a stack file with its lock and prices.yaml, and plans it."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gpuinfra import lock as locks
from gpuinfra import logs, planning, stackfile
from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.errors import InputError, Problem, RefusedError, lock_update
from gpuinfra.model import Plan
from gpuinfra.price_overrides import FILE_NAME as OWN_PRICES
from gpuinfra.price_overrides.stack_prices import stack_prices
from gpuinfra.records import record
from gpuinfra.specs import Stack
from gpuinfra.stackfile import StackDocument
from gpuinfra.today import today

if TYPE_CHECKING:
    from gpuinfra.price_overrides.prices import OwnPrices

UseLock = Literal["enforce", "note", "silent", "ignore"]
"""How a lock beside a stack file is used.

enforce: it applies, and a mismatch refuses; note: it applies where it matches, else a note
reports it; silent: the same without the note; ignore: it is not read.
"""


Judge = Callable[[Stack, "Collection[str] | None"], Iterable[Problem]]
"""Says what is wrong with a stack, given what it has; None where faults hide some of it."""


@record
class Source:
    """A parsed stack file with its lock and its price book.

    `own_prices` are the user's own prices, from the prices.yaml beside the stack file. `lock` is
    the gpuinfra.lock beside it; it holds unless `lock_changes` tell what the files say otherwise
    since. `current_prices` are the prices without it, `notes` what a reader has to know of what
    lies beside.
    """

    document: StackDocument
    prices: PriceBook = CATALOG
    own_prices: "OwnPrices | None" = None
    lock: "locks.Lock | None" = None
    lock_changes: "tuple[locks.Change, ...]" = ()
    current_prices: PriceBook = CATALOG
    notes: tuple[str, ...] = ()

    @property
    def prices_digest(self) -> str | None:
        """The digest of the stack file's prices.yaml; None without one."""
        return locks.file_digest(self.document.path.with_name(OWN_PRICES))

    @property
    def valid_lock(self) -> "locks.Lock | None":
        """The lock, or None if the stack file differs from it."""
        return None if self.lock_changes else self.lock

    @property
    def stack(self) -> Stack:
        """The parsed stack."""
        return self.document.stack

    def terms(self, as_of: date) -> PricingTerms:
        """Return the purchase terms that the file requests, on a day."""
        prices, budget = self.stack.prices, self.stack.budget
        return PricingTerms(
            as_of=as_of,
            prices=self.prices,
            accept_outdated=prices.accept_outdated,
            outdated_after_days=prices.outdated_after_days,
            covers_everything=budget is not None and budget.covers == "everything",
            not_counted=prices.not_counted,
            notes=() if self.own_prices is None else self.own_prices.notes(as_of),
        )


def _no_findings(_: Stack, __: Collection[str] | None) -> Iterable[Problem]:
    return ()


def read(
    path: Path | str,
    rungs: Mapping[str, str],
    judge: Judge = _no_findings,
    day: date | None = None,
    lock: UseLock = "enforce",
) -> tuple[Source, Plan]:
    """Read and plan a stack file, or that of a folder, by the lock and prices beside it.

    Args:
        path: the file or its folder.
        rungs: rungs by workload that were named beside the file.
        judge: says what else is wrong with a stack, by path.
        day: prices of the user's own that ended before it do not count; today when absent.
        lock: whether the lock beside the file is looked at, and has to match.

    Raises:
        InputError: the problems of reading and of planning together, in the file's order.
        RefusedError: the lock does not match; says what changed.
    """
    day = day or today()
    problems: tuple[Problem, ...] = ()
    try:
        document = read_document(path)
    except stackfile.StackFileError as error:
        problems = _with_unknown_names(error)
        if error.rest is None:
            raise InputError(problems) from None
        document = error.rest
    stack = document.stack
    faults = _Faults(document, problems, list(judge(stack, None if problems else stack.subjects)))
    try:
        source = _with_lock(_with_own_prices(document, day), lock)
    except InputError as error:
        others = error.problems
    else:
        return source, _plan_valid_source(source, rungs, faults, day, strict=lock == "enforce")
    raise faults.error(others)


def _with_unknown_names(error: stackfile.StackFileError) -> tuple[Problem, ...]:
    """Return a file's problems, and the unknown GPUs and machine types that no plan will tell."""
    if error.composed is None:
        return error.problems
    stack = None if error.rest is None else error.rest.stack
    unknown = planning.unknown_names(error.composed.value, stack)
    spans = error.composed.spans
    placed = (stackfile.with_position(problem, spans) for problem in unknown)
    return tuple(sorted((*error.problems, *placed), key=_problem_order))


def read_document(path: Path | str) -> StackDocument:
    """Return the stack file at a path or in a folder; its lock fills in missing values.

    Raises:
        StackFileError: it can't be read, or it has faults.
    """
    document = stackfile.read_stack_file(path, _lock_settings)
    logs.debug("read stack file %s", document.path)
    return document


def _lock_settings(path: Path) -> Mapping[str, Any]:
    """Return the settings in a stack file's lock; none without a readable lock."""
    if not locks.has_lock(path):
        return {}
    try:
        lock = locks.read_lock(locks.lock_path(path))
    except InputError:
        return {}  # told where the lock is used
    return lock.settings if lock.file == path.name else {}


def plan_source(
    source: Source,
    rungs: Mapping[str, str],
    judge: Judge = _no_findings,
    day: date | None = None,
    *,
    strict: bool = True,
) -> Plan:
    """Plan a source that was read; where `strict` is set, its lock has to match.

    The other arguments are those of `read`.

    Raises:
        InputError: the problems of planning, and those that `judge` finds.
        RefusedError: the lock does not match; says what changed.
    """
    faults = _Faults(source.document, (), list(judge(source.stack, source.stack.subjects)))
    return _plan_valid_source(source, rungs, faults, day or today(), strict=strict)


class _Faults:
    """The faults of a stack file: `positioned` in the text, `without_position` by path only."""

    def __init__(
        self, document: StackDocument, read: tuple[Problem, ...], later: list[Problem]
    ) -> None:
        self.document, self.positioned, self.without_position = document, read, later

    def __bool__(self) -> bool:
        return bool(self.positioned or self.without_position)

    def error(self, others: Iterable[Problem]) -> InputError:
        """Return one error with all problems: the file's in order, then `others`."""
        later = stackfile.with_positions(self.without_position, self.document)
        return InputError([*sorted((*self.positioned, *later), key=_problem_order), *others])


def _plan_valid_source(
    source: Source, rungs: Mapping[str, str], faults: _Faults, day: date, *, strict: bool
) -> Plan:
    """Return the plan of a source; raise an error with all problems.

    Raises:
        InputError: the faults that were found before, and those of planning.
        RefusedError: `strict` is set, and the lock does not match.
    """
    others: tuple[Problem, ...] = ()
    try:
        plan = _plan_by_lock(source, rungs)
    except InputError as error:
        faults.without_position += error.problems
    else:
        others = () if source.own_prices is None else source.own_prices.uncovered_problems(plan)
        if not (faults or others):
            if strict:
                _require_match(source, plan, day)
            return plan
    raise faults.error(others)


def read_for_comparison(path: Path | str, day: date) -> Source:
    """Return a source with its lock, without a plan.

    What changed since does not depend on the tables.

    Raises:
        InputError: the stack file, or what lies beside it, can't be read.
    """
    return _with_lock(_with_own_prices(read_document(path), day), "silent")


def _with_own_prices(document: StackDocument, day: date) -> Source:
    """Return a source with the prices beside its stack file."""
    loaded = stack_prices(document, day)
    own, book, notes = loaded.own_prices, loaded.book, loaded.notes
    return Source(document=document, prices=book, current_prices=book, own_prices=own, notes=notes)


def _with_lock(source: Source, use: UseLock) -> Source:
    """Return the source with its lock; a valid lock's price rows take precedence."""
    path = source.document.path
    if use == "ignore" or not locks.has_lock(path):
        return source
    lock = locks.read_lock(locks.lock_path(path))
    logs.debug("read lock %s, made from %s", locks.lock_path(path), lock.file)
    if lock.file != path.name:
        note = f"{locks.lock_path(path)} is ignored: it is the lock of {lock.file}"
        return replace(source, notes=(*source.notes, note))
    locked_values = locks.stack_values(source.stack)
    changes = locks.changes(lock, locked_values, source.prices_digest, source.current_prices)
    if changes:
        logs.debug("the lock does not match: %s", ", ".join(map(str, changes)))
        stale = (locks.stale_lock_note(path),) if use == "note" else ()
        return replace(source, lock=lock, lock_changes=changes, notes=(*source.notes, *stale))
    hint = f"to use it: {lock_update(path)}"
    notes = source.notes
    if not locks.is_from_current_tables(lock):
        notes = (
            *notes,
            f"{locks.lock_path(path).name} was made from other tables: its prices are unchecked",
        )
    dearer = tuple(f"{words}: {hint}" for words in locks.dearer_today(lock, source.current_prices))
    prices = source.current_prices.overridden_by(lock.marked_rows)
    return replace(source, lock=lock, prices=prices, notes=(*notes, *dearer))


def _require_match(source: Source, plan: Plan, day: date) -> None:
    """Raise an error if a stack does not match its lock."""
    if source.lock is not None and source.lock_changes:
        quote = estimate(plan, source.terms(day))
        path = source.document.path
        raise RefusedError(locks.stale_lock_message(source.lock_changes, source.lock, quote, path))


def _plan_by_lock(source: Source, rungs: Mapping[str, str]) -> Plan:
    """Return a plan that follows the lock, if a valid one exists.

    Raises:
        RefusedError: the lock has a machine, a cloud or a rung that the stack does not request.
    """
    lock, stack, prices = source.valid_lock, source.stack, source.prices
    if lock is None:
        return planning.from_stack(stack, rungs=rungs, prices=prices)
    return locks.plan_by_lock(lock, stack, rungs, prices, source.document.path)


def plan(source: Source, rungs: Mapping[str, str]) -> Plan:
    """Plan a source that was read, on the named rungs.

    Raises:
        InputError: with the place of each problem.
    """
    try:
        return _plan_by_lock(source, rungs)
    except InputError as error:
        raise InputError(stackfile.with_positions(error.problems, source.document)) from error


def _problem_order(problem: Problem) -> tuple[int, int]:
    return (problem.position.line, problem.position.column) if problem.position else (0, 0)

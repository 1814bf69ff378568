"""What the commands that read a stack share: the SOURCE argument, its options, and loading it."""

from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import click

from gpuinfra import cost, planning, rules, source, stackfile
from gpuinfra.catalog import Book
from gpuinfra.cli import refreshed
from gpuinfra.cli.locked import locked
from gpuinfra.cli.options import Command
from gpuinfra.cli.options import format_options as format_options  # noqa: PLC0414
from gpuinfra.cli.render import note
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Plan

CONFIG_OPTION = "--rung"


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A stack file, read, planned, priced and judged."""

    source: source.Source
    plan: Plan
    quote: cost.Quote
    verdict: rules.Verdict
    as_of: date
    rungs: dict[str, str]

    @property
    def document(self) -> stackfile.Document:
        """The stack file as it was read."""
        return self.source.document

    @property
    def stack(self) -> stackfile.Stack:
        """What the file says."""
        return self.document.stack


def source_argument(command: Command) -> Command:
    """Add SOURCE: a stack file or its folder, the current folder by default."""
    return click.argument("source", default=".", type=click.Path(path_type=Path))(command)


def plan_options(command: Command) -> Command:
    """Add --as-of and --rung, which every reader of a plan takes."""
    command = click.option(
        "--as-of",
        type=click.DateTime(["%Y-%m-%d"]),
        default=None,
        help="The day prices are judged for; default today.",
    )(command)
    return click.option(
        CONFIG_OPTION,
        "rung",
        multiple=True,
        metavar="WORKLOAD=RUNG",
        help="Stand on this rung of the ladder, for example trainer=on-demand.",
    )(command)


def parse_rungs(pairs: tuple[str, ...]) -> dict[str, str]:
    """`("trainer=on-demand",)` as a mapping.

    Raises:
        InputError: a pair has no `=`.
    """
    problems = [
        Problem(
            message="a rung is given as WORKLOAD=RUNG",
            value=pair,
            fix=f"for example {CONFIG_OPTION} trainer=on-demand",
        )
        for pair in pairs
        if "=" not in pair
    ]
    if problems:
        raise InputError(problems)
    return dict(pair.split("=", 1) for pair in pairs)


def load(
    path: Path,
    *,
    as_of: Any = None,
    rung: tuple[str, ...] = (),
    lock: source.UseLock = "holds",
) -> Loaded:
    """Read, plan, price and judge a stack file; `lock` says what the one beside it means.

    Raises:
        InputError: with all structural and planning problems, positioned.
    """
    refreshed.tell()
    today = as_of.date() if as_of else date.today()  # noqa: DTZ011 - the user's own day
    loaded = _judged(path, parse_rungs(rung), today, lock)
    if lock != "told":
        for line in loaded.source.notes:
            note(line)
    return loaded


def again(loaded: Loaded, rungs: dict[str, str]) -> Loaded:
    """The same stack on other rungs, judged anew."""
    return _judged(loaded.document.path, rungs, loaded.as_of)


def _judged(
    path: Path, rungs: dict[str, str], day: date, lock: source.UseLock = "holds"
) -> Loaded:
    read, plan = source.read(
        path, rungs, lambda stack, has: rules.settings_problems(stack.rules, has), day, lock
    )
    return judged(read, plan, rungs, day)


def judged(read: source.Source, plan: Plan, rungs: dict[str, str], day: date) -> Loaded:
    """Price and judge a source that is read and planned."""
    stack, terms = read.stack, read.terms(day)

    def priced(prices: Book) -> cost.Quote:
        return cost.estimate(plan, replace(terms, prices=prices), fixed=frozenset(rungs))

    quote, lock = priced(terms.prices), locked(read, priced)
    stood = cost.standing(plan, quote)
    if [one.standing for one in stood.groups] != [one.standing for one in plan.groups]:
        stood = planning.with_facts(stack, stood)
    plan = stood
    verdict = rules.judge(
        plan, quote, settings=stack.rules, waivers=stack.waivers, today=day, locked=lock
    )
    return Loaded(source=read, plan=plan, quote=quote, verdict=verdict, as_of=day, rungs=rungs)


def salvaged(path: Path) -> stackfile.Document:
    """The stack file for a verb that needs only its name: faults elsewhere don't matter.

    Raises:
        InputError: nothing of it can be read.
    """
    try:
        return stackfile.read(path)
    except stackfile.StackFileError as error:
        if error.rest is None:
            raise
        return error.rest

"""Settings, a stack file and waivers given beside a Pulumi preview or state."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from gpuinfra import planning, rules, source
from gpuinfra.catalog import Book
from gpuinfra.clouds.declaring.names import bucket_resource, group_resource
from gpuinfra.crossguard.said import Said
from gpuinfra.crossguard.settings import of_money, own_word
from gpuinfra.errors import InputError, PathPart, Position, Problem
from gpuinfra.evidence import settings as settings_file
from gpuinfra.evidence import waivers as waiver_file
from gpuinfra.evidence.waivers import WaiverFile
from gpuinfra.model import Usage
from gpuinfra.own import FILE_NAME as OWN_PRICES
from gpuinfra.own import prices as own_prices
from gpuinfra.own.prices import OwnPrices
from gpuinfra.rules.settings import WORKLOADS, plain
from gpuinfra.rules.waivers import goes_by
from gpuinfra.specs.schema import RuleSettings, Stack
from gpuinfra.stackfile.files import Filed

Locate = Callable[[Sequence[PathPart]], Position | None]


def _nowhere(_: Sequence[PathPart]) -> Position | None:
    return None


@dataclass(frozen=True, kw_only=True)
class CheckSettings:
    """What is given beside the file: settings, or a stack file.

    `stack` is the stack file; `own` are the prices of the prices.yaml beside it or beside the
    settings, and `prices` the book that they make. Without these, a program's own make the book.
    `told` are the names of the resources that the settings refer to.
    """

    said: Said = field(default_factory=Said)
    rules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    region: str | None = None
    prices: Book | None = None
    own: OwnPrices | None = None
    stack: source.Source | None = None
    locate: Locate = _nowhere
    told: tuple[str, ...] = ()


def read(
    settings: Path | None, stack: Path | None, day: date, waivers: Path | None = None
) -> CheckSettings:
    """What holds besides the file: at most one of settings and a stack file, and waivers.

    Raises:
        InputError: both are given, or some have faults: those of all files.
    """
    if settings and stack:
        problem = Problem(
            message="--settings and --stack both set the caps",
            fix="use one of them",
        )
        raise InputError([problem])
    problems: list[Problem] = []
    said = CheckSettings()
    try:
        if settings or stack:
            said = _of_settings(settings, day) if settings else _of_stack(stack or Path(), day)
    except InputError as error:
        problems += error.problems
    try:
        said = said if waivers is None else _with_waivers(said, waiver_file.read(waivers))
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    return said


def idle(
    said: CheckSettings, called: Collection[str], subjects: Iterable[Sequence[str]]
) -> Iterator[str]:
    """Name the words of the settings that match nothing in the stack.

    Args:
        said: what is said beside the file; a stack file's words are of its own workloads.
        called: the names of the stack's resources.
        subjects: what findings may be about, each by all of its names.
    """
    if said.stack is not None:
        return
    for name in said.told:
        if name not in called:
            yield f"no resource named {name}; its entry is ignored"
    names = {one for each in subjects for one in each}
    for rule, settings in said.rules.items():
        for pattern in settings.get(WORKLOADS) or {}:
            if not goes_by(names, pattern):
                what = f"`rules.{rule}`"
                yield f"no resource named {pattern}; {what} is ignored"


def waivers_for(source: Path, named: Path | None = None) -> Path | None:
    """The file of waivers that holds for a SOURCE: the one named, else the one beside it."""
    return named or waiver_file.beside(source)


def _with_waivers(said: CheckSettings, filed: Filed[WaiverFile]) -> CheckSettings:
    """The waivers of a file after those that are said already; each is found in its own file."""
    first = len(said.said.waivers)

    def locate(path: Sequence[PathPart]) -> Position | None:
        if path[:1] == ("waivers",) and len(path) > 1 and isinstance(path[1], int):
            at = path[1] - first
            return filed.marks.locate(("waivers", at, *path[2:])) if at >= 0 else said.locate(path)
        return said.locate(path)

    waivers = (*said.said.waivers, *filed.form.waivers)
    return replace(said, said=replace(said.said, waivers=waivers), locate=locate)


def _of_settings(path: Path, day: date) -> CheckSettings:
    filed = settings_file.read(path, _rule_problems)
    form = filed.form
    judges = any((form.budget, form.prices, form.rules))
    said = Said(
        usage=settings_file.to_usage(form),
        waivers=form.waivers,
        own_prices=own_word(form.budget),
        loosening=not judges if form.loosening is None else form.loosening == "accepted",
        **of_money(form.budget, form.prices),
    )
    own = _own_prices(path.with_name(OWN_PRICES))
    rates = form.prices.exchange_rates if form.prices else {}
    return CheckSettings(
        said=said,
        rules={name: plain(one) for name, one in form.rules.items()},
        region=form.region,
        prices=None if own is None else own.book(day, rates),
        own=own,
        locate=filed.marks.locate,
        told=tuple(form.resources),
    )


def _own_prices(path: Path) -> OwnPrices | None:
    """The prices of a file; None where there is none."""
    return own_prices.read(path) if os.path.lexists(path) else None


def _rule_problems(value: Any) -> Iterator[Problem]:
    """What is wrong with the settings of rules, as far as the grammar takes them."""
    from gpuinfra.stackfile.files import sound  # noqa: PLC0415  (only where settings are given)

    found = {str(name): one for name, one in sound(value, "rules", RuleSettings)}
    yield from rules.settings_problems(found)


def _of_stack(path: Path, day: date) -> CheckSettings:
    read = source.compared(path, day)
    stack = read.stack
    problems = rules.settings_problems(stack.rules, stack.subjects)
    if problems:
        raise InputError(_with_positions(problems, read))
    money = {**of_money(stack.budget, stack.prices), "caps": planning.caps(stack)}
    said = Said(usage=_seen_usage(stack), waivers=stack.waivers, loosening=False, **money)
    return CheckSettings(
        said=said,
        rules={name: plain(one) for name, one in stack.rules.items()},
        prices=read.prices,
        own=read.own,
        stack=read,
        locate=read.document.locate,
    )


def _with_positions(problems: Iterable[Problem], read: source.Source) -> tuple[Problem, ...]:
    from gpuinfra.stackfile import with_positions  # noqa: PLC0415  (only where something is wrong

    return with_positions(problems, read.document)


def _seen_usage(stack: Stack) -> Usage:
    """A stack file's usage, under the names of its workloads and of their resources."""
    usage = planning.to_usage(stack)

    def machines(values: Mapping[str, Any]) -> dict[str, Any]:
        return {**values, **{group_resource(name): one for name, one in values.items()}}

    def stores(values: Mapping[str, Any]) -> dict[str, Any]:
        return {**values, **{bucket_resource(name): one for name, one in values.items()}}

    return replace(
        usage,
        hours=machines(usage.hours),
        expected=machines(usage.expected),
        checkpoints=machines(usage.checkpoints),
        purpose=machines(usage.purpose),
        nvlink=machines(usage.nvlink),
        fabric=machines(usage.fabric),
        gigabytes=stores(usage.gigabytes),
        reads=stores(usage.reads),
        writes=stores(usage.writes),
    )

"""The page of AWS: what each word of the stack file creates, costs and refuses there."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra.cli.pages import aws_facts, cases, grammar
from gpuinfra.cli.pages.cases import Case, Section
from gpuinfra.cli.pages.effects import Effect, Key, effect
from gpuinfra.cost import Line
from gpuinfra.errors import Problem
from gpuinfra.planning.collection import paused
from gpuinfra.report import markup
from gpuinfra.units import format_money

_NAMED: Final = 3
"""So many resources of a type are named one by one."""
_LONGEST: Final = 160
"""Characters of a list of what is allowed."""

_INTRODUCTION: Final = """\
# AWS, word by word

Written by `make docs` from the code: every example below was read, planned, priced and run through
the program that registers resources, without a cloud, and every refusal is what was answered.
`gpuinfra explain --cloud aws --format markdown` prints the same.

No AWS account and no GPU ever saw any of it: see
[what was never tried](limits.md#never-tried).

Of each word there is how it is written, what stands with it that does not stand without it
(*creates*), which inputs differ (*changes*), and which rows of the quote. Costs are list prices in
us-east-1, as if everything ran all month (730 hours). A row *by use* has a price and no quantity;
[the last table](#prices) has both with source and date. A resource without a row is free, by a row
of the price table that has its source.
"""


@paused()
def page() -> str:
    """The whole page, as Markdown."""
    effects = {case: effect(case) for section in cases.sections() for case in section.cases}
    parts = [
        _INTRODUCTION,
        *(_section(section, effects) for section in cases.sections()),
        _left_out(),
        *aws_facts.parts(),
        _prices(effects.values()),
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _section(section: Section, effects: Mapping[Case, Effect | None]) -> str:
    """The words of a section, then what is refused of them."""
    place = ".".join(section.at)
    words = grammar.words()
    rows = (
        (
            markup.cell(case.word),
            aws_facts.prose(_said(words[case.path], case)),
            markup.cell(case.write),
            "<br>".join(_brought(effects[case])),
            "<br>".join(_costs(effects[case])),
        )
        for case in section.cases
    )
    refused = [
        (markup.cell(written), *_problem(problem))
        for case in section.cases
        for written, problems in cases.refusals(case)
        for problem in problems
    ]
    parts = [
        f"## {section.title}",
        f"Written below `{place}`." if place else "Written at the top of the file.",
        *([section.note] if section.note else ()),
        markup.table(("word", "what for", "written", "brings", "costs"), rows),
    ]
    if refused:
        columns = ("refused", "because", "allowed", "the way out")
        parts.append(markup.table(columns, dict.fromkeys(refused)))
    return "\n\n".join(parts)


def _said(description: str, case: Case) -> str:
    """What a word is for, and what no resource shows of it."""
    said = description.rstrip(".")
    if not case.says:
        return said
    return f"{said}; {case.says}" if said else case.says


def _brought(found: Effect | None) -> Iterator[str]:
    if found is None:
        return
    if found.creates:
        yield f"creates {_resources(found.creates)}"
    if found.drops:
        yield f"without {_resources(found.drops)}"
    if found.changes:
        yield f"changes {_changes(found.changes)}"


def _resources(keys: Iterable[Key]) -> str:
    """Resources by type: named where they are few."""
    by_type: dict[str, list[str]] = defaultdict(list)
    for token, name in keys:
        by_type[_kind(token)].append(name)
    return ", ".join(
        f"{markup.text(kind)} {', '.join(map(markup.cell, names))}"
        if len(names) <= _NAMED
        else f"{len(names)} × {markup.text(kind)}"
        for kind, names in by_type.items()
    )


def _changes(changes: Mapping[Key, Sequence[str]]) -> str:
    """Changed inputs, the same ones of several resources told once."""
    by_inputs: dict[str, list[Key]] = defaultdict(list)
    for key, inputs in changes.items():
        by_inputs[_inputs(inputs)].append(key)
    return "; ".join(
        f"{markup.text(inputs)} of {_resources(keys)}"
        if len(keys) <= _NAMED
        else f"{markup.text(inputs)} of {len(keys)} resources"
        for inputs, keys in by_inputs.items()
    )


_INPUTS: Final = {"userData": "start-up script"}
"""What people call an input."""


def _inputs(names: Iterable[str]) -> str:
    return ", ".join(sorted(_INPUTS.get(name, name) for name in names))


def _kind(token: str) -> str:
    """A type as people say it: ec2 LaunchTemplate."""
    _, module, name = token.split(":")
    return f"{module.partition('/')[0]} {name}"


def _costs(found: Effect | None) -> Iterator[str]:
    """The rows of the quote that differ, by price item."""
    if found is None:
        return
    after, before = _by_item(found.costs), _by_item(found.saves)
    for item in dict.fromkeys((*after, *before)):
        new, old = _monthly(after.get(item, ())), _monthly(before.get(item, ()))
        name = markup.cell(item)
        if item not in before:
            yield f"{name} {new}"
        elif item not in after:
            yield f"no {name} ({old})"
        elif new != old:
            yield f"{name} {new} instead of {old}"


def _by_item(lines: Iterable[Line]) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        found[line.item].append(line)
    return found


def _monthly(lines: Sequence[Line]) -> str:
    """What rows of one item cost a month, in words."""
    if any(line.status == "unpriced" for line in lines):
        return "no price is known"
    if any(line.status == "rate" for line in lines):
        return "by use" if all(line.rate is not None for line in lines) else "by use, rate unknown"
    total = sum((line.per_month or Decimal(0) for line in lines), Decimal(0))
    return f"{format_money(total)} USD" if total else "free"


def _problem(problem: Problem) -> tuple[str, ...]:
    allowed = problem.allowed
    if len(allowed) > _LONGEST:
        allowed = f"{allowed[:_LONGEST].rpartition(',')[0]} …"
    said = (problem.message, allowed.replace(" | ", ", "), problem.fix)
    return (*map(aws_facts.prose, said),)


def _left_out() -> str:
    rows = ((markup.cell(word), aws_facts.prose(why)) for word, why in cases.elsewhere().items())
    return f"## Other words\n\n{markup.table(('word', 'where, or why not here'), rows)}"


def _prices(effects: Iterable[Effect | None]) -> str:
    """Every price that a row above counts with."""
    lines = [line for one in effects if one for line in (*one.costs, *one.saves)]
    rows = {
        (
            markup.cell(line.item),
            markup.text(line.region),
            "unknown" if line.rate is None else f"{line.rate.normalize():f}",
            markup.text(line.unit),
            aws_facts.source(line.source or line.note.partition(" (")[0]),
            markup.text(line.as_of),
        ): None
        for line in lines
    }
    columns = ("item", "region", "USD", "per", "source", "as of")
    return f"## Prices\n\n{markup.table(columns, sorted(rows), right=('USD',))}"

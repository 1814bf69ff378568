"""What a pack counts with: its own configuration, and what the program's root component says."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import ConfigDict, Field

from gpuinfra.crossguard.wording import read
from gpuinfra.errors import InputError, Problem, nearest
from gpuinfra.model import Caps, FabricWish, Price, Purpose, Usage
from gpuinfra.own.carried import CarriedRows
from gpuinfra.own.carried import rows as carried_rows
from gpuinfra.records import record
from gpuinfra.rules import RULES, settings_problems
from gpuinfra.rules.settings import bare, levels
from gpuinfra.rules.weighing import of_nothing
from gpuinfra.stackfile.fields import word
from gpuinfra.stackfile.forms import Form
from gpuinfra.stackfile.numbers import money
from gpuinfra.stackfile.schema import Budget, Prices, Waiver
from gpuinfra.stackfile.schema import Usage as StackUsage
from gpuinfra.stackfile.values import Day, Flag, Money

ROOT: Final = "gpuinfra:index:Stack"
"""The component whose inputs carry a stack file's budget, prices, usage, rules and waivers."""

NAME: Final = "settings"
"""The entry of a pack's configuration that holds what all of its rules count with."""

CONFIG: Final[dict[str, dict[str, Any]]] = {
    "budget": {
        "type": "object",
        "description": "Caps in US dollars: per_hour, per_run, per_month.",
    },
    "prices": {
        "type": "object",
        "description": "accept_outdated, outdated_after_days, not_counted: as in a stack file.",
    },
    "usage": {
        "type": "object",
        "description": "What no resource shows, by its name: hours, gigabytes, checkpoints, …",
    },
    "waivers": {
        "enum": ["allowed", "forbidden"],
        "description": "Whether a program may waive findings; the caps never can be waived.",
    },
    "own_prices": {
        "enum": ["accepted", "dearer", "refused"],
        "description": "Whether a program's own and locked prices and exchange rates count: as "
        "they are, only to make a price dearer, or not; dearer where this has a cap, else "
        "accepted.",
    },
    "as_of": {"type": "string", "description": "The day to judge on, such as 2026-12-31."},
}
"""The schema of that entry, for Pulumi; `gpuinfra` checks what is inside."""


OwnWord = Literal["accepted", "dearer", "refused"]
"""What a program's own prices may do."""

Count = Annotated[Decimal, money(10**18, of="requests a month")]


class UsageForm(Form):
    """What no resource shows: numbers are hours, machines, gigabytes (10^9 bytes), requests.

    `data` is the whole stack's, in gigabytes a month, by the words of the stack file's `usage`.
    """

    hours: dict[str, Money] = Field(default={})
    expected: dict[str, Money] = Field(default={})
    gigabytes: dict[str, Money] = Field(default={})
    checkpoints: dict[str, Flag] = Field(default={})
    purpose: dict[str, Annotated[Purpose, word(get_args(Purpose))]] = Field(default={})
    nvlink: dict[str, Flag] = Field(default={})
    fabric: dict[str, Annotated[FabricWish, word(get_args(FabricWish))]] = Field(default={})
    reads: dict[str, Count] = Field(default={})
    writes: dict[str, Count] = Field(default={})
    data: dict[Annotated[str, word(tuple(StackUsage.model_fields))], Money] = Field(default={})


class _Spoken(Form):
    budget: Budget | None = None
    prices: Prices | None = None
    usage: UsageForm = UsageForm()


class PackForm(_Spoken):
    """The `settings` entry of a pack's configuration."""

    waivers: Annotated[Literal["allowed", "forbidden"], word(("allowed", "forbidden"))] = "allowed"
    own_prices: Annotated[OwnWord, word(get_args(OwnWord))] | None = None
    as_of: Day | None = None


class ProgramForm(_Spoken):
    """The inputs of the root component; what else it has is not for the rules."""

    model_config = ConfigDict(extra="ignore")

    rules: dict[str, dict[str, Any]] = Field(default={})
    waivers: tuple[Waiver, ...] = ()
    ownPrices: CarriedRows = ()  # noqa: N815 - as Pulumi spells it


@record
class Said:
    """What one entrance says: the pack's configuration, or the program. None: nothing said.

    `rules` are a program's settings of rules, without levels; `levels` are its levels, by rule and
    then under `workloads` too. It cannot loosen who judges it: see `rules.readings`.
    """

    caps: Caps = field(default_factory=Caps)
    accept_outdated: bool | None = None
    outdated_after_days: int | None = None
    not_counted: tuple[str, ...] | None = None
    usage: Usage = field(default_factory=Usage)
    rules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    levels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()
    waivers_allowed: bool = True
    exchange_rates: Mapping[str, Decimal] | None = None
    own: tuple[Price, ...] = ()
    own_prices: OwnWord = "accepted"
    as_of: date | None = None

    def stricter(self, program: "Said") -> "Said":
        """This pack's word with a program's: the stricter of both, where both speak.

        Rule settings are not merged; see `rules.readings`.
        """
        return Said(
            caps=Caps(
                per_hour=_both(self.caps.per_hour, program.caps.per_hour, min),
                per_run=_both(self.caps.per_run, program.caps.per_run, min),
                per_month=_both(self.caps.per_month, program.caps.per_month, min),
            ),
            accept_outdated=_both(self.accept_outdated, program.accept_outdated, bool.__and__),
            outdated_after_days=_both(self.outdated_after_days, program.outdated_after_days, min),
            not_counted=_both(self.not_counted, program.not_counted, _common),
            usage=_stricter_usage(self.usage, program.usage),
            rules=self.rules,
            waivers=(*self.waivers, *program.waivers) if self.waivers_allowed else (),
            waivers_allowed=self.waivers_allowed,
            exchange_rates=self._rates(program.exchange_rates),
            own=() if self.own_prices == "refused" else (*self.own, *program.own),
            own_prices=self.own_prices,
            as_of=self.as_of,
        )

    def _rates(self, theirs: Mapping[str, Decimal] | None) -> Mapping[str, Decimal] | None:
        """The exchange rates with a program's, which alone count only where they are accepted."""
        accepted = self.own_prices == "accepted"
        raised = self.own_prices == "dearer" and self.exchange_rates is not None
        if not (accepted or raised):
            return self.exchange_rates
        found: Mapping[str, Decimal] | None = _both(self.exchange_rates, theirs, _dearer)
        return found


def of_pack(config: Mapping[str, Any]) -> Said:
    """What the `settings` of a pack's configuration say.

    Raises:
        InputError: a value cannot be what it is meant for.
    """
    where = f"the policy configuration under {NAME!r}"
    form = read(PackForm, _exact(config), where, own=("usage",))
    return Said(
        **_spoken(form),
        waivers_allowed=form.waivers == "allowed",
        own_prices=form.own_prices or own_word(form.budget),
        as_of=form.as_of,
    )


def of_program(inputs: Mapping[str, Any]) -> Said:
    """What a program says in the inputs of its root component, as Pulumi spells them.

    Raises:
        InputError: a value cannot be what it is meant for, or is not known yet.
    """
    spelled = {
        key: _snake(value) if key in {"budget", "prices", "usage"} else value
        for key, value in inputs.items()
    }
    form = read(ProgramForm, _exact(spelled), f"the inputs of {ROOT}", own=("usage",))
    wrong = (*settings_problems(form.rules), *_waivers_of_nothing(form.waivers))
    if wrong:
        raise InputError(wrong)
    return Said(
        **_spoken(form),
        rules={rule: bare(said) for rule, said in form.rules.items()},
        levels={rule: levels(said) for rule, said in form.rules.items()},
        waivers=form.waivers,
        own=carried_rows(form.ownPrices),
    )


def _waivers_of_nothing(waivers: Sequence[Waiver]) -> Iterator[Problem]:
    """Waivers of rules that no pack has; each pack looks only at those of its own rules."""
    for index, fault in of_nothing(dict(enumerate(waivers)), RULES):
        rule = waivers[index].rule
        yield Problem(
            message=fault.message,
            path=("waivers", index),
            value=rule,
            suggestion=nearest(rule, [one.id for one in RULES]),
            fix=fault.fix,
        )


def _exact(value: Any) -> Any:
    """Numbers as they were written: on the engine's wire every number is a float."""
    if isinstance(value, Mapping):
        return {key: _exact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_exact(item) for item in value]
    if isinstance(value, float) and math.isfinite(value):  # 1e400 in a file is not
        return int(value) if value.is_integer() else Decimal(str(value))
    return value


def _snake(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    return {
        re.sub("[A-Z]", lambda hit: f"_{hit[0].lower()}", key): of for key, of in value.items()
    }


def _spoken(form: _Spoken) -> dict[str, Any]:
    return {"usage": Usage(**dict(form.usage)), **of_money(form.budget, form.prices)}


def of_money(budget: Budget | None, prices: Prices | None) -> dict[str, Any]:
    """What a budget and words on prices say; what they leave out is for others to say."""
    capped = budget or Budget()
    caps = Caps(per_hour=capped.per_hour, per_run=capped.per_run, per_month=capped.per_month)
    said = prices.model_fields_set if prices else set()
    return {
        "caps": caps,
        **{one: getattr(prices, one) for one in Prices.model_fields if one in said},
    }


def own_word(budget: Budget | None) -> OwnWord:
    """What a program's own prices may do where nobody says: not lower what a cap here is for."""
    caps = () if budget is None else (budget.per_hour, budget.per_run, budget.per_month)
    return "dearer" if any(cap is not None for cap in caps) else "accepted"


def _both(mine: Any, theirs: Any, stricter: Callable[[Any, Any], Any]) -> Any:
    if mine is None or theirs is None:
        return theirs if mine is None else mine
    return stricter(mine, theirs)


def _common(mine: Iterable[str], theirs: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*mine} & {*theirs}))


def _dearer(mine: Mapping[str, Decimal], theirs: Mapping[str, Decimal]) -> Mapping[str, Decimal]:
    """Of each currency the rate at which prices are higher; one that only one knows is none."""
    return {code: max(mine[code], theirs[code]) for code in sorted({*mine} & {*theirs})}


def _stricter_usage(mine: Usage, theirs: Usage) -> Usage:
    """Longer runs and fuller buckets are the stricter; what loosens a rule is the pack's."""
    return Usage(
        hours=_larger(mine.hours, theirs.hours),
        gigabytes=_larger(mine.gigabytes, theirs.gigabytes),
        reads=_larger(mine.reads, theirs.reads),
        writes=_larger(mine.writes, theirs.writes),
        data=_larger(mine.data, theirs.data),
        expected={**theirs.expected, **mine.expected},
        checkpoints={**theirs.checkpoints, **mine.checkpoints},
        purpose={**theirs.purpose, **mine.purpose},
        nvlink={**theirs.nvlink, **mine.nvlink},
        fabric={**theirs.fabric, **mine.fabric},
    )


def _larger(mine: Mapping[str, Decimal], theirs: Mapping[str, Decimal]) -> Mapping[str, Decimal]:
    return {name: _both(mine.get(name), theirs.get(name), max) for name in {*mine, *theirs}}

"""The money, usage, rule and waiver settings of one source, and the stricter of two."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from datetime import date
from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING, Any, Final, Literal

from gpuinfra.cost.pricing_terms import stands_for
from gpuinfra.model import OUTDATED_AFTER_DAYS, Caps, Price, Usage
from gpuinfra.records import record
from gpuinfra.rules.waivers import is_pattern

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Waiver

ROOT: Final = "gpuinfra:index:Stack"
"""The component whose inputs carry a stack file's budget, prices, usage, rules and waivers."""

OwnWord = Literal["accepted", "dearer", "refused"]
"""The permitted effect of a program's own prices."""

Loosening = Literal["accepted", "refused"]
"""Whether a program may loosen what nothing is said of here."""


Covers = Literal["machines", "everything"]
"""The resource types that are refused without a price: those that may be or start a machine, or
all."""


@record
class PolicySettings:
    """The settings of one source, the pack's configuration or the program; None: not set.

    `rules` are a program's settings of rules, without levels; `levels` are its levels, by rule and
    then under `workloads` too. It cannot loosen what its judge sets: see `rules.readings`.
    `loosening` tells whether a program's word counts where it loosens and this is silent.
    """

    caps: Caps = field(default_factory=Caps)
    accept_outdated: bool | None = None
    bound_unknown: bool | None = None
    outdated_after_days: int | None = None
    covers: Covers | None = None
    not_counted: tuple[str, ...] | None = None
    usage: Usage = field(default_factory=Usage)
    rules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    levels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    waivers: "tuple[Waiver, ...]" = ()
    waivers_allowed: bool = True
    exchange_rates: Mapping[str, Decimal] | None = None
    price_rows: tuple[Price, ...] = ()
    own_prices: OwnWord = "accepted"
    loosening: bool = True
    as_of: date | None = None

    def stricter(self, program: "PolicySettings") -> "PolicySettings":
        """Return this pack's settings combined with a program's; the stricter of both applies.

        Rule settings are not merged; see `rules.readings`.
        """
        if not self.loosening:
            program = self._stricter_part(program)
        return PolicySettings(
            caps=Caps(
                per_hour=_stricter_of(self.caps.per_hour, program.caps.per_hour, min),
                per_run=_stricter_of(self.caps.per_run, program.caps.per_run, min),
                per_month=_stricter_of(self.caps.per_month, program.caps.per_month, min),
            ),
            accept_outdated=_stricter_of(
                self.accept_outdated, program.accept_outdated, bool.__and__
            ),
            bound_unknown=_stricter_of(self.bound_unknown, program.bound_unknown, bool.__and__),
            outdated_after_days=_stricter_of(
                self.outdated_after_days, program.outdated_after_days, min
            ),
            covers=_stricter_of(self.covers, program.covers, _wider),
            not_counted=_stricter_of(self.not_counted, program.not_counted, _common_types),
            usage=_stricter_usage(self.usage, program.usage),
            rules=self.rules,
            waivers=(*self.waivers, *program.waivers) if self.waivers_allowed else (),
            waivers_allowed=self.waivers_allowed,
            exchange_rates=self._rates(program.exchange_rates),
            price_rows=()
            if self.own_prices == "refused"
            else (*self.price_rows, *program.price_rows),
            own_prices=self.own_prices,
            loosening=self.loosening,
            as_of=self.as_of,
        )

    def _stricter_part(self, program: "PolicySettings") -> "PolicySettings":
        """Return a program's settings without those that loosen, for example wide waivers.

        When its machines end is a claim: it counts where what ends them shows its time.
        """
        days = program.outdated_after_days
        claimed = _higher_amounts(program.usage.ends_claimed, program.usage.ends_after)
        return replace(
            program,
            accept_outdated=None if self.accept_outdated is None else program.accept_outdated,
            bound_unknown=None if self.bound_unknown is None else program.bound_unknown,
            not_counted=None if self.not_counted is None else program.not_counted,
            outdated_after_days=None if days is None else min(days, OUTDATED_AFTER_DAYS),
            usage=replace(program.usage, ends_after={}, ends_claimed=claimed),
            waivers=tuple(waiver for waiver in program.waivers if not is_pattern(waiver.resource)),
        )

    def _rates(self, program_rates: Mapping[str, Decimal] | None) -> Mapping[str, Decimal] | None:
        """Return the exchange rates with a program's, which apply alone only where accepted."""
        is_accepted = self.own_prices == "accepted"
        is_raised = self.own_prices == "dearer" and self.exchange_rates is not None
        if not (is_accepted or is_raised):
            return self.exchange_rates
        rates: Mapping[str, Decimal] | None = _stricter_of(
            self.exchange_rates, program_rates, _higher_rates
        )
        return rates


def _stricter_of(own_value: Any, program: Any, stricter: Callable[[Any, Any], Any]) -> Any:
    if own_value is None or program is None:
        return program if own_value is None else own_value
    return stricter(own_value, program)


def _common_types(own_types: Iterable[str], program: Iterable[str]) -> tuple[str, ...]:
    """Return the types that both leave out: the narrower of an entry and a matching pattern."""
    return tuple(
        sorted(
            {
                narrow
                for wide, narrow in (*product(own_types, program), *product(program, own_types))
                if stands_for(wide, narrow)
            }
        )
    )


def _wider(own_covers: Covers, program: Covers) -> Covers:
    return "everything" if "everything" in (own_covers, program) else "machines"


def _higher_rates(
    own_rates: Mapping[str, Decimal], program: Mapping[str, Decimal]
) -> Mapping[str, Decimal]:
    """Return the higher rate of each currency that both have."""
    return {
        code: max(own_rates[code], program[code]) for code in sorted({*own_rates} & {*program})
    }


def _stricter_usage(own_usage: Usage, program: Usage) -> Usage:
    """Return the stricter usage: longer runs and fuller buckets; only the pack may loosen rules.

    What is trusted is the pack's alone to say.
    """
    return Usage(
        hours=_higher_amounts(own_usage.hours, program.hours),
        ends_after=_higher_amounts(own_usage.ends_after, program.ends_after),
        ends_claimed=_higher_amounts(own_usage.ends_claimed, program.ends_claimed),
        runs=_higher_amounts(own_usage.runs, program.runs),
        gigabytes=_higher_amounts(own_usage.gigabytes, program.gigabytes),
        versions=_higher_amounts(own_usage.versions, program.versions),
        reads=_higher_amounts(own_usage.reads, program.reads),
        writes=_higher_amounts(own_usage.writes, program.writes),
        data=_higher_amounts(own_usage.data, program.data),
        expected={**program.expected, **own_usage.expected},
        checkpoints={**program.checkpoints, **own_usage.checkpoints},
        checkpoint_writes={**program.checkpoint_writes, **own_usage.checkpoint_writes},
        purpose={**program.purpose, **own_usage.purpose},
        nvlink={**program.nvlink, **own_usage.nvlink},
        fabric={**program.fabric, **own_usage.fabric},
        trust=own_usage.trust,
    )


def _higher_amounts(
    own_amounts: Mapping[str, Decimal], program: Mapping[str, Decimal]
) -> Mapping[str, Decimal]:
    return {
        name: _stricter_of(own_amounts.get(name), program.get(name), max)
        for name in {*own_amounts, *program}
    }

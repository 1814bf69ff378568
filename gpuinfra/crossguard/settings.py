"""The settings of a pack, from its own configuration and the program's root component."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import ConfigDict, Field

from gpuinfra.crossguard.policy_settings import ROOT, Loosening, OwnWord, PolicySettings
from gpuinfra.crossguard.settings_validation import validate_settings
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Caps, FabricRequirement, Purpose, Usage
from gpuinfra.price_overrides.price_inputs import CarriedRows
from gpuinfra.price_overrides.price_inputs import rows as carried_rows
from gpuinfra.rules import RULES, settings_problems
from gpuinfra.rules.settings import bare, levels
from gpuinfra.rules.verdict import unknown_rule_findings
from gpuinfra.similar_words import nearest
from gpuinfra.specs.fields import word_reader
from gpuinfra.specs.forms import Form
from gpuinfra.specs.numbers import money
from gpuinfra.specs.schema import Budget, Prices, Trusted, Waiver
from gpuinfra.specs.schema import Usage as StackUsage
from gpuinfra.specs.values import Day, Flag, Money

NAME: Final = "settings"
"""The entry of a pack's configuration that holds what all of its rules count with."""

CONFIG: Final[dict[str, dict[str, Any]]] = json.loads(
    Path(__file__).with_name("settings.json").read_bytes()
)
"""The schema of that entry, for Pulumi; `gpuinfra` checks what is inside."""


Count = Annotated[Decimal, money(10**18, unit="requests a month")]


class UsageForm(Form):
    """Usage that no resource shows: numbers are hours, machines, gigabytes (10^9 bytes), requests.

    `data` is the whole stack's, in gigabytes or counts a month, by the words of the stack file's
    `usage`. `checkpoint_writes` are bytes of a checkpoint, bytes a second, and hours between two.
    """

    hours: dict[str, Money] = Field(default={})
    expected: dict[str, Money] = Field(default={})
    gigabytes: dict[str, Money] = Field(default={})
    checkpoints: dict[str, Flag] = Field(default={})
    purpose: dict[str, Annotated[Purpose, word_reader(get_args(Purpose))]] = Field(default={})
    nvlink: dict[str, Flag] = Field(default={})
    fabric: dict[str, Annotated[FabricRequirement, word_reader(get_args(FabricRequirement))]] = (
        Field(default={})
    )
    reads: dict[str, Count] = Field(default={})
    writes: dict[str, Count] = Field(default={})
    ends_after: dict[str, Money] = Field(default={})
    runs: dict[str, Money] = Field(default={})
    checkpoint_writes: dict[
        str, dict[Annotated[str, word_reader(("size", "rate", "every"))], Count]
    ] = Field(default={})
    versions: dict[str, Money] = Field(default={})
    data: dict[Annotated[str, word_reader(tuple(StackUsage.model_fields))], Count] = Field(
        default={}
    )


class _ProgramSettingsBase(Form):
    budget: Budget | None = None
    prices: Prices | None = None
    usage: UsageForm = UsageForm()


class PackForm(_ProgramSettingsBase):
    """The `settings` entry of a pack's configuration."""

    waivers: Annotated[Literal["allowed", "forbidden"], word_reader(("allowed", "forbidden"))] = (
        "allowed"
    )
    own_prices: Annotated[OwnWord, word_reader(get_args(OwnWord))] | None = None
    loosening: Annotated[Loosening, word_reader(get_args(Loosening))] = "refused"
    as_of: Day | None = None
    trust: Trusted = ()


class ComponentForm(Form):
    """The inputs of a gpuinfra component; other inputs are ignored."""

    model_config = ConfigDict(extra="ignore")

    usage: UsageForm = UsageForm()


class ProgramForm(_ProgramSettingsBase):
    """The inputs of the root component; other inputs are ignored."""

    model_config = ConfigDict(extra="ignore")

    rules: dict[str, dict[str, Any]] = Field(default={})
    waivers: tuple[Waiver, ...] = ()
    ownPrices: CarriedRows = ()  # noqa: N815 - as Pulumi spells it


def pack_settings(config: Mapping[str, Any]) -> PolicySettings:
    """Return the settings in the `settings` entry of a pack's configuration.

    Raises:
        InputError: a value cannot be what it is meant for.
    """
    source = f"the policy configuration under {NAME!r}"
    form = validate_settings(PackForm, _exact(config), source, own_keys=("usage",))
    stated = _stated_settings(form)
    trust = tuple(entry.trust for entry in form.trust)
    return PolicySettings(
        **{**stated, "usage": replace(stated["usage"], trust=trust)},
        waivers_allowed=form.waivers == "allowed",
        own_prices=form.own_prices or default_own_prices(form.budget),
        loosening=form.loosening == "accepted",
        as_of=form.as_of,
    )


def program_settings(inputs: Mapping[str, Any]) -> PolicySettings:
    """Return the settings in the inputs of a program's root component, as Pulumi spells them.

    Raises:
        InputError: a value cannot be what it is meant for, or is not known yet.
    """
    spelled = {
        key: _snake(value) if key in {"budget", "prices", "usage"} else value
        for key, value in inputs.items()
    }
    form = validate_settings(
        ProgramForm, _exact(spelled), f"the inputs of {ROOT}", own_keys=("usage",)
    )
    wrong = (*settings_problems(form.rules), *_waivers_of_nothing(form.waivers))
    if wrong:
        raise InputError(wrong)
    return PolicySettings(
        **_stated_settings(form),
        rules={rule: bare(rule_settings) for rule, rule_settings in form.rules.items()},
        levels={rule: levels(rule_settings) for rule, rule_settings in form.rules.items()},
        waivers=form.waivers,
        price_rows=carried_rows(form.ownPrices),
    )


def component_settings(inputs: Mapping[str, Any]) -> PolicySettings:
    """Return the settings in a gpuinfra component's inputs: the usage that no resource shows.

    Raises:
        InputError: a value cannot be what it is meant for, or is not known yet.
    """
    form = validate_settings(
        ComponentForm, _exact(inputs), "the inputs of a component", own_keys=("usage",)
    )
    return PolicySettings(usage=Usage(**dict(form.usage)))


def _waivers_of_nothing(waivers: Sequence[Waiver]) -> Iterator[Problem]:
    """Yield a problem for each waiver of a rule that no pack has."""
    for index, fault in unknown_rule_findings(dict(enumerate(waivers)), RULES):
        rule = waivers[index].rule
        yield Problem(
            message=fault.message,
            path=("waivers", index),
            value=rule,
            suggestion=nearest(rule, [rule.id for rule in RULES]),
            fix=fault.fix,
        )


def _exact(value: Any) -> Any:
    """Return numbers as they were written; the engine transmits every number as a float."""
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


def _stated_settings(form: _ProgramSettingsBase) -> dict[str, Any]:
    return {"usage": Usage(**dict(form.usage)), **cost_settings(form.budget, form.prices)}


def cost_settings(budget: Budget | None, prices: Prices | None) -> dict[str, Any]:
    """Return the settings of a budget and of prices; keys that are not given are left unset."""
    capped = budget or Budget()
    caps = Caps(per_hour=capped.per_hour, per_run=capped.per_run, per_month=capped.per_month)
    stated_keys = prices.model_fields_set if prices else set()
    return {
        "caps": caps,
        "covers": capped.covers if "covers" in capped.model_fields_set else None,
        **{field: getattr(prices, field) for field in Prices.model_fields if field in stated_keys},
    }


def default_own_prices(budget: Budget | None) -> OwnWord:
    """Return how a program's own prices count by default: only if higher where it sets a cap."""
    caps = () if budget is None else (budget.per_hour, budget.per_run, budget.per_month)
    return "dearer" if any(cap is not None for cap in caps) else "accepted"

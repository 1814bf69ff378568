"""Reads the files that accompany a Pulumi preview or state: settings or a stack file, waivers."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from gpuinfra import planning, rules, source, stackfile
from gpuinfra.api.check_settings_model import CheckSettings
from gpuinfra.clouds.declaring.names import bucket_resource, group_resource
from gpuinfra.crossguard.policy_settings import PolicySettings
from gpuinfra.crossguard.settings import cost_settings, default_own_prices
from gpuinfra.errors import InputError, PathPart, Position, Problem
from gpuinfra.model import Usage
from gpuinfra.price_overrides import FILE_NAME as OWN_PRICES
from gpuinfra.price_overrides import prices as own_prices
from gpuinfra.price_overrides.prices import OwnPrices
from gpuinfra.pulumi_files import settings_file
from gpuinfra.pulumi_files import waivers as waiver_file
from gpuinfra.pulumi_files.waivers import WaiverFile
from gpuinfra.rules.settings import settings_mapping
from gpuinfra.specs.schema import RuleSettings, Stack
from gpuinfra.stackfile.files import ParsedFile, valid_entries


def read(
    settings: Path | None, stack: Path | None, day: date, waivers: Path | None
) -> CheckSettings:
    """Return the settings in the files, as `check_settings.read` does.

    Raises:
        InputError: both settings and a stack file are given, or some have faults: those of all.
    """
    if settings and stack:
        raise InputError.of("--settings and --stack both set the caps", fix="use one of them")
    problems: list[Problem] = []
    check_settings = CheckSettings()
    try:
        if settings or stack:
            check_settings = (
                _from_settings_file(settings, day)
                if settings
                else _from_stack_file(stack or Path(), day)
            )
    except InputError as error:
        problems += error.problems
    try:
        check_settings = (
            check_settings
            if waivers is None
            else _with_waivers(check_settings, waiver_file.read_waivers(waivers))
        )
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    return check_settings


def _with_waivers(settings: CheckSettings, filed: ParsedFile[WaiverFile]) -> CheckSettings:
    """Return settings with a file's waivers added; both keep the positions in their own files."""
    first = len(settings.policy.waivers)

    def locate(path: Sequence[PathPart]) -> Position | None:
        if path[:1] == ("waivers",) and len(path) > 1 and isinstance(path[1], int):
            waiver_index = path[1] - first
            return (
                filed.spans.locate(("waivers", waiver_index, *path[2:]))
                if waiver_index >= 0
                else settings.locate(path)
            )
        return settings.locate(path)

    waivers = (*settings.policy.waivers, *filed.form.waivers)
    return replace(settings, policy=replace(settings.policy, waivers=waivers), locate=locate)


def _from_settings_file(path: Path, day: date) -> CheckSettings:
    filed = settings_file.read(path, _rule_problems)
    form = filed.form
    judges = any((form.budget, form.prices, form.rules))
    settings = PolicySettings(
        usage=settings_file.to_usage(form),
        waivers=form.waivers,
        own_prices=default_own_prices(form.budget),
        loosening=not judges if form.loosening is None else form.loosening == "accepted",
        **cost_settings(form.budget, form.prices),
    )
    own_prices = _own_prices(path.with_name(OWN_PRICES))
    rates = form.prices.exchange_rates if form.prices else {}
    return CheckSettings(
        policy=settings,
        rules={
            name: settings_mapping(rule_settings) for name, rule_settings in form.rules.items()
        },
        region=form.region,
        prices=None if own_prices is None else own_prices.price_book(day, rates),
        own_prices=own_prices,
        locate=filed.spans.locate,
        resource_names=tuple(form.resources),
    )


def _own_prices(path: Path) -> OwnPrices | None:
    """Return the prices of a file; None if there is none."""
    return own_prices.read_own_prices(path) if os.path.lexists(path) else None


def _rule_problems(value: Any) -> Iterator[Problem]:
    """Yield the problems of the rules' settings that match the schema."""
    rule_settings = {
        str(name): settings for name, settings in valid_entries(value, "rules", RuleSettings)
    }
    yield from rules.settings_problems(rule_settings)


def _from_stack_file(path: Path, day: date) -> CheckSettings:
    read = source.read_for_comparison(path, day)
    stack = read.stack
    problems = rules.settings_problems(stack.rules, stack.subjects)
    if problems:
        raise InputError(stackfile.with_positions(problems, read.document))
    money = cost_settings(stack.budget, stack.prices)
    money["caps"] = planning.caps(stack)
    settings = PolicySettings(
        usage=seen_usage(stack), waivers=stack.waivers, loosening=False, **money
    )
    return CheckSettings(
        policy=settings,
        rules={
            name: settings_mapping(rule_settings) for name, rule_settings in stack.rules.items()
        },
        prices=read.prices,
        own_prices=read.own_prices,
        stack=read,
        locate=read.document.locate,
    )


def seen_usage(stack: Stack) -> Usage:
    """Return a stack file's usage by workload name and by resource name."""
    usage = planning.to_usage(stack)

    def machines(values: Mapping[str, Any]) -> dict[str, Any]:
        return {**values, **{group_resource(name): usage for name, usage in values.items()}}

    def stores(values: Mapping[str, Any]) -> dict[str, Any]:
        return {**values, **{bucket_resource(name): usage for name, usage in values.items()}}

    return replace(
        usage,
        hours=machines(usage.hours),
        ends_after=machines(usage.ends_after),
        expected=machines(usage.expected),
        checkpoints=machines(usage.checkpoints),
        checkpoint_writes=machines(usage.checkpoint_writes),
        purpose=machines(usage.purpose),
        nvlink=machines(usage.nvlink),
        fabric=machines(usage.fabric),
        runs=machines(usage.runs),
        gigabytes=stores(usage.gigabytes),
        versions=stores(usage.versions),
        reads=stores(usage.reads),
        writes=stores(usage.writes),
    )

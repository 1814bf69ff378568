"""The configuration of a pack: its schema, a starter configuration, and its validation."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, cast

from gpuinfra.crossguard import settings
from gpuinfra.errors import InputError, Problem, unknown_word
from gpuinfra.rules import RULES, WAIVERS, Rule, Setting, settings_problems
from gpuinfra.rules.policy_sources import JudgeSettings
from gpuinfra.rules.rule import Level
from gpuinfra.rules.settings import LEVELS, WORKLOADS, RuleEntry, settings_mapping
from gpuinfra.similar_words import nearest
from gpuinfra.stackfile.validation_messages import KEY
from gpuinfra.units import format_share

LEVEL: Final = "enforcementLevel"
"""Pulumi's word for the level of a rule; under `workloads` it is `level`, as in a stack file."""

EVERY: Final = "all"
"""Pulumi's own entry for all policies of a pack; it takes a level and nothing else."""

FILE: Final = "config.json"
"""The name of the configuration file that `gpuinfra policy new` writes."""

_KINDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "share": {"type": "string"},
    "whole": {"type": "integer", "minimum": 0},
    "money": {"type": ["number", "string"]},
    "words": {"type": ["array", "string"], "items": {"type": "string"}},
}
_PER_WORKLOAD: Final = (
    "Settings or a level for some workloads only, by name or pattern: "
    '{"chat": {"level": "disabled"}}'
)


def properties(rule: Rule) -> dict[str, dict[str, Any]]:
    """Return the settings of a rule as JSON Schema properties, for Pulumi."""
    setting_properties = {setting.name: _property(setting) for setting in rule.settings}
    if rule.id == WAIVERS.id:
        return setting_properties
    levels = {"level": {"enum": list(LEVELS)}}
    workload_properties = {"type": "object", "properties": {**levels, **setting_properties}}
    return {
        **setting_properties,
        WORKLOADS: {
            "type": "object",
            "description": _PER_WORKLOAD,
            "additionalProperties": workload_properties,
        },
    }


def _property(setting: Setting) -> dict[str, Any]:
    schema = {**_KINDS[setting.kind], "description": setting.why}
    default = _default_as_json(setting)
    return schema if default is None else {**schema, "default": default}


def _default_as_json(setting: Setting) -> Any:
    """Return a setting's default as a user writes it in JSON; None where nothing is required."""
    default = setting.default
    if default is None:
        return None
    if setting.kind == "share":
        return format_share(default)
    if setting.kind == "words":
        return list(default)
    if isinstance(default, Decimal):
        return int(default) if default == default.to_integral_value() else float(default)
    return default


def starter(rules: Sequence[Rule], budget: Mapping[str, Decimal]) -> dict[str, Any]:
    """Return a starter configuration: the caps, and every rule that has settings with defaults."""
    shared: dict[str, Any] = {}
    if budget:
        caps = {key: int(cap) if cap == int(cap) else float(cap) for key, cap in budget.items()}
        shared["budget"] = caps
    shared["waivers"] = "allowed"
    configuration: dict[str, Any] = {settings.NAME: shared}
    for rule in (*rules, WAIVERS):
        defaults = {
            setting.name: _default_as_json(setting)
            for setting in rule.settings
            if setting.default is not None
        }
        if defaults:
            configuration[rule.id] = {LEVEL: rule.level, **defaults}
    return configuration


def configuration_of_levels(
    rule_entries: Mapping[str, RuleEntry | Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the configuration with which a pack keeps the rule levels of a stack file.

    The stack file's root component says everything else, but can't lower a level. This
    configuration counts as that of the pack's user, so it may loosen.
    """
    configuration: dict[str, Any] = {settings.NAME: {"loosening": "accepted"}}
    for rule, form in rule_entries.items():
        level_settings = settings_mapping(form)
        workload_levels = {
            workload: {"level": levels["level"]}
            for workload, levels in (level_settings.get(WORKLOADS) or {}).items()
            if levels.get("level")
        }
        level = {LEVEL: level_settings["level"]} if level_settings.get("level") else {}
        if level or workload_levels:
            configuration[rule] = {
                **level,
                **({WORKLOADS: workload_levels} if workload_levels else {}),
            }
    return configuration


def read(
    rules: Collection[Rule], entries: Mapping[str, tuple[Level, Mapping[str, Any]]]
) -> tuple[dict[str, JudgeSettings], dict[str, list[Problem]]]:
    """Return the settings of each rule, and the problems by configuration entry.

    A rule whose settings are wrong keeps its level and its defaults. The engine fills in a rule's
    own level where the configuration has none, so only another one is known to be stated.

    Args:
        rules: of the pack.
        entries: by entry, the level and what else is written there.
    """
    settings_by_rule: dict[str, JudgeSettings] = {}
    wrong: dict[str, list[Problem]] = {}
    rules_by_id = {rule.id: rule for rule in rules}
    for entry, (_, rule_settings) in entries.items():
        if entry == EVERY:
            continue  # the engine has given its level to each policy
        if entry not in rules_by_id and entry != settings.NAME:
            wrong.setdefault(settings.NAME, []).append(_unknown_entry_problem(entry, rules_by_id))
        elif problems := list(
            _settings_problems(rule_settings)
            if entry == settings.NAME
            else _rule_problems(entry, rule_settings)
        ):
            wrong.setdefault(entry, []).extend(problems)
    for rule in rules:
        level, rule_settings = entries.get(rule.id, (rule.level, {}))
        settings_by_rule[rule.id] = JudgeSettings(
            level=level,
            settings={} if rule.id in wrong else rule_settings,
            is_stated=level != rule.level,
        )
    return settings_by_rule, wrong


def problems(config: Any, rules: Collection[Rule]) -> list[Problem]:
    """Return the problems in a configuration file for a pack of these rules."""
    if not isinstance(config, Mapping):
        return [_not_a(config, "the configuration", "an object with an entry for each rule")]
    mistakes: list[Problem] = []
    entries: dict[str, tuple[Level, Mapping[str, Any]]] = {}
    for entry, value in config.items():
        rule_settings = {LEVEL: value} if isinstance(value, str) else value
        if not isinstance(rule_settings, Mapping):
            allowed = f"a level ({', '.join(LEVELS)}) or an object"
            mistakes.append(_not_a(value, entry, allowed, (entry,)))
            continue
        level = rule_settings.get(LEVEL, "mandatory")
        other_settings = {key: setting for key, setting in rule_settings.items() if key != LEVEL}
        if level not in LEVELS:
            mistakes.append(_no_level(entry, level))
        if entry == EVERY:
            mistakes += [_only_a_level(name) for name in other_settings]
        else:
            entries[entry] = (cast("Level", level), other_settings)
    _, wrong = read((*rules, WAIVERS), entries)
    return [*mistakes, *(problem for problem_list in wrong.values() for problem in problem_list)]


def _settings_problems(rule_settings: Mapping[str, Any]) -> Iterator[Problem]:
    try:
        settings.pack_settings(rule_settings)
    except InputError as error:
        yield from (
            replace(problem, path=(settings.NAME, *problem.path)) for problem in error.problems
        )


def _rule_problems(rule: str, rule_settings: Mapping[str, Any]) -> Iterator[Problem]:
    if "level" in rule_settings:
        yield Problem(
            message=f"the rule {rule} has no setting 'level' in a pack's configuration",
            path=(rule, "level"),
            suggestion=LEVEL,
            fix=f"use {LEVEL}, Pulumi's name for it",
        )
    own_settings = {name: value for name, value in rule_settings.items() if name != "level"}
    # Their paths begin with the `rules` of a stack file, which a configuration does not have.
    yield from (
        replace(settings_problem, path=settings_problem.path[1:])
        for settings_problem in settings_problems({rule: own_settings})
    )


def _unknown_entry_problem(entry: str, known_keys: Collection[str]) -> Problem:
    if entry in {rule.id for rule in RULES}:
        return Problem(
            message=f"the rule {entry} is not in this pack",
            path=(entry, KEY),
            fix="set it on the pack that has the rule, or remove the entry",
        )
    allowed = (settings.NAME, *known_keys)
    return Problem(
        message=f"unknown rule: {entry!r}",
        path=(entry, KEY),
        suggestion=nearest(entry, allowed),
        fix="`gpuinfra policy list` names the rules and their settings",
    )


def _not_a(value: Any, subject: str, allowed: str, path: tuple[str, ...] = ()) -> Problem:
    return Problem(
        message=f"{subject} is not of the right kind", path=path, value=str(value), allowed=allowed
    )


def _no_level(entry: str, level: Any) -> Problem:
    message = f"{LEVEL} of {entry} is not a level"
    return unknown_word(message, str(level), LEVELS, (entry, LEVEL))


def _only_a_level(name: str) -> Problem:
    return Problem(
        message=f"{EVERY!r} accepts only a level, not {name!r}",
        path=(EVERY, name),
        fix=f"set {name!r} under the rule that has it",
    )

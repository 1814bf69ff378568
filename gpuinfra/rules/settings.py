"""The settings of rules, with defaults, and the problems in them."""

from collections.abc import Callable, Collection, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Protocol, runtime_checkable

from gpuinfra.errors import Problem, unknown_word
from gpuinfra.rules.rule import Level, Rule, Setting
from gpuinfra.rules.waivers import WAIVER_RULE_ID as WAIVER
from gpuinfra.rules.waivers import Names, own_names, pattern_of, short_name
from gpuinfra.units import SHARE_ALLOWED, UnitError, parse_share

LEVELS: Final[tuple[Level, ...]] = ("mandatory", "advisory", "disabled")
"""The levels, from the strictest on."""

LevelOf = Callable[[str], Level | None]
"""Tells the level that is stated for a subject; None where none is stated."""

_MOST_DIGITS: Final = 18
_MAX_VALUE_LENGTH: Final = 60
_ALLOWED_VALUES: Final = {
    "share": SHARE_ALLOWED,
    "whole": f"a whole number of at least 0, of at most {_MOST_DIGITS} digits",
    "money": f"US dollars, a number of at least 0, of at most {_MOST_DIGITS} digits",
    "words": "a string, or a list of strings",
}
WORKLOADS: Final = "workloads"
"""The key under which a rule has another level or other settings for some workloads."""


@runtime_checkable
class RuleEntry(Protocol):
    """The settings of a rule as the stack file holds them."""

    @property
    def level(self) -> Level | None:
        """The level; None for the rule's own."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings besides the level; those of single workloads are under `workloads`."""
        ...


_RULE_PATH_LENGTH: Final = 2
"""The path length of a rule's own settings; a workload's settings are deeper."""


def settings_mapping(entry: RuleEntry | Mapping[str, Any]) -> dict[str, Any]:
    """Return a rule's settings as one mapping, including the level if it is given."""
    if isinstance(entry, Mapping):
        return dict(entry)
    level = {} if entry.level is None else {"level": entry.level}
    return {**level, **entry.settings}


def settings_by_workload(rule_settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the settings of single workloads, by name or pattern, merged with the others."""
    workload_settings = rule_settings.get(WORKLOADS)
    if not workload_settings:
        return {}
    rule_values = {name: value for name, value in rule_settings.items() if name != WORKLOADS}
    return {
        pattern: {**rule_values, **settings} for pattern, settings in workload_settings.items()
    }


def bare(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a rule, and those of its workloads, without levels."""
    rule_values = {
        name: value for name, value in settings.items() if name not in {"level", WORKLOADS}
    }
    workload_settings = {
        pattern: bare(settings_of_workload)
        for pattern, settings_of_workload in (settings.get(WORKLOADS) or {}).items()
    }
    return {**rule_values, WORKLOADS: workload_settings} if workload_settings else rule_values


def levels(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the levels of a rule, and those of its workloads, without settings."""
    rule_level = {"level": settings["level"]} if settings.get("level") else {}
    workload_levels = {
        pattern: levels(workload_settings)
        for pattern, workload_settings in (settings.get(WORKLOADS) or {}).items()
    }
    return {**rule_level, WORKLOADS: workload_levels} if workload_levels else rule_level


def levels_of(settings: Mapping[str, Any], names: Names) -> LevelOf:
    """Return a function that gives a subject's stated level: its workload's, else the rule's."""
    rule_level: Level | None = settings.get("level")
    workload_settings = settings_by_workload(settings)
    if not workload_settings:
        return lambda _: rule_level

    def level_of_subject(subject: str) -> Level | None:
        pattern = pattern_of(subject, workload_settings, names)
        own_level: Level | None = (
            rule_level if pattern is None else workload_settings[pattern].get("level")
        )
        return own_level

    return level_of_subject


def level_of(rule: Rule, rule_settings: Mapping[str, Any]) -> Level:
    """Return the given level, which `problems` has validated, or the rule's own."""
    level: Level = rule_settings.get("level") or rule.level
    return level


def values_of(rule: Rule, rule_settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a rule's parsed settings by name, with defaults.

    Raises:
        UnitError: a value is not what the setting takes; `problems` names it beforehand.
    """
    return {
        setting.name: parse_setting(setting, rule_settings[setting.name])
        if rule_settings.get(setting.name) is not None
        else setting.default
        for setting in rule.settings
    }


def parse_setting(setting: Setting, value: Any) -> Any:
    """Parse one value as its setting's kind.

    Raises:
        UnitError: it is something else.
    """
    if setting.kind == "share":
        return parse_share(str(value))
    if setting.kind == "words":
        return _parse_words(value)
    if setting.kind == "money":
        return _money(value)
    return _parse_whole_number(value)


def _parse_words(value: Any) -> tuple[str, ...]:
    values = (value,) if isinstance(value, str) else value
    if not isinstance(values, list | tuple) or not all(isinstance(word, str) for word in values):
        raise UnitError(f"{_value_text(value)} is not a string", allowed=_ALLOWED_VALUES["words"])
    return tuple(values)


def _money(value: Any) -> Decimal:
    amount = _number(value)
    if amount is None:
        raise UnitError(
            f"{_value_text(value)} is not an amount of money", allowed=_ALLOWED_VALUES["money"]
        )
    return amount


def _parse_whole_number(value: Any) -> int:
    is_wrong_text = isinstance(value, str) and not (value.isascii() and value.isdigit())
    number = None if is_wrong_text else _number(value)
    if number is None or number != int(number):
        raise UnitError(
            f"{_value_text(value)} is not a whole number", allowed=_ALLOWED_VALUES["whole"]
        )
    return int(number)


def _number(value: Any) -> Decimal | None:
    """Return a finite number of at least 0 and of limited length; None for anything else."""
    try:
        number = Decimal("NaN" if isinstance(value, bool) else str(value))
    except InvalidOperation:
        return None
    if not number.is_finite() or number < 0 or number.adjusted() >= _MOST_DIGITS:
        return None
    return number


def _value_text(value: Any) -> str:
    """Return a value for a message, shortened if it is long."""
    text = repr(value)
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[:_MAX_VALUE_LENGTH]}…"


def problems(
    settings_by_rule: Mapping[str, RuleEntry | Mapping[str, Any]],
    rules: Collection[Rule],
    subjects: Collection[str] | None = None,
) -> Iterator[Problem]:
    """Yield a problem for every unknown rule, setting or workload and every wrong value, by path.

    `subjects` are what the stack has, None where they are not known yet.
    """
    by_id = {rule.id: rule for rule in rules}
    for rule_id, form in settings_by_rule.items():
        rule = by_id.get(rule_id)
        if rule is None:
            fix = "`gpuinfra explain` lists the rules with their titles"
            yield unknown_word("unknown rule", rule_id, sorted(by_id), ("rules", rule_id), fix)
            continue
        rule_forms = settings_mapping(form)
        yield from _rule_problems(rule, rule_forms, ("rules", rule_id))
        if subjects is not None:
            yield from _unmatched_pattern_problems(
                ("rules", rule_id, WORKLOADS), settings_by_workload(rule_forms), subjects
            )


def _unmatched_pattern_problems(
    path: tuple[str, ...], patterns: Collection[str], subjects: Collection[str]
) -> Iterator[Problem]:
    """Yield a problem for each pattern that matches no subject and so never applies."""
    short = sorted({short_name(subject) for subject in subjects})
    for pattern in patterns:
        if all(pattern_of(subject, (pattern,), own_names) is None for subject in subjects):
            yield unknown_word("unknown workload", pattern, short, (*path, pattern))


def _rule_problems(
    rule: Rule, rule_settings: Mapping[str, Any], key_path: tuple[str, ...]
) -> Iterator[Problem]:
    settings = {setting.name: setting for setting in rule.settings}
    is_about_rule = len(key_path) == _RULE_PATH_LENGTH and rule.id != WAIVER
    for name, value in rule_settings.items():
        path = (*key_path, name)
        if name == "level":
            yield from _level_problems(rule, value, path)
        elif name == WORKLOADS and is_about_rule:
            yield from _workload_problems(rule, value, path)
        elif name not in settings:
            allowed = ["level", *settings, *((WORKLOADS,) if is_about_rule else ())]
            message = f"the rule {rule.id} has no such setting"
            yield unknown_word(message, name, allowed, path)
        elif value is not None:
            try:
                parse_setting(settings[name], value)
            except UnitError as error:
                yield Problem(
                    message=f"{name} of the rule {rule.id}: {error}",
                    path=path,
                    value=str(value),
                    allowed=error.allowed,
                    suggestion=error.hint,
                )


def _workload_problems(
    rule: Rule, workload_settings: Any, key_path: tuple[str, ...]
) -> Iterator[Problem]:
    if workload_settings is not None and not isinstance(workload_settings, Mapping):
        yield _no_mapping(rule, workload_settings, key_path, '{"chat": {"level": "disabled"}}')
        return
    for workload, settings_of_workload in (workload_settings or {}).items():
        path = (*key_path, workload)
        if isinstance(settings_of_workload, Mapping):
            yield from _rule_problems(rule, settings_of_workload, path)
        else:
            yield _no_mapping(rule, settings_of_workload, path, '{"level": "disabled"}')


def _no_mapping(rule: Rule, value: Any, path: tuple[str, ...], example: str) -> Problem:
    message = f"{'.'.join(path[2:])} of the rule {rule.id} is not a mapping"
    return Problem(
        message=message, path=path, value=str(value), allowed=f"a mapping, for example {example}"
    )


def _level_problems(rule: Rule, value: Any, path: tuple[str, ...]) -> Iterator[Problem]:
    if value not in LEVELS:
        message = f"unknown level of the rule {rule.id}"
        yield unknown_word(message, str(value), LEVELS, path)
    elif rule.firm and value != rule.level:
        yield Problem(
            message=f"the rule {rule.id} can't be set to {value}",
            path=path,
            value=str(value),
            allowed=rule.level,
            fix=rule.fix_on(None),
        )

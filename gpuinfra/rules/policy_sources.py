"""The strictest of several policy sources: the judge's settings, and those of each program."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain
from typing import Any, Protocol

from gpuinfra.cost import Quote
from gpuinfra.model import Plan
from gpuinfra.records import record
from gpuinfra.rules import RULES, WAIVERS, most_days, rule_runner
from gpuinfra.rules.rule import Finding, Level, LockedTotals, Rule, RuleInput
from gpuinfra.rules.settings import (
    LEVELS,
    WORKLOADS,
    LevelOf,
    bare,
    level_of,
    levels_of,
    settings_by_workload,
)
from gpuinfra.rules.verdict import ACTION_NEEDED, Verdict, WaiverTerms, apply_waivers
from gpuinfra.rules.waivers import MOST_DAYS, Names, Waiver


class ProgramSettings(Protocol):
    """The rule settings that a program declares through its root component."""

    @property
    def rules(self) -> Mapping[str, Mapping[str, Any]]:
        """The settings without levels, by rule id."""
        ...

    @property
    def levels(self) -> Mapping[str, Mapping[str, Any]]:
        """The levels, also those of workloads, by rule id."""
        ...


@record
class JudgeSettings:
    """The judge's level and settings of one rule, as written.

    `is_stated` says that the judge chose the level, rather than the rule.
    """

    level: Level
    settings: Mapping[str, Any]
    is_stated: bool = False

    @property
    def as_written(self) -> dict[str, Any]:
        """The settings and the level in one mapping, as in a stack file."""
        return {**self.settings, "level": self.level}


@record
class PolicySource:
    """The rule settings of one source: the judge, or a program.

    Attributes:
        settings: by rule id, without levels: what is found is given its level afterwards.
        covered_rules: the rules that it covers.
        judge_settings: what the judge says of each rule; a program may raise a level and never
            lower it.
        levels: by rule id, a program's levels; empty for the judge.
    """

    settings: Mapping[str, Mapping[str, Any]]
    covered_rules: frozenset[str]
    judge_settings: Mapping[str, JudgeSettings]
    levels: Mapping[str, Mapping[str, Any]]

    def level_function(self, rule: Rule, names: Names) -> LevelOf:
        """Return a function from a finding's subject to the level that is stated for it.

        A program's level counts where it is at least as strict as the judge's, or the rule's own.
        """
        judge = self.judge_settings[rule.id]
        judge_level = levels_of(judge.as_written if judge.is_stated else judge.settings, names)
        program_level = levels_of(self.levels.get(rule.id, {}), names)

        def stated_level(subject: str) -> Level | None:
            own, of_program = judge_level(subject), program_level(subject)
            counts = of_program and of_program == _stricter(own or rule.level, of_program)
            return of_program if counts else own

        return stated_level


@record
class JudgeContext:
    """The input of the judge, with the waivers.

    Attributes:
        plan: the stack's plan.
        quote: its quote.
        waivers: findings that are accepted.
        today: the day that waivers end by.
        names: tells what waivers and settings of a workload may call a finding's subject.
        locked: the cost in the stack's lock; None where there is none.
        overlap: the cost of replaced resources that exist beside their replacements, if any does.
    """

    plan: Plan
    quote: Quote
    waivers: Sequence[Waiver]
    today: date
    names: Names
    locked: LockedTotals | None = None
    overlap: Quote | None = None


def _stricter(level: Level, other: Level) -> Level:
    return next(known_level for known_level in LEVELS if known_level in {level, other})


def given_of(settings_by_rule: Mapping[str, Mapping[str, Any]]) -> dict[str, JudgeSettings]:
    """Return the level and settings of every rule, from settings as in a stack file."""
    return {
        rule.id: JudgeSettings(
            level=level_of(rule, rule_settings := settings_by_rule.get(rule.id, {})),
            is_stated=bool(rule_settings.get("level")),
            settings={name: value for name, value in rule_settings.items() if name != "level"},
        )
        for rule in (*RULES, WAIVERS)
    }


def sources_of(
    rules: Sequence[Rule],
    judge_settings: Mapping[str, JudgeSettings],
    programs: Iterable[ProgramSettings],
) -> tuple[PolicySource, ...]:
    """Return the policy sources: the given settings, defaults where unset, and each program.

    Rule settings are not merged, since only the rule knows which value is the stricter: it is
    judged under each.
    """
    programs = tuple(programs)
    enabled = [
        rule.id
        for rule in rules
        if _runs(judge_settings[rule.id].as_written)
        or any(_runs(program.levels.get(rule.id)) for program in programs)
    ]
    program_rules = {rule for program in programs for rule in program.rules}
    own = frozenset(
        rule
        for rule in enabled
        if _has_settings(judge_settings[rule]) or rule not in program_rules
    )
    days = _most_days(judge_settings, programs)
    first = PolicySource(
        settings={**_settings({rule: judge_settings[rule].settings for rule in own}), **days},
        covered_rules=own,
        judge_settings=judge_settings,
        levels={},
    )
    others = (_program_source(enabled, program, judge_settings, days) for program in programs)
    return (first, *(source for source in others if source.covered_rules))


def _program_source(
    enabled: Sequence[str],
    program: ProgramSettings,
    judge_settings: Mapping[str, JudgeSettings],
    days: Mapping[str, Mapping[str, Any]],
) -> PolicySource:
    settings = {rule: program.rules[rule] for rule in enabled if rule in program.rules}
    return PolicySource(
        settings={**_settings(settings), **days},
        covered_rules=frozenset(settings),
        judge_settings=judge_settings,
        levels=program.levels,
    )


def _settings(by_rule: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {rule: bare(settings) for rule, settings in by_rule.items() if settings}


def _has_settings(settings_of_rule: JudgeSettings) -> bool:
    """Return whether a setting is given; a level alone is none."""
    settings_by_pattern = settings_of_rule.settings.get(WORKLOADS) or {}
    setting_names = {
        name
        for settings in (settings_of_rule.settings, *settings_by_pattern.values())
        for name in settings
    }
    return bool(setting_names - {"level", WORKLOADS})


def _runs(settings: Mapping[str, Any] | None) -> bool:
    """Return whether a rule is enabled for any subject."""
    workload_settings = settings_by_workload(settings or {}).values()
    return any(
        part.get("level", "disabled") != "disabled"
        for part in (settings or {}, *workload_settings)
    )


def _most_days(
    judge_settings: Mapping[str, JudgeSettings], programs: Sequence[ProgramSettings]
) -> dict[str, Mapping[str, Any]]:
    """Return the setting for how many days ahead a waiver may end: the smallest limit given."""
    waiver_settings = (
        judge_settings[WAIVERS.id].settings,
        *(program.rules.get(WAIVERS.id, {}) for program in programs),
    )
    limits = [
        int(settings[MOST_DAYS])
        for settings in waiver_settings
        if settings.get(MOST_DAYS) is not None
    ]
    return {WAIVERS.id: {MOST_DAYS: min(limits)}} if limits else {}


def strictest_verdict(
    context: JudgeContext, sources: Sequence[PolicySource], rules: Sequence[Rule]
) -> Verdict:
    """Return the verdict of rules under all sources; a refusal by any source is a refusal.

    A waiver is wrong only where every reading says so: what one lets pass, another may not.

    Args:
        context: the judge's context.
        sources: the readings; the judge's come first.
        rules: those that are asked; waivers of others are left alone.
    """
    enabled = [
        rule for rule in rules if any(rule.id in source.covered_rules for source in sources)
    ]
    rule_input = rule_runner.judge_input(
        context.plan, context.quote, context.today, context.locked, context.overlap
    )
    by_rule = (_strictest_of(rule, rule_input, sources, context.names) for rule in enabled)
    findings = tuple(chain.from_iterable(by_rule))
    left_alone = {rule.id for rule in RULES} - {rule.id for rule in rules}
    terms = WaiverTerms(
        rules=RULES,
        active_rules={rule.id for rule in enabled},
        today=context.today,
        max_days=most_days(sources[0].settings),
        names=context.names,
    )
    judged_waivers = {
        at: waiver for at, waiver in enumerate(context.waivers) if waiver.rule not in left_alone
    }
    return _with_waiver_level(
        apply_waivers(findings, judged_waivers, terms), sources[0].judge_settings[WAIVERS.id].level
    )


def _with_waiver_level(verdict: Verdict, level: Level) -> Verdict:
    """Return the verdict with findings about waivers at their own level."""
    if level == "mandatory":
        return verdict
    findings = (
        replace(finding, level=level) if finding.rule == WAIVERS.id else finding
        for finding in verdict.findings
    )
    return replace(
        verdict, findings=tuple(finding for finding in findings if finding.level != "disabled")
    )


def _strictest_of(
    rule: Rule, rule_input: RuleInput, sources: Sequence[PolicySource], names: Names
) -> Iterable[Finding]:
    """Return the findings of a rule under the sources that cover it.

    All of the first, and what another has against the stack besides; what several say has the
    strictest of their levels.
    """
    first, *other_findings = (
        rule_runner.rule_findings(
            rule,
            rule_input,
            source.settings.get(rule.id, {}),
            source.level_function(rule, names),
            names,
        )
        for source in sources
        if rule.id in source.covered_rules
    )
    if not other_findings:
        return first
    merged: dict[tuple[str, str, str], Finding] = {}
    for number, findings in enumerate((first, *other_findings)):
        for finding in findings:
            key = (finding.outcome, finding.subject, finding.message)
            known = merged.get(key)
            if known is not None:
                merged[key] = replace(known, level=_stricter(known.level, finding.level))
            elif number == 0 or finding.outcome in ACTION_NEEDED:
                merged[key] = finding
    return merged.values()

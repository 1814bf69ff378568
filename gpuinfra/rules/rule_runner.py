"""The judge, which applies every rule to one plan and its quote, with settings and waivers."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from gpuinfra.clouds import provider_of
from gpuinfra.cost import Quote
from gpuinfra.errors import InputError
from gpuinfra.model import Plan
from gpuinfra.rules import settings as forms
from gpuinfra.rules import waivers as acceptance
from gpuinfra.rules.resource_fix import fix_for
from gpuinfra.rules.rule import Finding, Level, LockedTotals, Rule, RuleInput

SECTIONS: Final = frozenset({"training", "inference", "buckets"})
"""The sections of a stack file that contain subjects."""


def judge_input(
    plan: Plan,
    quote: Quote | None,
    today: date,
    locked_totals: LockedTotals | None = None,
    overlap: Quote | None = None,
) -> RuleInput:
    """Return the input of the rules, with the machine tables of the plan's clouds."""
    clouds = {group.cloud for group in plan.groups}
    machines = {
        (cloud, machine.type): machine
        for cloud in clouds
        for machine in provider_of(cloud).machines.all_machines()
    }
    counts = Counter(group.subject for group in plan.groups)
    return RuleInput(
        plan=plan,
        quote=quote,
        today=today,
        machines=machines,
        locked=locked_totals,
        overlap=overlap,
        shared_subjects=frozenset(subject for subject, count in counts.items() if count > 1),
        clouds_by_subject={
            **{defect.subject: defect.cloud for defect in plan.defects},
            **{ports.subject: ports.cloud for ports in plan.open_ports},
            **{group.subject: group.cloud for group in plan.groups},
            **{bucket.subject: bucket.cloud for bucket in plan.buckets},
            **{system.subject: system.cloud for system in plan.file_systems},
        },
    )


def run(
    rules: Sequence[Rule],
    rule_input: RuleInput,
    settings: Mapping[str, forms.RuleEntry | Mapping[str, Any]],
    names: acceptance.Names = acceptance.own_names,
) -> Iterator[Finding]:
    """Yield the findings of each enabled rule, with the rule's id, level and fix.

    Where some workloads have settings of their own, what is said where the rule is disabled comes
    too, under that level.
    """
    for rule in rules:
        rule_settings = forms.settings_mapping(settings.get(rule.id, {}))
        level = forms.levels_of(rule_settings, names)
        yield from rule_findings(rule, rule_input, rule_settings, level, names)


def rule_findings(
    rule: Rule,
    rule_input: RuleInput,
    rule_settings: Mapping[str, Any],
    level_function: forms.LevelOf,
    names: acceptance.Names,
) -> Iterator[Finding]:
    """Yield the findings of one rule under its settings, at the level given for each subject.

    Args:
        rule: the rule.
        rule_input: the rule's input.
        rule_settings: its settings as one mapping, with those of workloads.
        level_function: tells the level that is stated for a subject.
        names: tells what settings of a workload may call a subject.
    """
    workload_settings = forms.settings_by_workload(rule_settings)
    for pattern, settings in ((None, rule_settings), *workload_settings.items()):
        for finding in rule.check(rule_input, forms.values_of(rule, settings)):
            subject = finding.subject
            if (
                workload_settings
                and acceptance.pattern_of(subject, workload_settings, names) != pattern
            ):
                continue
            outcome, fix = finding.outcome, finding.fix
            if outcome == "noted" and settings.get("level"):
                outcome = "violated"
            if not fix and outcome in {"violated", "not-knowable"}:
                fix = _fix(rule, rule_input, subject)
            # Not `replace`, which takes as long as the rules themselves on a large stack.
            yield Finding(
                outcome=outcome,
                subject=subject,
                message=finding.message,
                rule=rule.id,
                level=_level(rule, finding, level_function(subject)),
                fix=fix,
                path=rule.path if subject.startswith("urn:") else _path(subject) or rule.path,
            )


def _fix(rule: Rule, rule_input: RuleInput, subject: str) -> str:
    cloud = rule_input.clouds_by_subject.get(subject)
    return fix_for(rule, cloud, subject, from_file=rule_input.plan.from_file)


def _level(rule: Rule, finding: Finding, level: Level | None) -> Level:
    """Return the stated level, else the rule's own, lowered to that of the finding.

    To state the level that a firm rule has anyway is no choice.
    """
    if level is None or (rule.firm and level == rule.level):
        return finding.level if rule.level == "mandatory" else rule.level
    return level


def _path(subject: str) -> tuple[str, ...]:
    """Return a subject's path in a stack file, for example `training.trainer`; empty for a URN."""
    section, dot, name = subject.partition(".")
    return (section, name) if dot and section in SECTIONS else ()


def is_enabled(rule: Rule, settings: Mapping[str, forms.RuleEntry | Mapping[str, Any]]) -> bool:
    """Return whether a rule is enabled for any workload under its settings."""
    rule_settings = forms.settings_mapping(settings.get(rule.id, {}))
    all_settings = (rule_settings, *forms.settings_by_workload(rule_settings).values())
    return any(forms.level_of(rule, part) != "disabled" for part in all_settings)


def refuse_bad_settings(
    settings: Mapping[str, forms.RuleEntry | Mapping[str, Any]], rules: Collection[Rule]
) -> None:
    """Raise an error when a setting is wrong.

    Raises:
        InputError: with every problem.
    """
    problems = tuple(forms.problems(settings, rules))
    if problems:
        raise InputError(problems)

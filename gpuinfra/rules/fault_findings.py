"""Converts observed faults into findings."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from gpuinfra.clouds import title
from gpuinfra.clouds.observed_rules import JUDGED_RULES, judges
from gpuinfra.model import Defect, Fault, Group, Reachability, Unknown, faults_of
from gpuinfra.rules.rule import (
    Check,
    FactMessages,
    Finding,
    RuleInput,
    each_group,
    fine,
    not_applicable,
    not_knowable,
    row_check,
    violated,
)

Faults = tuple[str, ...] | Unknown
"""The reasons why a cloud refuses a setting; empty if it accepts it."""


def faults_check(rule: str, messages: FactMessages) -> Check:
    """Return the check that judges a rule's faults of every group."""
    return row_check(each_group, lambda group: judge_group_faults(group, rule, messages))


def judge_group_faults(group: Group, rule: str, messages: FactMessages) -> Finding:
    """Judge a rule's faults of a group; not applicable if the cloud has no such setting."""
    finding = judge_rule_faults(group.subject, group.faults, rule, messages)
    if finding.outcome == "fine" and group.cloud in JUDGED_RULES and not judges(group.cloud, rule):
        return not_applicable(group.subject, f"{title(group.cloud)} has no such setting")
    return finding


def judge_rule_faults(
    subject: str, faults: Iterable[Fault], rule: str, messages: FactMessages
) -> Finding:
    """Judge the faults of one rule for one subject."""
    of_rule = [fault for fault in faults if fault.rule == rule]
    if not of_rule:
        return fine(subject, messages.good)
    fixes = dict.fromkeys(fault.fix for fault in of_rule if fault.fix)
    return judge_faults(subject, faults_of(of_rule, rule), messages, fix="; ".join(fixes))


def with_faults(defects: Iterable[Defect], rule: str) -> tuple[Defect, ...]:
    """Return the defects that have faults of a rule."""
    return tuple(
        defect for defect in defects if any(fault.rule == rule for fault in defect.faults)
    )


def with_defects_check(check: Check, rule: str, messages: FactMessages) -> Check:
    """Return a check that also judges the settings of an account that have faults of a rule."""

    def judge(rule_input: RuleInput, settings: Mapping[str, Any]) -> Iterator[Finding]:
        yield from check(rule_input, settings)
        for defect in with_faults(rule_input.plan.defects, rule):
            yield judge_rule_faults(defect.subject, defect.faults, rule, messages)

    return judge


def reachability_check(
    rows: Callable[[RuleInput, Callable[[Any], Finding]], Iterator[Finding]],
    read: Callable[[Any], Reachability | None],
    rule: str,
    **reach_messages: str,
) -> Check:
    """Return the check that judges the reachability of every row, by `judge_reachability`."""
    return row_check(
        rows, lambda row: judge_reachability(row.subject, read(row), rule, **reach_messages)
    )


def judge_reachability(
    subject: str,
    reach: Reachability | None,
    rule: str,
    *,
    unjudged: str,
    unknown: str,
    good: str = "",
) -> Finding:
    """Judge the reachability of one subject; `unjudged` is the reason where a cloud gives none."""
    if reach is None:
        return not_applicable(subject, unjudged)
    messages = FactMessages(good="; ".join(reach.open_paths) or good, unknown=unknown)
    return judge_rule_faults(subject, reach.faults, rule, messages)


def judge_faults(
    subject: str, faults: Faults, messages: FactMessages, *, fix: str = ""
) -> Finding:
    """Return the finding for the faults of one subject."""
    if isinstance(faults, Unknown):
        return not_knowable(subject, messages.unknown)
    if faults:
        return violated(subject, "; ".join(faults), fix=fix)
    return fine(subject, messages.good)

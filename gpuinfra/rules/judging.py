"""The judge: every rule over one plan and its quote, with settings and waivers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from gpuinfra.clouds import room
from gpuinfra.cost import Quote
from gpuinfra.errors import InputError
from gpuinfra.model import Plan
from gpuinfra.rules import settings as forms
from gpuinfra.rules import waivers as acceptance
from gpuinfra.rules.rule import Finding, Judged, Locked, Rule

SECTIONS: Final = frozenset({"training", "inference", "buckets"})
"""Where a stack file has its subjects."""


def look(plan: Plan, quote: Quote | None, today: date, locked: Locked | None = None) -> Judged:
    """Return what the rules read, with the machine tables of the plan's clouds."""
    clouds = {group.cloud for group in plan.groups}
    machines = {
        (cloud, machine.type): machine for cloud in clouds for machine in room(cloud).machines()
    }
    return Judged(plan=plan, quote=quote, today=today, machines=machines, locked=locked)


def run(
    rules: Sequence[Rule],
    judged: Judged,
    settings: Mapping[str, forms.Written | Mapping[str, Any]],
    names: acceptance.Names = acceptance.own_names,
) -> Iterator[Finding]:
    """Yield what each rule says, with the rule's id, level and way out.

    Where some workloads have settings of their own, what is said where the rule is disabled comes
    too, under that level.
    """
    for rule in rules:
        given = forms.plain(settings.get(rule.id, {}))
        apart = forms.by_workload(given)

        def kept(subject: str, apart: Mapping[str, Any] = apart) -> str | None:
            return acceptance.pattern_of(subject, apart, names)

        for pattern, said in ((None, given), *apart.items()):
            level = forms.level_of(rule, said)
            if level == "disabled" and not apart:
                continue
            for finding in rule.check(judged, forms.values_of(rule, said)):
                if apart and kept(finding.subject) != pattern:
                    continue
                needs_fix = finding.outcome in {"violated", "not-knowable"}
                fix = finding.fix or (rule.fix if needs_fix else "")
                path = _path(finding.subject) or rule.path
                # Not `replace`, which takes as long as the rules themselves on a large stack.
                yield Finding(
                    outcome=finding.outcome,
                    subject=finding.subject,
                    message=finding.message,
                    rule=rule.id,
                    level=level,
                    fix=fix,
                    path=path,
                )


def _path(subject: str) -> tuple[str, ...]:
    """Where a subject stands in a stack file: `training.trainer`; a URN stands nowhere."""
    section, dot, name = subject.partition(".")
    return (section, name) if dot and section in SECTIONS else ()


def ran(rule: Rule, settings: Mapping[str, forms.Written | Mapping[str, Any]]) -> bool:
    """Whether a rule runs on anything under its settings."""
    given = forms.plain(settings.get(rule.id, {}))
    said = (given, *forms.by_workload(given).values())
    return any(forms.level_of(rule, one) != "disabled" for one in said)


def refuse_bad_settings(
    settings: Mapping[str, forms.Written | Mapping[str, Any]], rules: Collection[Rule]
) -> None:
    """Raise when a setting is wrong.

    Raises:
        InputError: with every problem.
    """
    found = tuple(forms.problems(settings, rules))
    if found:
        raise InputError(found)

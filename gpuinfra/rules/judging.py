"""The judge: every rule over one plan and its quote, with settings and waivers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """All findings that count, and those that are waived."""

    findings: tuple[Finding, ...]
    waived: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing refuses."""
        return not any(finding.refuses for finding in self.findings)

    @property
    def exit_code(self) -> int:
        """0, or 1 when a mandatory rule is violated or not knowable."""
        return 0 if self.ok else 1


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
    """Yield what each rule says, with the rule's id, level and way out."""
    for rule in rules:
        given = forms.plain(settings.get(rule.id, {}))
        apart = forms.by_workload(given)

        def kept(subject: str, apart: Mapping[str, Any] = apart) -> str | None:
            return acceptance.pattern_of(subject, apart, names)

        for pattern, said in ((None, given), *apart.items()):
            level = forms.level_of(rule, said)
            if level == "disabled":
                continue
            for finding in rule.check(judged, forms.values_of(rule, said)):
                if apart and kept(finding.subject) != pattern:
                    continue
                needs_fix = finding.outcome in {"violated", "not-knowable"}
                fix = finding.fix or (rule.fix if needs_fix else "")
                path = _path(finding.subject) or rule.path
                yield replace(finding, rule=rule.id, level=level, fix=fix, path=path)


def _path(subject: str) -> tuple[str, ...]:
    """Where a subject stands in a stack file: `training.trainer`; a URN stands nowhere."""
    section, dot, name = subject.partition(".")
    return (section, name) if dot and section in SECTIONS else ()


def weigh(
    findings: Sequence[Finding],
    waivers: Sequence[acceptance.Waiver],
    rules: Collection[Rule],
    today: date,
    names: acceptance.Names,
) -> Verdict:
    """Set aside what is waived; a waiver that is wrong is itself a violation."""
    by_id = {rule.id: rule for rule in rules}
    valid: list[acceptance.Waiver] = []
    wrong: list[Finding] = []
    for waiver in waivers:
        rule = by_id.get(waiver.rule)
        if rule is None:
            found = acceptance.refused(waiver, "no such rule", "correct the rule's id")
        elif rule.firm:
            found = acceptance.refused(waiver, "it can't be waived", rule.fix)
        else:
            trouble = acceptance.trouble(waiver, findings, today, names)
            if trouble is None:
                valid.append(waiver)
                continue
            found = trouble
        wrong.append(replace(found, rule=acceptance.ID))
    waived = [one for one in findings if _is_waived(one, valid, names)]
    counted = [one for one in findings if not _is_waived(one, valid, names)]
    return Verdict(findings=(*counted, *wrong), waived=tuple(waived))


def _is_waived(
    finding: Finding, waivers: Sequence[acceptance.Waiver], names: acceptance.Names
) -> bool:
    return finding.outcome in {"violated", "not-knowable"} and any(
        acceptance.matches(waiver, finding, names) for waiver in waivers
    )


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

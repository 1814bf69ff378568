"""The findings that count and those that are waived; an invalid waiver is a violation."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from gpuinfra import logs
from gpuinfra.records import record
from gpuinfra.rules import waivers as acceptance
from gpuinfra.rules.rule import Finding, Rule
from gpuinfra.similar_words import nearest

ACTION_NEEDED: Final = frozenset({"violated", "not-knowable"})
"""The outcomes that need action."""


@record
class Verdict:
    """The findings that count, and those that are waived.

    `waiver_indexes` has for each of `waived` the index of the waiver that sets it aside.
    """

    findings: tuple[Finding, ...]
    waived: tuple[Finding, ...] = ()
    waiver_indexes: tuple[int, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no finding refuses the stack."""
        return not any(finding.refuses for finding in self.findings)

    @property
    def needs_action(self) -> bool:
        """Whether any finding needs action: an error or a warning."""
        return any(finding.outcome in ACTION_NEEDED for finding in self.findings)

    @property
    def exit_code(self) -> int:
        """The exit code: 1 when a mandatory rule is violated or not knowable, else 0."""
        return 0 if self.ok else 1

    def log(self) -> None:
        """Log what each rule says of each subject, and why."""
        if not logs.is_enabled():
            return
        for state, findings in (("", self.findings), (", waived", self.waived)):
            for finding in findings:
                outcome = f"{finding.outcome}{state}"
                logs.debug(
                    "%s of %s: %s: %s", finding.rule, finding.subject, outcome, finding.message
                )


@record
class WaiverTerms:
    """The conditions that waivers must satisfy.

    Attributes:
        rules: every rule that there is.
        active_rules: the ids of those that were asked and are not disabled.
        today: the day that waivers end by.
        max_days: how many days ahead of it they may end.
        names: tells what waivers may call a finding's subject.
    """

    rules: Collection[Rule]
    active_rules: Collection[str]
    today: date
    max_days: int
    names: acceptance.Names


def apply_waivers(
    findings: Sequence[Finding], waivers: Mapping[int, acceptance.Waiver], terms: WaiverTerms
) -> Verdict:
    """Mark waived findings as accepted; an invalid waiver is a violation.

    A waiver that sets nothing aside is not reported where its rule did not run, or did not run on
    what the waiver matches.

    Args:
        findings: what the rules say; what one says where it is disabled counts for nothing.
        waivers: the accepted findings, by their indexes.
        terms: what they are weighed by.
    """
    faults = dict(_faults(waivers, terms))
    valid = {index: waiver for index, waiver in waivers.items() if index not in faults}
    waiver_index = acceptance.WaiverIndex(valid, terms.names)
    counted: list[Finding] = []
    waived: list[tuple[Finding, int]] = []
    used_waivers: set[int] = set()
    for finding in findings:
        matching = set(waiver_index.matching(finding)) if valid else set()
        if finding.level == "disabled":
            used_waivers |= matching
        elif matching and finding.outcome in {*ACTION_NEEDED, "noted"}:
            waived.append((finding, min(matching)))
            used_waivers |= matching
        else:
            counted.append(finding)
    for index, waiver in valid.items():
        if index not in used_waivers and waiver.rule in terms.active_rules:
            faults[index] = acceptance.unused_waiver_finding(waiver, index)
    return Verdict(
        findings=(*counted, *(faults[index] for index in sorted(faults))),
        waived=tuple(finding for finding, _ in waived),
        waiver_indexes=tuple(index for _, index in waived),
    )


def unknown_rule_findings(
    waivers: Mapping[int, acceptance.Waiver], rules: Collection[Rule]
) -> Iterator[tuple[int, Finding]]:
    """Yield a finding for each waiver of an unknown rule, with the waiver's index."""
    known_rule_ids = {rule.id for rule in (*rules, acceptance.RULE)}
    for index, waiver in waivers.items():
        if waiver.rule not in known_rule_ids:
            similar = nearest(waiver.rule, sorted(known_rule_ids))
            fix = f"write {similar}" if similar else "`gpuinfra explain` lists the rules"
            yield index, acceptance.invalid_waiver_finding(waiver, index, "unknown rule", fix)


def _faults(
    waivers: Mapping[int, acceptance.Waiver], terms: WaiverTerms
) -> Iterator[tuple[int, Finding]]:
    """Yield the faults of waivers that do not depend on the findings."""
    yield from unknown_rule_findings(waivers, terms.rules)
    by_id = {rule.id: rule for rule in (*terms.rules, acceptance.RULE)}
    for index, waiver in waivers.items():
        rule = by_id.get(waiver.rule)
        if rule is None:
            continue
        if rule.firm:
            yield (
                index,
                acceptance.invalid_waiver_finding(
                    waiver, index, "this rule can't be waived", rule.fix_on(None)
                ),
            )
        elif fault := acceptance.date_finding(waiver, index, terms.today, terms.max_days):
            yield index, fault

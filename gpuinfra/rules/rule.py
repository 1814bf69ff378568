"""The definition of a rule: id, reason, fix, settings, and a function over plan and quote."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from decimal import Decimal
from typing import Any, Final, Literal, TypeVar

from gpuinfra.clouds import title
from gpuinfra.cost import Quote
from gpuinfra.errors import PathPart, lock_update
from gpuinfra.model import Bucket, FileSystem, Group, Known, Machine, Plan
from gpuinfra.records import record

Level = Literal["mandatory", "advisory", "disabled"]
Outcome = Literal["fine", "violated", "not-applicable", "not-knowable", "noted"]
Family = Literal["budget", "spot", "fabric", "security", "hygiene"]
Kind = Literal["share", "whole", "money", "words"]
"""The value type of a setting: words are a tuple of text."""

TO_FIX = " To fix it: "
"""The separator of a policy pack's finding and its fix."""


def policy_description(rule: "Rule") -> str:
    """Return the description of a rule as a policy, which Pulumi prints above each violation."""
    return f"Rule: {rule.title}. {rule.why}"


@record
class Setting:
    """A setting of a rule: its kind, its default (None: no requirement), and the reason for it."""

    name: str
    kind: Kind
    default: Any
    why: str


@record
class Finding:
    """The result of a rule for one subject.

    `path` is where in the stack file the fix is; empty when the subject is a resource.
    `noted`: advice, or no key of a stack file mends it on its cloud; the judge makes it `violated`
    where the file gives the rule a level. `rule`, `level` and `path` are written by the judge.
    What a check calls advisory stays a warning under a rule that is mandatory by itself; a level
    that the settings state holds for every finding. `is_deferred` says that the update decides.
    """

    outcome: Outcome
    subject: str
    message: str
    rule: str = ""
    level: Level = "mandatory"
    fix: str = ""
    path: tuple[PathPart, ...] = ()
    is_deferred: bool = False

    @property
    def refuses(self) -> bool:
        """Whether this finding refuses the stack: a mandatory rule is violated or not knowable."""
        return self.level == "mandatory" and self.outcome in {"violated", "not-knowable"}


@record
class LockedTotals:
    """The costs in a lock, in USD; None where it has no such total.

    `quote_today` is the quote at the prices of today, where the lock's own prices count for the
    rest. `update_command` writes the lock again.
    """

    per_hour: Decimal | None
    per_month: Decimal | None
    per_run: Decimal | None
    quote_today: Quote | None = None
    update_command: str = lock_update()


@record
class RuleInput:
    """The input of rules: plan, quote, date, and machine types by cloud and name.

    `quote` is None where the plan was not priced; a rule about money is then not knowable.
    `locked` is what the stack's lock says it costs; None where there is no lock. `shared_subjects`
    are the subjects of more than one group, and `clouds_by_subject` the cloud of each subject.
    `overlap` is the quote of replaced resources that exist beside their replacements for a while.
    """

    plan: Plan
    quote: Quote | None
    today: date
    machines: Mapping[tuple[str, str], Machine]
    locked: LockedTotals | None = None
    overlap: Quote | None = None
    shared_subjects: frozenset[str] = frozenset()
    clouds_by_subject: Mapping[str, str] = field(default_factory=dict)

    def machine_types(self, group: Group) -> tuple[Machine | None, ...]:
        """Return each machine type that a group may have; None for a type in no table."""
        return tuple(machine for _, machine in self.named_machines(group))

    def named_machines(self, group: Group) -> tuple[tuple[str, Machine | None], ...]:
        """Return each machine type that a group may have, by name; None for a type in no table."""
        names = group.machines or (group.rung.machine,)
        return tuple((name, self.machines.get((group.cloud, name))) for name in names)

    def gpus_each(self, group: Group) -> Decimal | None:
        """Return the most GPUs of one machine of a group; None if a type is in no table."""
        counts = [known.gpu_count for known in self.machine_types(group) if known is not None]
        return None if len(counts) < len(self.machine_types(group)) else max(counts)


Check = Callable[[RuleInput, Mapping[str, Any]], Iterable[Finding]]
"""Judges a plan under a rule's settings."""


@record
class Rule:
    """A rule with its texts, settings and check.

    `firm` rules can't be waived, lowered or disabled: the fix is in the input. `path` is where
    in a stack file the whole stack's verdict is placed. `alone` says that one resource and what it
    refers to show the answer, so that a pack asks before the resource is made; other rules need
    what refers to it, or all. `text_inputs` name the inputs whose text the rule reads, which may
    be written from what is made in the same update, as the address of a file system in a start-up
    script: a preview leaves such a text to the update, which knows it. A hidden text that comes
    from nothing in the program is refused in the preview already. `reads_own_texts`: only those of
    a finding's subject. `fix` speaks of resources and their settings, `fix_by_cloud` says how on
    each cloud, and `stack_file_fix` is the fix where a stack file has a key of its own for it.
    """

    id: str
    family: Family
    title: str
    why: str
    fix: str
    source: str
    check: Check
    level: Level = "mandatory"
    settings: tuple[Setting, ...] = ()
    firm: bool = False
    path: tuple[PathPart, ...] = ()
    alone: bool = False
    text_inputs: tuple[str, ...] = ()
    reads_own_texts: bool = False
    fix_by_cloud: Mapping[str, str] = field(default_factory=dict)
    stack_file_fix: str = ""

    def fix_on(self, cloud: str | None, *, from_file: bool = False) -> str:
        """Return the fix on one cloud, or on every cloud if the cloud is unknown.

        `from_file`: in the words of a stack file, where it has some for it.
        """
        if from_file and self.stack_file_fix:
            return self.stack_file_fix
        if not self.fix_by_cloud:
            return self.fix
        if cloud is not None:
            cloud_fix = self.fix_by_cloud.get(cloud)
            return f"{self.fix}: {cloud_fix}" if cloud_fix else self.fix
        ways = (f"{fix} ({title(name)})" for name, fix in self.fix_by_cloud.items())
        return f"{self.fix}: {'; '.join(ways)}"


def fine(subject: str, message: str) -> Finding:
    """Return a finding that the rule holds."""
    return Finding(outcome="fine", subject=subject, message=message)


def violated(subject: str, message: str, *, fix: str = "", level: Level = "mandatory") -> Finding:
    """Return a finding that the rule does not hold."""
    return Finding(outcome="violated", subject=subject, message=message, fix=fix, level=level)


def not_applicable(subject: str, message: str) -> Finding:
    """Return a finding that the rule applies to nothing here."""
    return Finding(outcome="not-applicable", subject=subject, message=message)


def not_knowable(subject: str, message: str, *, fix: str = "") -> Finding:
    """Return a finding that the facts aren't known yet; a mandatory rule then refuses."""
    return Finding(outcome="not-knowable", subject=subject, message=message, fix=fix)


def settings_hint(name: str, words: str) -> str:
    """Return where to state a fact of a resource that a preview, state or program lacks."""
    return f"in the settings file (--settings): resources: {{{name}: {{{words}}}}}"


def with_program_fix(rule_input: RuleInput, finding: Finding, fix: str) -> Finding:
    """Return the finding with this fix, if it is a problem and Pulumi resources are judged."""
    if rule_input.plan.from_file or finding.outcome not in {"violated", "not-knowable"}:
        return finding
    return replace(finding, fix=fix)


def as_note(finding: Finding, reason: str) -> Finding:
    """Return a violated finding as a note, because no key of a stack file fixes it."""
    return replace(finding, outcome="noted", fix=reason)


GRAVITY: Final[tuple[Outcome, ...]] = (
    *("violated", "not-knowable", "noted"),
    *("fine", "not-applicable"),
)
"""The outcomes, the worst first."""


def worst_finding(findings: Iterable[Finding]) -> Finding:
    """Return the worst finding of the parts of one subject, the first if several are equal."""
    return min(findings, key=lambda finding: GRAVITY.index(finding.outcome))


@record
class FactMessages:
    """A rule's messages for a fact that holds, does not hold (unless faults do), or is unknown."""

    good: str
    bad: str = ""
    unknown: str


def fact(subject: str, known_fact: Known, messages: FactMessages) -> Finding:
    """Judge one three-valued fact."""
    if known_fact is True:
        return fine(subject, messages.good)
    if known_fact is False:
        return violated(subject, messages.bad)
    return not_knowable(subject, messages.unknown)


Row = TypeVar("Row")


def each_row(
    rule_input: RuleInput, rows: Sequence[Row], empty_message: str, judge: Callable[[Row], Finding]
) -> Iterator[Finding]:
    """Judge rows of the plan one by one; `empty_message` is the message if there are none."""
    if not rows:
        yield not_applicable(rule_input.plan.name, empty_message)
    yield from map(judge, rows)


def row_check(
    rows: Callable[[RuleInput, Callable[[Row], Finding]], Iterator[Finding]],
    judge: Callable[[Row], Finding],
) -> Check:
    """Return the check of a rule without settings, which judges each row, as `each_group` does."""
    return lambda rule_input, _: rows(rule_input, judge)


def each_group(rule_input: RuleInput, judge: Callable[[Group], Finding]) -> Iterator[Finding]:
    """Judge every group of machines; add the group name where several have one subject."""
    groups = rule_input.plan.groups
    if not rule_input.shared_subjects:
        return each_row(rule_input, groups, "no machines", judge)

    def with_group_name(group: Group) -> Finding:
        finding = judge(group)
        if group.subject not in rule_input.shared_subjects:
            return finding
        return replace(finding, message=f"{group.name}: {finding.message}")

    return each_row(rule_input, groups, "no machines", with_group_name)


def each_bucket(rule_input: RuleInput, judge: Callable[[Bucket], Finding]) -> Iterator[Finding]:
    """Judge every bucket."""
    return each_row(rule_input, rule_input.plan.buckets, "no buckets", judge)


def each_file_system(
    rule_input: RuleInput, judge: Callable[[FileSystem], Finding]
) -> Iterator[Finding]:
    """Judge every shared file system."""
    return each_row(rule_input, rule_input.plan.file_systems, "no shared file systems", judge)


def fact_check(
    rows: Callable[[RuleInput, Callable[[Any], Finding]], Iterator[Finding]],
    read: Callable[[Any], Known | None],
    *,
    unjudged: str = "",
    **words: str,
) -> Check:
    """Return the check of one fact of every row, with the messages of `FactMessages`.

    `unjudged` is the reason where the fact is None: the row has no such setting.
    """
    messages = FactMessages(**words)

    def judge(row: Any) -> Finding:
        known = read(row)
        if known is None:
            return not_applicable(row.subject, unjudged.format(row.cloud))
        return fact(row.subject, known, messages)

    return row_check(rows, judge)

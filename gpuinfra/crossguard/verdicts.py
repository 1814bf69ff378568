"""What a rule says to the engine: against one resource before it is made, or the whole after."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pulumi_policy import ResourceValidationArgs, StackValidationArgs

from gpuinfra.cost import Quote
from gpuinfra.crossguard import caps
from gpuinfra.crossguard.settings import readings
from gpuinfra.crossguard.update import Met, Update
from gpuinfra.model import Plan
from gpuinfra.rules import Finding, Rule, judge
from gpuinfra.rules.waivers import ID as WAIVER
from gpuinfra.rules.waivers import short_name

_SPENDING: Final = frozenset({"no-cap", "price-unknown", "price-outdated"})
"""Rules about money: what costs nothing more may stay as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A refusal, and the resource that it is about; None for the stack as a whole."""

    text: str
    urn: str | None = None


def about_one(
    update: Update, rule: Rule, given: Mapping[str, Any], args: ResourceValidationArgs
) -> Iterator[Message]:
    """What a rule has against one resource, before it is made or changed.

    What one resource can't show is not held against it here: the stack policy fails closed.
    """
    met = update.meet(args)
    if met is None:
        return
    if rule.id in caps.RUNNING:
        yield from _crossing(update, rule, met)
    elif rule.alone and not (rule.id in _SPENDING and met.step.growth.nothing):
        for finding in _findings(update, rule, given, met.plan, met.quote):
            if finding.outcome == "violated" and finding.rule != WAIVER:
                yield Message(text=_text(finding))


def about_all(
    update: Update, rule: Rule, given: Mapping[str, Any], args: StackValidationArgs
) -> Iterator[Message]:
    """What a rule has against the whole; what is not knowable refuses too."""
    plan, quote = update.whole(args)
    urns = {shown.urn for shown in args.resources}
    later = update.comes_later(args, rule.texts)
    for finding in _findings(update, rule, given, plan, quote):
        if later and finding.outcome == "not-knowable":
            continue
        urn = finding.subject if finding.subject in urns else None
        yield Message(text=_text(finding), urn=urn)
    if rule.id in caps.RUNNING:
        for met in update.meet_left_out(args):
            yield from _crossing(update, rule, met)


def _crossing(update: Update, rule: Rule, met: Met) -> Iterator[Message]:
    limits = update.said.caps
    if update.unreadable:
        text = caps.unreadable(rule.id, limits, met.step, met.name, update.unreadable)
    else:
        text = caps.crossing(rule.id, limits, met.step, met.name, met.waiting)
    if text is not None:
        yield Message(text=text)


def _findings(
    update: Update, rule: Rule, given: Mapping[str, Any], plan: Plan, quote: Quote
) -> Iterator[Finding]:
    """What refuses under any reading of the rule's settings: the strictest holds.

    A waiver is wrong only where every reading says so: what one lets pass, another may not.
    """
    verdicts = [
        judge(
            plan,
            quote,
            {rule.id: {**reading, "level": "mandatory"}},
            [waiver for waiver in update.said.waivers if waiver.rule == rule.id],
            update.today,
            only={rule.id},
            names=update.names,
        ).findings
        for reading in readings(rule.id, given, update.programs)
    ]
    for finding in dict.fromkeys(one for found in verdicts for one in found if one.refuses):
        if finding.rule != WAIVER or all(finding in found for found in verdicts):
            yield finding


def _text(finding: Finding) -> str:
    fix = f" To fix it: {finding.fix}." if finding.fix else ""
    message = finding.message.removeprefix(f"{finding.subject}: ")
    return f"{short_name(finding.subject)}: {message}.{fix}"

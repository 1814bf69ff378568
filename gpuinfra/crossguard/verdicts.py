"""The messages of the rules for the engine, about one resource or the whole stack."""

from collections.abc import Iterator, Sequence
from typing import Final

from pulumi.runtime.proto import analyzer_pb2 as proto

from gpuinfra.cost import Quote
from gpuinfra.crossguard import caps
from gpuinfra.crossguard.policy_inputs import PolicyResource
from gpuinfra.crossguard.serving import PolicyMessage
from gpuinfra.crossguard.settings_hints import in_pack
from gpuinfra.crossguard.update import Update
from gpuinfra.model import Plan
from gpuinfra.rules import Finding, Rule
from gpuinfra.rules.policy_sources import JudgeContext, strictest_verdict
from gpuinfra.rules.rule import TO_FIX
from gpuinfra.rules.verdict import ACTION_NEEDED
from gpuinfra.rules.waivers import WAIVER_RULE_ID as WAIVER
from gpuinfra.rules.waivers import short_name

_SPENDING: Final = frozenset({"no-cap", "price-unknown", "price-outdated"})
"""Rules about money: what costs nothing more may stay as it is."""


def resource_messages(
    update: Update, rules: Sequence[Rule], request: proto.AnalyzeRequest
) -> Iterator[PolicyMessage]:
    """Yield the violations of one resource, before it is created or changed.

    What one resource can't show is not held against it here: the whole fails closed.
    """
    entry = update.count_resource(request)
    if entry is None:
        return
    yield from _cap_violations(update, rules, entry)
    single_resource_rules = [
        rule
        for rule in rules
        if rule.alone and not (rule.id in _SPENDING and entry.step.growth.adds_nothing)
    ]
    if not single_resource_rules:
        return
    for finding in _findings(update, single_resource_rules, entry.plan, entry.quote()):
        if finding.outcome == "violated" and finding.rule != WAIVER:
            yield _message(finding, entry.urn)


def stack_messages(
    update: Update, rules: Sequence[Rule], stack_request: proto.AnalyzeStackRequest
) -> Iterator[PolicyMessage]:
    """Yield the violations of the whole stack; findings that are not knowable refuse, too."""
    shown_stack = update.whole_stack(stack_request)
    by_id = {rule.id: rule for rule in rules}
    for finding in _findings(update, rules, shown_stack.plan, shown_stack.quote):
        rule = by_id.get(finding.rule)
        if rule is not None and shown_stack.comes_later(finding, rule):
            continue
        yield _message(
            finding, finding.subject if finding.subject in shown_stack.resources else None
        )
    for entry in shown_stack.uncounted:
        yield from _cap_violations(update, rules, entry)


def _cap_violations(
    update: Update, rules: Sequence[Rule], entry: PolicyResource
) -> Iterator[PolicyMessage]:
    """Yield the violations of each cap with a running total by a resource."""
    limits = update.settings.caps
    for rule in rules:
        level = update.judge_settings[rule.id].level
        if rule.id not in caps.RUNNING or level == "disabled":
            continue
        if update.unreadable:
            text = caps.unreadable_cost_violation(
                rule.id, limits, entry.step, entry.name, update.unreadable
            )
        else:
            text = caps.cap_violation(
                rule.id,
                limits,
                entry.step,
                entry.name,
                entry.unregistered_resources,
            )
        if text is not None:
            yield PolicyMessage(policy=rule.id, text=text, level=level, urn=entry.urn)


def _findings(
    update: Update, rules: Sequence[Rule], plan: Plan, quote: Quote
) -> Iterator[Finding]:
    """Return the findings that need action, under any policy source."""
    ground = JudgeContext(
        plan=plan,
        quote=quote,
        waivers=update.settings.waivers,
        today=update.today,
        names=update.names,
    )
    findings = strictest_verdict(ground, update.readings, rules).findings
    return (finding for finding in findings if finding.outcome in ACTION_NEEDED)


def _message(finding: Finding, urn: str | None) -> PolicyMessage:
    fix = f"{TO_FIX}{in_pack(finding.fix)}." if finding.fix else ""
    message = finding.message.removeprefix(f"{finding.subject}: ")
    text = f"{short_name(finding.subject)}: {message}.{fix}"
    return PolicyMessage(policy=finding.rule, text=text, level=finding.level, urn=urn)

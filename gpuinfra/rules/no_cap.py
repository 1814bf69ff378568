"""Every stack with GPUs has a cap."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.clouds import provider_of
from gpuinfra.model import CLOUD_PLACED, Group
from gpuinfra.rules.budget import budget_keys_fix, cap_for_fix
from gpuinfra.rules.rule import Finding, Rule, RuleInput, fine, not_applicable, violated


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Check for a cap that covers all costs, per hour or per month.

    One per run binds training runs that have an end, and nothing else. Without a budget, a stack
    needs none as long as every part has a price and no GPU or booked machine is in it.
    """
    caps = rule_input.plan.caps
    cap_by_span = {"hour": caps.per_hour, "run": caps.per_run, "month": caps.per_month}
    capped_spans = [span for span, cap in cap_by_span.items() if cap is not None]
    fix = "" if rule_input.plan.from_file else _program_fix(rule_input)
    if not capped_spans and not _needs_cap(rule_input):
        statement = "no budget, and no GPU, reservation or unpriced part that would need one"
        yield not_applicable(rule_input.plan.name, statement)
    elif not capped_spans:
        statement = "no cap per hour or per month is set"
        yield violated(rule_input.plan.name, statement, fix=fix or _missing_cap_fix(rule_input))
    elif capped_spans == ["run"]:
        statement = "no cap per hour or per month; a cap per run limits training runs only"
        yield violated(rule_input.plan.name, statement, fix=fix or _missing_cap_fix(rule_input))
    else:
        yield fine(rule_input.plan.name, f"capped per {', '.join(capped_spans)}")


def _needs_cap(rule_input: RuleInput) -> bool:
    if rule_input.quote is None or rule_input.quote.unpriced:
        return True
    return any(_has_gpus(group) or _is_booked(group) for group in rule_input.plan.groups)


def _has_gpus(group: Group) -> bool:
    """Return whether machines of a group may have GPUs; a type that no table lists may."""
    cpu = provider_of(group.cloud).prices.cpu
    types = (*group.machines, *(rung.machine for rung in group.rungs))
    return not all(map(cpu.is_in_table, types))


def _is_booked(group: Group) -> bool:
    return any(rung.capacity in CLOUD_PLACED for rung in group.rungs)


def _missing_cap_fix(rule_input: RuleInput) -> str:
    return budget_keys_fix(
        rule_input.plan.caps, f"per_hour: {cap_for_fix(rule_input.quote, 'per_hour')}"
    )


def _program_fix(rule_input: RuleInput) -> str:
    """Return the fix for a Pulumi program; its cap is set in a file in its folder."""
    cap = cap_for_fix(rule_input.quote, "per_hour")
    return (
        f"write budget: {{per_hour: {cap}}} into check.yaml and "
        "pass --settings check.yaml; for a policy pack, into its configuration"
    )


RULE = Rule(
    id="no-cap",
    family="budget",
    title="A stack with GPUs or a budget has a cap per hour or per month",
    why="GPUs can cost in a week what an engineer costs in a year; a cap says how much is "
    "intended.",
    fix="add budget: {per_hour: …} or {per_month: …}",
    source="https://docs.aws.amazon.com/wellarchitected/latest/cost-optimization-pillar/",
    check=check,
    firm=True,
    path=("budget",),
    alone=True,
)

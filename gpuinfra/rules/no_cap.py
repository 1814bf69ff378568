"""Every stack with GPUs has a cap."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.clouds import provider_of
from gpuinfra.model import CLOUD_PLACED, Group
from gpuinfra.rules.budget import budget_keys_fix, cap_for_fix
from gpuinfra.rules.rule import Finding, Rule, RuleInput, fine, not_applicable, violated


def check(judged: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Check for a cap that covers all costs, per hour or per month.

    One per run binds training runs that have an end, and nothing else. Without a budget, a stack
    needs none as long as every part has a price and no GPU or booked machine is in it.
    """
    caps = judged.plan.caps
    named = {"hour": caps.per_hour, "run": caps.per_run, "month": caps.per_month}
    given = [span for span, cap in named.items() if cap is not None]
    fix = "" if judged.plan.from_file else _program_fix(judged)
    if not given and not _needs_cap(judged):
        words = "no budget, and no GPU, reservation or unpriced part that would need one"
        yield not_applicable(judged.plan.name, words)
    elif not given:
        yield violated(judged.plan.name, "no cap", fix=fix or _in_file(judged))
    elif given == ["run"]:
        words = "no cap per hour or per month; a cap per run limits training runs only"
        yield violated(judged.plan.name, words, fix=fix or _in_file(judged))
    else:
        yield fine(judged.plan.name, f"capped per {', '.join(given)}")


def _needs_cap(judged: RuleInput) -> bool:
    if judged.quote is None or judged.quote.unpriced:
        return True
    return any(_has_gpus(group) or _is_booked(group) for group in judged.plan.groups)


def _has_gpus(group: Group) -> bool:
    """Return whether machines of a group may have GPUs; a type that no table lists may."""
    cpu = provider_of(group.cloud).prices.cpu
    types = (*group.machines, *(rung.machine for rung in group.rungs))
    return not all(map(cpu.knows, types))


def _is_booked(group: Group) -> bool:
    return any(rung.capacity in CLOUD_PLACED for rung in group.rungs)


def _in_file(judged: RuleInput) -> str:
    return budget_keys_fix(judged.plan.caps, f"per_hour: {cap_for_fix(judged.quote, 'per_hour')}")


def _program_fix(judged: RuleInput) -> str:
    """Return the fix for a Pulumi program, whose cap is set in a file beside it."""
    return (
        f"write budget: {{per_hour: {cap_for_fix(judged.quote, 'per_hour')}}} into check.yaml and "
        "pass --settings check.yaml; for a policy pack, into its configuration"
    )


RULE = Rule(
    id="no-cap",
    family="budget",
    title="A stack with GPUs or a budget has a cap per hour or per month",
    why="GPUs can cost in a week what an engineer costs in a year; a cap says how much is "
    "intended.",
    fix="add budget: {per_hour: …} or per_month",
    source="https://docs.aws.amazon.com/wellarchitected/latest/cost-optimization-pillar/",
    check=check,
    firm=True,
    path=("budget",),
    alone=True,
)

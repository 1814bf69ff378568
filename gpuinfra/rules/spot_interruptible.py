"""Spot is used only where the work can be interrupted."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.model import Group
from gpuinfra.rules.rule import (
    FactMessages,
    Finding,
    Rule,
    RuleInput,
    fact,
    fine,
    not_applicable,
    settings_hint,
    with_program_fix,
)
from gpuinfra.rules.spot_machines import uses_spot

WORDS: Final = FactMessages(
    good="its work can be interrupted",
    bad="its work can't be interrupted, and the cloud may interrupt all its spot machines at once",
    unknown="it is unknown whether its work can be interrupted",
)


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each spot group without a stated purpose.

    spot-checkpoints judges training, and spot-only-pool what serves.
    """
    groups = [g for g in rule_input.plan.groups if uses_spot(g) and g.purpose == "unknown"]
    if not groups:
        yield not_applicable(rule_input.plan.name, "no spot group has an unknown purpose")
    for group in groups:
        yield with_program_fix(rule_input, _group(group), _fix(group.name))


def _group(group: Group) -> Finding:
    base = group.rung.on_demand_base
    if base > 0:
        return fine(group.subject, f"{base} of its machines can run without spot capacity")
    return fact(group.subject, group.needs.interruptible, WORDS)


def _fix(name: str) -> str:
    hint = settings_hint(name, "purpose: training, checkpoints: true")
    return f"keep some machines on demand; or write checkpoints and say so {hint}"


RULE = Rule(
    id="spot-interruptible",
    family="spot",
    title="Only interruptible work runs on spot",
    why=(
        "The cloud interrupts spot machines with two minutes' notice or less,"
        " often all of one type at once."
    ),
    fix=_fix("…"),
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-interruptions.html",
    check=check,
)

"""Training on spot writes checkpoints."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.model import EXAMPLE_SIZE, Group, Plan
from gpuinfra.rules.rule import (
    FactMessages,
    Finding,
    Rule,
    RuleInput,
    fact,
    not_applicable,
    settings_hint,
    with_program_fix,
)
from gpuinfra.rules.spot_machines import uses_spot

BUCKET: Final = "checkpoints"
"""The name of the bucket that a fix declares."""

CHECKPOINT_INTERVAL: Final = "10m"
CHECKPOINT_INTERVAL_HOURS: Final = Decimal(1) / 6
"""The checkpoint interval that a fix sets, also the minimum hours of the run."""


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each training group on spot."""
    groups = [g for g in rule_input.plan.groups if uses_spot(g) and g.purpose == "training"]
    if not groups:
        yield not_applicable(rule_input.plan.name, "no training on spot")
    messages = FactMessages(
        good="writes checkpoints",
        bad="it trains on spot without checkpoints: an interruption loses the run",
        unknown="it is unknown whether it writes checkpoints",
    )
    for group in groups:
        finding = fact(group.subject, group.needs.checkpoints, messages)
        if rule_input.plan.from_file and finding.outcome == "violated":
            finding = replace(finding, fix=_stack_file_fix(rule_input.plan, group))
        yield with_program_fix(rule_input, finding, _resource_fix(group.name))


def _stack_file_fix(plan: Plan, group: Group) -> str:
    """Return the keys to add to a stack file, with a bucket where its cloud has none of them."""
    names = {bucket.name for bucket in plan.buckets}
    cloud_buckets = [bucket.name for bucket in plan.buckets if bucket.cloud == group.cloud]
    bucket = (
        cloud_buckets[0]
        if cloud_buckets
        else BUCKET
        if BUCKET not in names
        else f"{group.name}-{BUCKET}"
    )
    interval_text = (
        ""
        if (group.needs.hours or 1) < CHECKPOINT_INTERVAL_HOURS
        else f", every: {CHECKPOINT_INTERVAL}"
    )
    fix = f"add to {group.subject}: checkpoints: {{bucket: {bucket}{interval_text}}}"
    if not cloud_buckets:
        declaration = f"{bucket}: {{size: {EXAMPLE_SIZE}}}"
        buckets_text = (
            f"buckets: {declaration}" if names else f"the file: buckets: {{{declaration}}}"
        )
        fix = f"{fix}; add to {buckets_text}"
    return f"{fix}; or train on demand: capacity: on-demand"


def _resource_fix(name: str) -> str:
    hint = settings_hint(name, "checkpoints: true")
    return f"write checkpoints to a bucket and say so {hint}; or train on demand"


RULE = Rule(
    id="spot-checkpoints",
    family="spot",
    title="Training on spot writes checkpoints",
    why="A run of several days that can't resume is lost at the first interruption.",
    fix=_resource_fix("…"),
    stack_file_fix="add checkpoints: {bucket: …, prefix: …, every: …}, or train on demand",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-interruptions.html",
    check=check,
)

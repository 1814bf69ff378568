"""GPU machines end at host maintenance where the cloud can't move them."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.rule import FactMessages, Finding, Rule, RuleInput, fact, not_applicable


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the groups of clouds that require GPU machines to end at host maintenance."""
    groups = [group for group in rule_input.plan.groups if group.lifecycle.maintenance is not None]
    if not groups:
        yield not_applicable(rule_input.plan.name, "this rule does not apply to its cloud")
    messages = FactMessages(
        good="host maintenance terminates it",
        bad="it is set to migrate live at host maintenance, and GPU machines can't",
        unknown="the host maintenance setting is unknown",
    )
    for group in groups:
        if group.lifecycle.maintenance is not None:
            yield fact(group.subject, group.lifecycle.maintenance, messages)


RULE = Rule(
    id="gpu-maintenance",
    family="fabric",
    title="GPU machines are set to terminate, not to migrate, at host maintenance",
    why="A machine with GPUs can't migrate live; Google Cloud refuses to create one that is "
    "set to migrate.",
    fix="set scheduling.onHostMaintenance to TERMINATE",
    source="https://cloud.google.com/compute/docs/instances/host-maintenance-overview",
    check=check,
    alone=True,
)

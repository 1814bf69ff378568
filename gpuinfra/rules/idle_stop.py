"""A development machine stops when it is idle."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds import provider_of
from gpuinfra.model import Group
from gpuinfra.rules.key_fix import with_key_fix
from gpuinfra.rules.rule import (
    FactMessages,
    Finding,
    Rule,
    RuleInput,
    as_note,
    each_group,
    fact,
    not_applicable,
)

WORDS: Final = FactMessages(
    good="an alarm or a schedule stops it when it is idle",
    bad="nothing stops it when it is idle",
    unknown="it is unknown whether anything stops it when it is idle",
)


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every development machine."""
    in_file = rule_input.plan.from_file
    return each_group(
        rule_input, lambda group: _judge_stack_file(group) if in_file else _group(group)
    )


def _judge_stack_file(group: Group) -> Finding:
    """Judge a development machine of a stack file; the fix adds a key, which needs a metric."""
    finding = _group(group)
    if finding.outcome != "violated":
        return finding
    provider = provider_of(group.cloud)
    for rung in group.rungs:
        machine = provider.machines.get(rung.machine)
        if machine is not None and not provider.accepts.measures_gpu_use(machine):
            return as_note(finding, f"no metric shows the GPU use of a {machine.type}")
    return with_key_fix(finding, group, "idle_stop", "{below: 5%, after: 30m}")


def _group(group: Group) -> Finding:
    if group.lifecycle.stops_idle is None:
        return not_applicable(group.subject, "not a development machine")
    return fact(group.subject, group.lifecycle.stops_idle, WORDS)


RULE = Rule(
    id="idle-stop",
    family="hygiene",
    title="Development machines have an idle stop",
    why="A development machine left on from Friday to Monday costs more than the week's work.",
    fix="add an idle stop",
    fix_by_cloud={
        "aws": "an alarm on GPU or CPU use that stops it",
        "gcp": "an instance schedule that stops it",
        "azure": "an auto-shutdown schedule",
    },
    stack_file_fix="add idle_stop to the workload, for example {below: 5%, after: 30m}; "
    "all_or_nothing: true keeps its disk",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/UsingAlarmActions.html",
    check=check,
    level="advisory",
)

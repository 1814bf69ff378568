"""A training run has a time limit."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.cost.run_hours import suggested_end
from gpuinfra.model import Group, Unknown
from gpuinfra.rules.key_fix import with_key_fix
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    RuleInput,
    fine,
    not_applicable,
    not_knowable,
    violated,
)
from gpuinfra.rules.workload_costs import WorkloadCosts
from gpuinfra.units import format_money


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each group that trains, or may train."""
    trains = [group for group in rule_input.plan.groups if group.purpose != "inference"]
    if not trains:
        yield not_applicable(rule_input.plan.name, "nothing trains")
    costs = None if rule_input.quote is None else WorkloadCosts(rule_input.plan, rule_input.quote)
    for group in trains:
        finding = _group(group, rule_input, costs)
        if rule_input.plan.from_file and finding.outcome == "violated":
            finding = with_key_fix(finding, group, "time_to_live", f"{suggested_end(group)}h")
        yield finding


def _group(group: Group, rule_input: RuleInput, costs: WorkloadCosts | None) -> Finding:
    if group.rung.capacity == "capacity-block":
        return fine(group.subject, "its machines end with their capacity block")
    if group.lifecycle.ends is True:
        return _end_finding(group)
    if rule_input.plan.from_file and group.lifecycle.stops_idle is True:
        return fine(group.subject, "it stops when it is idle")
    if isinstance(group.lifecycle.ends, Unknown):
        return not_knowable(group.subject, "its maximum runtime is unknown")
    if group.purpose == "unknown":
        return not_knowable(
            group.subject, "no maximum runtime, and it is unknown whether it trains"
        )
    reason = "no maximum runtime"
    if rule_input.plan.from_file and group.needs.hours is not None:
        duration = f"{group.needs.hours.normalize():f}h"
        reason = f"nothing ends it: duration: {duration} only counts in the quote"
    return violated(group.subject, f"{reason}; {_unlimited_cost_note(group, costs)}")


def _unlimited_cost_note(group: Group, costs: WorkloadCosts | None) -> str:
    """Return the cost of machines without an end, as far as it is known, as text."""
    cost = None if costs is None else costs.cost_of(group, "month")
    if cost is not None and cost.amount and not cost.missing:
        return f"if forgotten, its machines cost up to {format_money(cost.amount)} a month"
    return "a hung run keeps billing"


def _end_finding(group: Group) -> Finding:
    """Judge whether machines that end by themselves do so after their run."""
    hours, end = group.needs.hours, group.ends_after
    if hours is None or (end is not None and end >= hours):
        return fine(group.subject, "its runtime is limited")
    if end is None:
        run = f"its run of {hours.normalize():f} h"
        return not_knowable(group.subject, f"it is unknown whether it ends before {run} ends")
    ends = f"its machines end after {end.normalize():f} h, before its run of"
    return violated(group.subject, f"{ends} {hours.normalize():f} h ends")


RULE = Rule(
    id="time-limit",
    family="budget",
    title="Training has a maximum runtime",
    why="A run that hangs on a Friday is billed all weekend.",
    fix="set a time limit for the machines",
    fix_by_cloud={
        "aws": "add a schedule of the Auto Scaling group, or of EventBridge Scheduler",
        "gcp": "set scheduling.maxRunDuration of the machine or of its instance template, or add "
        "an instance schedule",
        "azure": "add an auto-shutdown schedule of the machine, or a timed autoscale profile that "
        "leaves no machine",
    },
    stack_file_fix="add time_to_live to the workload, a quarter longer than its duration: 30h for "
    "24h",
    source="https://docs.cloud.google.com/compute/docs/instances/limit-vm-runtime",
    check=check,
    level="advisory",
)

"""No run of a training workload costs more than the cap per run."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.model import Group
from gpuinfra.rules.budget import compare, exceeded_cap_fix, with_raised_cap
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    RuleInput,
    not_applicable,
    not_knowable,
    settings_hint,
    with_program_fix,
)

DURATION_FIX: Final = (
    "add what you plan for a month, for example duration: 8h and runs: 20, as in "
    "docs/tutorials/development-box.md, or remove the cap per run"
)
"""The fix for a development machine with a cap per run."""


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare the cost of each run with the cap; a run without a duration has no known end."""
    cap, subject = rule_input.plan.caps.per_run, rule_input.plan.name
    trains = [group for group in rule_input.plan.groups if group.purpose != "inference"]
    if cap is None or not trains:
        yield not_applicable(subject, "no cap per run" if cap is None else "nothing trains")
        return
    if rule_input.quote is None:
        yield not_knowable(subject, "no quote was made for this plan")
        return
    span = f"run for {rule_input.quote.run_cost_kinds}"
    runs_by_group = {run.group: run for run in rule_input.quote.runs}
    for group in trains:
        run = runs_by_group.get(group.name)
        if run is None:
            yield with_program_fix(rule_input, _no_duration_finding(group), _duration_of(group))
        else:
            finding = compare(group.subject, run.total, span, cap, rule_input.quote, group.name)
            yield with_raised_cap(
                finding,
                exceeded_cap_fix("per_run", rule_input.plan, (group,), rule_input.quote),
                "per_run",
                rule_input.quote,
            )


def _no_duration_finding(group: Group) -> Finding:
    """Return the finding of a group without a known duration.

    A development machine is told to state its planned hours of a month.
    """
    if group.purpose == "training" and group.lifecycle.stops_idle is not None:
        statement = "no duration, so it counts as a development machine, which has no run"
        return not_knowable(group.subject, statement, fix=DURATION_FIX)
    statement = "the duration is unknown" + (
        "" if group.purpose == "training" else ", and its purpose is unknown too"
    )
    return not_knowable(
        group.subject, statement, fix="set a duration for the workload, or remove the cap per run"
    )


def _duration_of(group: Group) -> str:
    """Return the fix for a group of resources without a known duration."""
    purpose = "" if group.purpose == "training" else "purpose: training, "
    return f"say how long it runs {settings_hint(group.name, f'{purpose}duration: 24h')}"


RULE = Rule(
    id="cap-per-run",
    family="budget",
    title="The cost of a training run stays within the cap",
    why="A run of several days is billed as a whole, however cheap one hour is.",
    fix=exceeded_cap_fix("per_run"),
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html",
    check=check,
    firm=True,
    alone=True,
)

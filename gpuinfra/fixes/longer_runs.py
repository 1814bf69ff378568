"""The duration of training runs on slower machines: the same work, at their speed."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from decimal import ROUND_CEILING, Decimal
from typing import Any, Final

from gpuinfra.cost import Quote, RunCost, Total
from gpuinfra.errors import InputError, Problem
from gpuinfra.fixes.fix import Edit, FindingKey
from gpuinfra.fixes.property_paths import value_at
from gpuinfra.fixes.tradeoffs import WorkloadRequest, WorkloadRequests, plan_requests
from gpuinfra.fixes.trials import KeptJudgement, TrialOutcome
from gpuinfra.model import Group, Plan
from gpuinfra.units import format_duration

_LONG_FACTOR: Final = Decimal(10)
"""From how many hours on a length is rounded up to full hours; a shorter one to minutes."""

_MINUTES: Final = Decimal(60)


def longer_runs(workloads: WorkloadRequests, plan: Plan) -> Mapping[str, Decimal]:
    """Return the hours of each run that takes longer than stated, by the workload's subject.

    By the GPUs' number and dense TFLOPS; what is not known of them changes nothing, and faster
    machines do not shorten a run: other things may limit it.
    """
    planned_request = plan_requests(plan)
    return {
        subject: hours
        for subject, request in workloads.items()
        if subject in planned_request
        and (hours := _hours(request, planned_request[subject])) is not None
    }


def unknown_runs(workloads: WorkloadRequests, plan: Plan) -> frozenset[str]:
    """Return the subjects of runs limited by time or cost whose speed is no longer known."""
    planned_request = plan_requests(plan)
    return frozenset(
        group.subject
        for group in plan.groups
        if (request := workloads.get(group.subject)) is not None
        and request.hours is not None
        and _total_speed(request) is not None
        and _total_speed(planned_request[group.subject]) is None
        and (plan.caps.per_run is not None or group.ends_after is not None)
    )


def _hours(request: WorkloadRequest, planned_request: WorkloadRequest) -> Decimal | None:
    earlier_speed, longer_speed = _total_speed(request), _total_speed(planned_request)
    if (
        request.hours is None
        or earlier_speed is None
        or not longer_speed
        or longer_speed >= earlier_speed
    ):
        return None
    hours = request.hours * earlier_speed / longer_speed
    if hours >= _LONG_FACTOR:
        return hours.to_integral_value(ROUND_CEILING)
    return (hours * _MINUTES).to_integral_value(ROUND_CEILING) / _MINUTES


def _total_speed(request: WorkloadRequest) -> Decimal | None:
    if request.gpus is None or request.tflops is None:
        return None
    return request.gpus * request.tflops


def duration_edits(
    workloads: WorkloadRequests, plan: Plan, value: Mapping[str, Any]
) -> tuple[Edit, ...]:
    """Return the edits that set longer durations for runs on slower machines.

    Raises:
        InputError: the machines end before their run does, or how long it takes is unknown.
    """
    longer, unknown = longer_runs(workloads, plan), unknown_runs(workloads, plan)
    problems = [
        Problem(path=(*_path(group), "time_to_live"), message="the machines end before their run")
        for group in plan.groups
        if group.subject in longer and _ends_before(group, longer[group.subject])
    ]
    problems += [
        Problem(path=(*_path(group), "duration"), message="how long the run takes is unknown")
        for group in plan.groups
        if group.subject in unknown
    ]
    if problems:
        raise InputError(problems)
    paths = {group.subject: (*_path(group), "duration") for group in plan.groups}
    return tuple(
        Edit(path=paths[subject], before=value_at(value, paths[subject]), after=shown_hours(hours))
        for subject, hours in longer.items()
    )


def shown_hours(hours: Decimal) -> str:
    """Return hours as a duration in a stack file."""
    return format_duration(timedelta(minutes=int(hours * _MINUTES)))


def _path(group: Group) -> tuple[str, ...]:
    return ("training", group.name)


def _ends_before(group: Group, hours: Decimal) -> bool:
    return group.ends_after is not None and group.ends_after < hours


def with_longer_runs(outcome: TrialOutcome, workloads: WorkloadRequests) -> TrialOutcome:
    """Return the outcome of resources on slower machines, with runs as long as they then take.

    Of a program, the duration is only said in the settings, which no edit changes.
    """
    judgement = outcome.judged
    if judgement is None:
        return outcome
    longer, unknown = (
        longer_runs(workloads, judgement.plan),
        unknown_runs(workloads, judgement.plan),
    )
    if not longer and not unknown:
        return outcome
    quote = _quote_with_longer_runs(judgement.quote, longer)
    ends = (("time-limit", subject) for subject in unknown)
    new_findings = frozenset((*_findings(judgement.plan, quote, longer), *ends))
    groups = (
        replace(group, needs=replace(group.needs, hours=longer[group.subject]))
        if group.subject in longer
        else group
        for group in judgement.plan.groups
    )
    plan = replace(judgement.plan, groups=tuple(groups))
    return replace(
        outcome,
        open_findings=outcome.open_findings | new_findings,
        refusing_findings=outcome.refusing_findings | new_findings,
        judged=KeptJudgement(plan=plan, quote=quote),
    )


def _findings(plan: Plan, quote: Quote, longer: Mapping[str, Decimal]) -> Iterator[FindingKey]:
    cap = plan.caps.per_run
    for run in quote.runs:
        if cap is not None and run.subject in longer and run.total.ceiling > cap:
            yield ("cap-per-run", run.subject)
    for group in plan.groups:
        if group.subject in longer and _ends_before(group, longer[group.subject]):
            yield ("time-limit", group.subject)


def _quote_with_longer_runs(quote: Quote, longer: Mapping[str, Decimal]) -> Quote:
    runs = tuple(_longer(run, longer.get(run.subject, run.hours)) for run in quote.runs)
    most = max((run.total for run in runs), key=lambda total: total.ceiling, default=None)
    return replace(quote, runs=runs, per_run=most)


def _longer(run_cost: RunCost, hours: Decimal) -> RunCost:
    if not run_cost.hours or hours == run_cost.hours:
        return run_cost
    times = hours / run_cost.hours
    total = run_cost.total
    grown = Total(
        ceiling=total.ceiling * times,
        active=total.active * times,
        expected=_multiplied(total.expected, times),
        minimum=_multiplied(total.minimum, times),
        expected_at_most=_multiplied(total.expected_at_most, times),
    )
    return replace(run_cost, hours=hours, total=grown)


def _multiplied(amount: Decimal | None, times: Decimal) -> Decimal | None:
    return None if amount is None else amount * times

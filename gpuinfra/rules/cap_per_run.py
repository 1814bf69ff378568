"""No run of a training workload costs more than the cap per run."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.cost import Quote, Run
from gpuinfra.model import Group
from gpuinfra.rules.budget import compare
from gpuinfra.rules.rule import Finding, Judged, Rule, not_applicable, not_knowable


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare each run with the cap; a run without a duration has no known end."""
    cap, subject = judged.plan.caps.per_run, judged.plan.name
    trains = [group for group in judged.plan.groups if group.purpose != "inference"]
    if cap is None or not trains:
        yield not_applicable(subject, "no cap per run" if cap is None else "nothing trains")
        return
    if judged.quote is None:
        yield not_knowable(subject, "nobody priced this plan")
        return
    for group in trains:
        run = _run(judged.quote, group)
        if run is None:
            yield _endless(group)
        else:
            yield compare(group.subject, run.total, "run", cap, judged.quote, group.name)


def _run(quote: Quote, group: Group) -> Run | None:
    return next((run for run in quote.runs if run.group == group.name), None)


def _endless(group: Group) -> Finding:
    words = "how long it runs is not known" + (
        "" if group.purpose == "training" else ", nor whether it trains"
    )
    return not_knowable(
        group.subject, words, fix="give the workload a duration, or leave the cap per run out"
    )


RULE = Rule(
    id="cap-per-run",
    family="budget",
    title="A run stays under the cap per run",
    why="A run of days is paid as a whole, whatever its hour costs.",
    fix="make the run smaller, cheaper or shorter, or raise budget.per_run",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html",
    check=check,
    firm=True,
    alone=True,
)

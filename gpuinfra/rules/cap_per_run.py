"""No run of a training workload costs more than the cap per run."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from gpuinfra.cost import Quote, Run
from gpuinfra.model import Group
from gpuinfra.rules.budget import BUDGET_PAGES, compare, raised
from gpuinfra.rules.rule import (
    Finding,
    Judged,
    Rule,
    not_applicable,
    not_knowable,
    stated,
    without_file,
)

FIX: Final = "use fewer or cheaper machines, or raise budget.per_run"


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare each run with the cap; a run without a duration has no known end."""
    cap, subject = judged.plan.caps.per_run, judged.plan.name
    trains = [group for group in judged.plan.groups if group.purpose != "inference"]
    if cap is None or not trains:
        yield not_applicable(subject, "no cap per run" if cap is None else "nothing trains")
        return
    if judged.quote is None:
        yield not_knowable(subject, "no quote was made for this plan")
        return
    for group in trains:
        run = _run(judged.quote, group)
        if run is None:
            yield without_file(judged, _endless(group), _duration_of(group))
        else:
            finding = compare(group.subject, run.total, "run", cap, judged.quote, group.name)
            yield raised(finding, FIX, _most(judged.quote), judged.quote)


def _run(quote: Quote, group: Group) -> Run | None:
    return next((run for run in quote.runs if run.group == group.name), None)


def _most(quote: Quote) -> Decimal:
    """What the most expensive run costs: the cap holds for each of them."""
    return max(run.total.ceiling for run in quote.runs)


def _endless(group: Group) -> Finding:
    words = "the duration is unknown" + (
        "" if group.purpose == "training" else ", and so is its purpose"
    )
    return not_knowable(
        group.subject, words, fix="set a duration for the workload, or remove the cap per run"
    )


def _duration_of(group: Group) -> str:
    """The same for resources, which show neither a duration nor always a purpose."""
    purpose = "" if group.purpose == "training" else "purpose: training, "
    return f"say how long it runs {stated(group.name, f'{purpose}duration: 24h')}"


RULE = Rule(
    id="cap-per-run",
    family="budget",
    title="The cost of a training run stays within the cap",
    why="A run of several days is billed as a whole, however cheap one hour is.",
    fix=FIX,
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-managing-costs.html",
    sources=BUDGET_PAGES,
    check=check,
    firm=True,
    alone=True,
)

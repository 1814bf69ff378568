"""Every stack has a cap."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.rule import Finding, Judged, Rule, fine, violated


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Look for a cap that all costs stand under: per hour or per month.

    One per run binds training runs that have an end, and nothing else.
    """
    caps = judged.plan.caps
    named = {"hour": caps.per_hour, "run": caps.per_run, "month": caps.per_month}
    given = [span for span, cap in named.items() if cap is not None]
    if not given:
        yield violated(judged.plan.name, "no cap")
    elif given == ["run"]:
        words = "no cap per hour or per month; a cap per run limits training runs only"
        yield violated(judged.plan.name, words)
    else:
        yield fine(judged.plan.name, f"capped per {', '.join(given)}")


RULE = Rule(
    id="no-cap",
    family="budget",
    title="A stack has a cap per hour or per month",
    why="GPUs can cost in a week what an engineer costs in a year; a cap says how much is "
    "intended.",
    fix="add budget: {per_hour: …} or per_month",
    source="https://docs.aws.amazon.com/wellarchitected/latest/cost-optimization-pillar/",
    check=check,
    firm=True,
    path=("budget",),
    alone=True,
)

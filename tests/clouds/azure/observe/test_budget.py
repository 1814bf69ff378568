"""Which budgets of Azure are the cloud's of a month."""

from typing import Any

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN
from tests.clouds.azure.observe.observed import program_of


def budget(token: str = "consumption:Budget", **changes: Any) -> Any:  # noqa: S107
    given = {"category": "Cost", "timeGrain": "Monthly", "amount": 500, **changes}
    return observe(program_of(token, **given).resources()).cloud_budget


def test_budgets_of_the_cloud():
    assert budget() == 500
    assert budget("costmanagement:Budget") == 500
    assert budget(amount=UNKNOWN) is UNKNOWN
    assert budget(timeGrain="Annually") is None
    assert budget("costmanagement:Budget", category="ReservationUtilization") is None
    assert observe([]).cloud_budget is None


def doubts(**changes: Any) -> list[str]:
    given = {"category": "Cost", "timeGrain": "Monthly", "amount": 500, **changes}
    seen = observe(program_of("consumption:Budget", **given).resources())
    return [doubt.reason for doubt in seen.budget_doubts]


def test_why_the_limit_of_a_budget_is_unknown():
    assert doubts() == []
    assert doubts(amount=UNKNOWN) == ["its amount is unknown"]
    assert doubts(filter=UNKNOWN) == ["whether it counts these machines is unknown"]

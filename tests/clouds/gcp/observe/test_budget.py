"""Budgets of Google Cloud: which of them are a month's, in dollars, of all that is spent."""

from decimal import Decimal

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import UNKNOWN
from tests.clouds.gcp.observe.observed import program_of
from tests.rules.cases.gcp_program import GcpProgram

MONEY = {"specifiedAmount": {"units": "1000", "nanos": 500_000_000, "currencyCode": "USD"}}
SPENT = {"creditTypesTreatment": "EXCLUDE_ALL_CREDITS"}
TELLS = {"thresholdRules": [{"thresholdPercent": 1.0}]}


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"amount": MONEY, "budgetFilter": SPENT}, Decimal("1000.5")),
        ({"amount": MONEY, "budgetFilter": {**SPENT, "calendarPeriod": "MONTH"}}, 1000.5),
        ({"amount": MONEY, "budgetFilter": {"calendarPeriod": "YEAR"}}, None),
        ({"amount": MONEY, "budgetFilter": {"services": ["services/x"]}}, None),
        ({"amount": MONEY, "budgetFilter": {"customPeriod": {"startDate": {}}}}, None),
        ({"amount": MONEY, "budgetFilter": {**SPENT, "labels": {"team": "other"}}}, None),
        ({"amount": MONEY, "budgetFilter": {**SPENT, "labels": {"team": "ours"}}}, 1000.5),
        ({"amount": MONEY, "budgetFilter": SPENT, "thresholdRules": []}, None),
        (
            {
                "amount": MONEY,
                "budgetFilter": SPENT,
                "thresholdRules": [],
                "allUpdatesRule": {"pubsubTopic": "t"},
            },
            1000.5,
        ),
        ({"amount": MONEY}, UNKNOWN),
        ({"amount": {"lastPeriodAmount": True}}, UNKNOWN),
        ({"amount": {"specifiedAmount": {"units": "5"}}}, UNKNOWN),
        ({"amount": {"specifiedAmount": {"units": "5", "currencyCode": "EUR"}}}, UNKNOWN),
        ({"amount": UNKNOWN}, UNKNOWN),
        ({"amount": MONEY, "budgetFilter": UNKNOWN}, UNKNOWN),
    ],
)
def test_a_budget_of_the_month_in_dollars_is_the_cloud_s(inputs, expected):
    program = program_of("billing/budget:Budget", **{**TELLS, **inputs})
    program.add("storage/bucket:Bucket", "data", labels={"team": "ours"})
    cloud_budget = observe(program.resources()).cloud_budget
    assert cloud_budget == expected


def test_the_smallest_budget_counts():
    program = GcpProgram()
    for units in ("500", "200"):
        amount = {"specifiedAmount": {"units": units, "currencyCode": "USD"}}
        program.add("billing/budget:Budget", units, amount=amount, budgetFilter=SPENT, **TELLS)
    assert observe(program.resources()).cloud_budget == Decimal(200)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"amount": MONEY, "budgetFilter": SPENT}, []),
        ({"amount": MONEY}, ["the budget counts costs after credits"]),
        ({"amount": MONEY, "budgetFilter": UNKNOWN}, ["whether it counts these machines is"]),
        (
            {"amount": {"lastPeriodAmount": True}, "budgetFilter": SPENT},
            ["its amount is unknown, or not stated in US dollars"],
        ),
    ],
)
def test_why_the_limit_of_a_budget_is_unknown(inputs, words):
    program = program_of("billing/budget:Budget", **TELLS, **inputs)
    doubts = [doubt.reason for doubt in observe(program.resources()).budget_doubts]

    assert len(doubts) == len(words)
    assert all(map(str.startswith, doubts, words))

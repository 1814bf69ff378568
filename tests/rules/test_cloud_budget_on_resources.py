"""The cloud's own budgets, on raw resources of strangers on three clouds."""

from decimal import Decimal

import pytest

from gpuinfra.model import UNKNOWN, Caps
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.program import Program
from tests.rules.cases.raw_machines import instance, machine, scaling


def aws_budget(*, tags: object = None, **inputs) -> Program:
    program = Program()
    scaling(program, region="us-east-1", tags=tags)
    whole = {"includeCredit": False, "includeRefund": False}
    given = {"budgetType": "COST", "timeUnit": "MONTHLY", "limitAmount": "100"}
    given |= {"costTypes": whole, **inputs}
    program.add("aws:budgets/budget:Budget", "month", limitUnit="USD", **given)
    return program


def azure_budget(group: object = None, *, tags: object = None, **inputs) -> Program:
    program = machine(resourceGroupName=group, tags=tags)
    given = {"category": "Cost", "timeGrain": "Monthly", "amount": 100, **inputs}
    program.add("azure-native:consumption:Budget", "month", **given)
    return program


def gcp_budget(*, labels: object = None, project: object = None, **inputs) -> Program:
    program = instance({"labels": labels, "project": project})
    dollars = {"specifiedAmount": {"units": "100", "currencyCode": "USD"}}
    filters = {"creditTypesTreatment": "EXCLUDE_ALL_CREDITS", **inputs.pop("budgetFilter", {})}
    program.add(
        "billing/budget:Budget",
        "month",
        billingAccount="b",
        amount=dollars,
        budgetFilter=filters,
        thresholdRules=[{"thresholdPercent": 1.0}],
        **inputs,
    )
    return program


def dimension(name: object) -> dict[str, object]:
    return {"dimensions": {"name": name, "operator": "In", "values": ["x"]}}


def passed(key: str, value: object, *, on: bool = True) -> dict[str, object]:
    return {"key": key, "value": value, "propagateAtLaunch": on}


SUBSCRIPTION = "/subscriptions/11111111-2222-3333-4444-555555555555"
MARKED = {"tags": {"name": "t", "operator": "In", "values": ["x"]}}
TAGGED = [{"name": "TagKeyValue", "values": ["user:x$y", "user:a$b"]}]
EC2 = "Amazon Elastic Compute Cloud - Compute"


@pytest.mark.parametrize(
    ("program", "cap", "outcome"),
    [
        (Program(), 100, "not-applicable"),
        (machine(), 100, "noted"),
        (aws_budget(), 100, "fine"),
        (aws_budget(), 99, "violated"),
        (aws_budget(limitAmount=UNKNOWN), 100, "not-knowable"),
        (aws_budget(timeUnit="DAILY"), 100, "noted"),
        (aws_budget(budgetType="USAGE"), 100, "noted"),
        (aws_budget(costFilters=TAGGED), 100, "noted"),
        (aws_budget(costFilters=TAGGED, tags=[passed("a", "b")]), 100, "fine"),
        (aws_budget(costFilters=TAGGED, tags=[passed("a", "c")]), 100, "noted"),
        (aws_budget(costFilters=TAGGED, tags=[passed("a", "b", on=False)]), 100, "noted"),
        (aws_budget(costFilters=TAGGED, tags=[passed("a", UNKNOWN)]), 100, "not-knowable"),
        (aws_budget(costFilters=TAGGED, tags=UNKNOWN), 100, "not-knowable"),
        (aws_budget(costFilters=[{"name": "Region", "values": ["us-east-1"]}]), 100, "fine"),
        (aws_budget(costFilters=[{"name": "Region", "values": ["eu-west-1"]}]), 100, "noted"),
        (
            aws_budget(costFilters=[{"name": "LinkedAccount", "values": ["1"]}]),
            100,
            "not-knowable",
        ),
        (aws_budget(costFilters=[{"name": "RecordType", "values": ["Tax"]}]), 100, "noted"),
        (aws_budget(costTypes=None), 100, "not-knowable"),
        (aws_budget(costTypes={"includeCredit": False}), 100, "not-knowable"),
        (aws_budget(costTypes={"includeRefund": False}), 100, "not-knowable"),
        (aws_budget(autoAdjustData={"autoAdjustType": "HISTORICAL"}), 100, "not-knowable"),
        (aws_budget(timePeriodEnd="2020-01-01_00:00"), 100, "noted"),
        (aws_budget(timePeriodStart="2090-01-01_00:00"), 100, "noted"),
        (aws_budget(timePeriodStart="2020-01-01_00:00"), 100, "fine"),
        (aws_budget(timePeriodStart=UNKNOWN), 100, "not-knowable"),
        (aws_budget(costFilters=[{"name": "Service", "values": ["AmazonS3"]}]), 100, "noted"),
        (aws_budget(costFilters=[{"name": "Service", "values": [EC2]}]), 100, "fine"),
        (aws_budget(costFilters=[{"name": "Service", "values": UNKNOWN}]), 100, "not-knowable"),
        (aws_budget(costFilters=[{"name": UNKNOWN}]), 100, "not-knowable"),
        (aws_budget(costFilters=[{"name": "UsageType", "values": ["x"]}]), 100, "noted"),
        (aws_budget(filterExpression={"dimensions": {}}), 100, "not-knowable"),
        (azure_budget(), 100, "fine"),
        (azure_budget(), 99, "violated"),
        (azure_budget(timeGrain="Quarterly"), 100, "noted"),
        (azure_budget(amount=UNKNOWN), 100, "not-knowable"),
        (azure_budget(filter=dimension("ResourceGroupName")), 100, "not-knowable"),
        (azure_budget("X", filter=dimension("ResourceGroupName")), 100, "fine"),
        (azure_budget("y", filter=dimension("ResourceGroupName")), 100, "noted"),
        (azure_budget(filter=dimension("SubscriptionId")), 100, "not-knowable"),
        (azure_budget("y", scope=f"{SUBSCRIPTION}/resourceGroups/x"), 100, "noted"),
        (azure_budget("y", scope=f"{SUBSCRIPTION}/resourceGroups/Y"), 100, "fine"),
        (azure_budget(scope=SUBSCRIPTION), 100, "fine"),
        (azure_budget(timePeriod={"endDate": "2020-01-01T00:00:00Z"}), 100, "noted"),
        (azure_budget(timePeriod={"startDate": "2090-01-01T00:00:00Z"}), 100, "noted"),
        (azure_budget(timePeriod={"startDate": "2020-01-01T00:00:00Z"}), 100, "fine"),
        (azure_budget(filter=dimension("ServiceName")), 100, "noted"),
        (azure_budget(filter=dimension(UNKNOWN)), 100, "not-knowable"),
        (azure_budget(filter=UNKNOWN), 100, "not-knowable"),
        (azure_budget(filter={"and": [dimension("MeterId")]}), 100, "noted"),
        (azure_budget(filter=MARKED), 100, "not-knowable"),
        (azure_budget(filter={"and": [MARKED]}), 100, "not-knowable"),
        (azure_budget(filter=MARKED, tags={"t": "x"}), 100, "fine"),
        (azure_budget(filter=MARKED, tags={"t": "y"}), 100, "noted"),
        (azure_budget(filter=MARKED, tags=UNKNOWN), 100, "not-knowable"),
        (gcp_budget(), 100, "fine"),
        (gcp_budget(), 99, "violated"),
        (gcp_budget(budgetFilter={"services": ["services/s3"]}), 100, "noted"),
        (gcp_budget(budgetFilter={"labels": {"a": "b"}}), 100, "noted"),
        (gcp_budget(budgetFilter={"labels": {"a": "b"}}, labels={"a": "b"}), 100, "fine"),
        (gcp_budget(budgetFilter={"labels": {"a": "b"}}, labels=UNKNOWN), 100, "not-knowable"),
        (gcp_budget(budgetFilter={"labels": UNKNOWN}), 100, "not-knowable"),
        (gcp_budget(budgetFilter={"projects": ["projects/a"]}), 100, "not-knowable"),
        (gcp_budget(budgetFilter={"projects": ["projects/a"]}, project="a"), 100, "fine"),
        (gcp_budget(budgetFilter={"projects": ["projects/a"]}, project="b"), 100, "noted"),
        (gcp_budget(budgetFilter={"projects": ["projects/1"]}, project="b"), 100, "not-knowable"),
    ],
)
def test_a_budget_of_the_cloud_s_own_on_resources(program, cap, outcome):
    judged = of_resources(program.resources(), caps=Caps(per_month=Decimal(cap)))
    assert outcomes(judged, "cloud-budget") == [outcome]


@pytest.mark.parametrize(
    ("inputs", "words", "fix"),
    [
        (
            {"costTypes": None},
            "the budget counts costs after credits and refunds",
            "costTypes.includeCredit",
        ),
        ({"limitAmount": UNKNOWN}, "its amount is unknown", "give the budget a fixed amount"),
        ({"costFilters": UNKNOWN}, "whether it counts these machines", "costFilters"),
    ],
)
def test_the_cause_of_an_unknown_limit_is_said_with_its_fix(inputs, words, fix):
    judged = of_resources(aws_budget(**inputs).resources())
    (finding,) = findings(judged, "cloud-budget")

    assert words in finding.message
    assert fix in finding.fix
    assert finding.message.count(" and ") == ("credits" in finding.message)

"""A plan of App Service pays for its workers, by size and operating system; an app does not."""

from decimal import Decimal

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.clouds.azure.provider import PROVIDER
from gpuinfra.model import UNKNOWN
from tests.clouds.azure.observe.observed import items, program_of, reasons

PLAN = "web:AppServicePlan"
B1 = {"sku": {"name": "B1", "tier": "Basic"}}


@pytest.mark.parametrize(
    ("inputs", "item", "workers"),
    [
        (B1, "app-service-b1", 1),
        ({**B1, "reserved": True}, "app-service-linux-b1", 1),
        ({"sku": {"name": "P1v3", "capacity": 3}}, "app-service-p1v3", 3),
        ({"sku": {"name": "S1", "capacity": UNKNOWN}}, "app-service-s1", UNKNOWN),
        ({"sku": {"name": "S1"}, "zoneRedundant": True}, "app-service-s1", UNKNOWN),
        ({"sku": {"name": "S1", "capacity": 3}, "zoneRedundant": True}, "app-service-s1", 3),
        (
            {
                "sku": {"name": "P0v3", "capacity": 1},
                "elasticScaleEnabled": True,
                "maximumElasticWorkerCount": 9,
            },
            "app-service-p0v3",
            9,
        ),
        (
            {"sku": {"name": "P0v3"}, "elasticScaleEnabled": True},
            "app-service-p0v3",
            UNKNOWN,
        ),
        ({"sku": {"name": "P0v3"}, "maximumElasticWorkerCount": 9}, "app-service-p0v3", 1),
    ],
)
def test_a_plan_pays_for_the_most_workers_that_it_may_have(inputs, item, workers):
    plan = program_of(PLAN, **inputs)

    assert items(plan) == [(item, "hour", workers, "eastus")]
    assert reasons(plan) == []


@pytest.mark.parametrize(
    "inputs",
    [
        {},
        {"sku": UNKNOWN},
        {"sku": {"name": "EP1"}},
        {"sku": {"name": "I1v2"}},
        {**B1, "reserved": UNKNOWN},
        {**B1, "hyperV": True},
        {**B1, "hostingEnvironmentProfile": {"id": "/x"}},
    ],
)
def test_a_plan_whose_workers_have_no_price_is_not_free(inputs):
    plan = program_of(PLAN, **inputs)

    assert items(plan) == []
    assert [row.may_start_machines for row in observe(plan.resources()).not_judged] == [True]


@pytest.mark.parametrize("size", ["F1", "Y1"])
def test_a_free_plan_costs_nothing(size):
    (row,) = observe(program_of(PLAN, sku={"name": size}).resources()).not_judged

    assert not row.may_start_machines
    assert row.hourly_maximum == 0


def test_prices_differ_by_operating_system_and_region():
    def price(item, region):
        return [row.per_unit for row in PROVIDER.prices.rows(item, region, "list")]

    assert price("app-service-b1", "eastus") == [Decimal("0.075")]
    assert price("app-service-linux-b1", "eastus") == [Decimal("0.017")]
    assert price("app-service-linux-p1v3", "westeurope") == [Decimal("0.178")]
    assert price("app-service-linux-b1", "westeurope") == []
    assert PROVIDER.prices.token("app-service-b1") == f"azure-native:{PLAN}"

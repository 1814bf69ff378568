from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from tests.components.azure import workloads
from tests.components.mocked.azure import SUBSCRIPTION


@pytest.fixture
def capped(record: Callable[..., Any]) -> Callable[..., Any]:
    now = "2026-11-21T08:00:00+00:00"
    return lambda **caps: record(partial(workloads.budget, now, **caps), clouds=("azure-native",))


def test_budget_is_the_golden_one(capped: Callable[..., Any], golden: Any) -> None:
    seen = capped(per_month=Decimal(40000), notify=("ml-platform@example.com",))

    golden("azure-budget", seen.golden())


def test_it_counts_the_stacks_tag_in_the_subscription(capped: Callable[..., Any]) -> None:
    made = capped(per_month=Decimal("40000.50")).of("llama-budget").inputs

    assert made["scope"] == f"/subscriptions/{SUBSCRIPTION}"
    assert made["amount"] == 40000.5
    assert made["filter"] == {
        "tags": {"name": "gpuinfra:stack", "operator": "In", "values": ["llama"]}
    }


def test_its_start_is_the_first_of_the_month_and_never_moves(capped: Callable[..., Any]) -> None:
    seen = capped(per_month=Decimal(1))
    (pin,) = [resource for resource in seen.resources if resource.type == "pulumi:index:Stash"]

    assert seen.of("llama-budget").inputs["timePeriod"] == {"startDate": "2026-11-01T00:00:00Z"}
    assert pin.inputs == {"input": "2026-11-01T00:00:00Z"}
    assert pin.options == {"ignoreChanges": ["input"]}


def test_without_anybody_to_tell_there_are_no_notices(capped: Callable[..., Any]) -> None:
    assert not capped(per_month=Decimal(1)).of("llama-budget").inputs.get("notifications")


def test_without_a_cap_there_is_no_budget(capped: Callable[..., Any]) -> None:
    assert capped(per_hour=Decimal(1)).resources == []

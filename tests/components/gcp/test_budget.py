from decimal import Decimal
from typing import Any

import pulumi
import pytest

from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.clouds.declaring.budget_only_guards import ROOT_KEY
from gpuinfra.clouds.gcp.declare import declare_budget
from gpuinfra.components.register import register
from gpuinfra.errors import InputError
from gpuinfra.graph import ResourceGraph
from gpuinfra.model import Caps

ORDER = BuildSpec(name="llama", stack="llama", owner="ml-platform", region="us-central1")
ACCOUNT = "01ABCD-234567-89EF01"


class Root(pulumi.ComponentResource):
    """Stands where the root component stands."""

    def __init__(self) -> None:
        super().__init__("tests:index:Root", "llama")


def budget(**caps: Any) -> Any:
    limits = Caps(**{"per_month": Decimal("40000.50"), "billing_account": ACCOUNT, **caps})

    def program() -> None:
        graph = ResourceGraph()
        declare_budget(ORDER, limits, graph)
        register(graph, {ROOT_KEY: Root()}, {})

    return program


def test_budget_is_the_golden_one(record, golden) -> None:
    golden("gcp-budget", record(budget(notify=("ml-platform@example.com",))).golden())


def test_it_counts_the_stacks_month_before_credits(record) -> None:
    made = record(budget()).of("llama-budget").inputs

    assert made["amount"]["specifiedAmount"] == {
        "currencyCode": "USD",
        "units": "40000",
        "nanos": 500_000_000,
    }
    assert made["budgetFilter"] == {
        "calendarPeriod": "MONTH",
        "creditTypesTreatment": "EXCLUDE_ALL_CREDITS",
        "labels": {"gpuinfra-stack": "llama"},
    }
    assert [threshold_rule["thresholdPercent"] for threshold_rule in made["thresholdRules"]] == [
        0.8,
        1,
        1,
    ]
    assert "allUpdatesRule" not in made


def test_each_receiver_is_a_channel_of_its_own_name(record) -> None:
    mails = ("a@example.com", "b@example.com")
    seen = record(budget(notify=mails))
    turned = record(budget(notify=mails[::-1]))
    channels = {
        resource.inputs["labels"]["email_address"]: resource
        for resource in seen.resources
        if resource.type.endswith(":NotificationChannel")
    }
    told = seen.of("llama-budget").inputs["allUpdatesRule"]["monitoringNotificationChannels"]

    assert all(
        channel.inputs["userLabels"]["gpuinfra-stack"] == "llama" for channel in channels.values()
    )
    assert told == [channels[mail].outputs["id"] for mail in mails]
    assert turned.names() == seen.names()


def test_without_a_monthly_cap_there_is_none(record) -> None:
    assert [resource.name for resource in record(budget(per_month=None)).resources] == ["llama"]


def test_without_a_billing_account_it_says_that_there_is_none(record, monkeypatch) -> None:
    messages: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", lambda message, *_: messages.append(message))
    seen = record(budget(billing_account=None))

    assert [resource.name for resource in seen.resources] == ["llama"]
    assert len(messages) == 1
    assert (
        "the monthly cap gets no budget in Google Cloud, because no billing account is named"
        in messages[0]
    )


def test_more_receivers_than_a_budget_tells_are_refused(record) -> None:
    mails = tuple(f"{name}@example.com" for name in "abcdef")

    with pytest.raises(InputError) as caught:
        record(budget(notify=mails))
    assert "at most 5" in caught.value.problems[0].allowed

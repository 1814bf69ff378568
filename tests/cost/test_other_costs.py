"""What has no price, is free, or is left out: named, and never counted as zero."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, NotJudged
from tests.cost.plans import LIST, group, item, plan, quoted


def test_of_what_nobody_knows_how_much_nor_at_what_price_nothing_is_refused() -> None:
    quote = quoted(plan(items=(item("nat-gateway-data", None, region="cn-north-1"),)))

    assert quote.unpriced == ()
    assert [(line.status, line.rate, line.per_hour) for line in quote.rates] == [
        ("rate", None, None)
    ]
    assert "cn-north-1" in quote.rates[0].note


def test_a_quantity_that_nobody_knows_prints_its_rate_outside_the_totals() -> None:
    quote = quoted(plan(items=(item("nat-gateway-data", None, region="us-east-1"),)))

    assert [(line.status, line.rate, line.unit) for line in quote.rates] == [
        ("rate", Decimal("0.045"), "GB")
    ]
    assert quote.per_hour.ceiling == 0
    assert quote.unpriced == ()


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ({"items": (item("nat-gateway-hour", Decimal(1), region="cn-north-1"),)}, "cn-north-1"),
        ({"items": (item("nat-gateway-hour", UNKNOWN, region="us-east-1"),)}, "not known yet"),
        ({"items": (item("nat-gateway-data", Decimal(9), region="us-east-1"),)}, "per GB"),
        ({"items": (item("warp-drive", Decimal(1), region="us-east-1"),)}, "warp-drive"),
        (
            {
                "not_judged": (
                    NotJudged(subject="u", type="aws:rds/instance:Instance", reason="x"),
                )
            },
            "no price is known: x",
        ),
        (
            {
                "not_judged": (
                    NotJudged(
                        subject="u",
                        type="t",
                        reason="no price is known for a log volume",
                        lacks_price=True,
                    ),
                )
            },
            "u: no price is known for a log volume",
        ),
    ],
)
def test_what_has_no_price_is_named_and_never_zero(rows: dict[str, Any], words: str) -> None:
    quote = quoted(plan(**rows))

    assert len(quote.unpriced) == 1
    assert words in quote.unpriced[0]
    assert quote.per_hour.expected is None


def test_an_unknown_number_of_machines_is_unpriced() -> None:
    disk = item("ebs-gp3-storage", Decimal(1), group="a", per_machine=True)
    quote = quoted(plan(group("a", LIST, minimum=UNKNOWN, maximum=UNKNOWN), items=(disk,)))

    assert len(quote.unpriced) == 2
    assert all("not known yet" in message for message in quote.unpriced)


def test_a_price_in_another_currency_is_no_price() -> None:
    quote = quoted(plan(group("a", replace(LIST, machine="p3.2xlarge", region="cn-north-1"))))

    assert "p3.2xlarge in cn-north-1" in quote.unpriced[0]


def test_a_free_row_is_free() -> None:
    free = NotJudged(subject="u", type="aws:ec2/vpc:Vpc", reason="", by_type=True)
    (line,) = quoted(plan(not_judged=(free,))).lines

    assert line.status == "free"
    assert line.source


def test_a_free_row_says_nothing_of_what_the_inputs_start() -> None:
    target = NotJudged(
        subject="u", type="aws:cloudwatch/eventTarget:EventTarget", reason="it runs an automation"
    )
    quote = quoted(plan(not_judged=(target,)))

    assert [line.status for line in quote.lines] == ["unpriced"]
    assert "it runs an automation" in quote.unpriced[0]


def test_what_the_user_leaves_out_is_not_counted_and_told() -> None:
    odd = NotJudged(subject="u", type="aws:rds/instance:Instance", reason="")
    nat = item("nat-gateway-hour", Decimal(1), region="cn-north-1")
    left_out = ("aws:rds/instance:Instance", "aws:ec2/natGateway:NatGateway")
    quote = quoted(plan(not_judged=(odd,), items=(nat,)), not_counted=left_out)

    assert quote.unpriced == ()
    assert {line.status for line in quote.lines} == {"not-counted"}
    assert any("aws:rds/instance:Instance" in warning for warning in quote.warnings)


def test_the_way_out_names_the_type_to_leave_out() -> None:
    nat = item("nat-gateway-hour", Decimal(1), region="cn-north-1")

    (words,) = quoted(plan(items=(nat,))).unpriced

    assert words.startswith("nat-gateway-hour: no price for nat-gateway-hour in cn-north-1")
    assert "(prices: {not_counted: [aws:ec2/natGateway:NatGateway]} would exclude it)" in words


@pytest.mark.parametrize(
    "type_", ["kubernetes:core/v1:PersistentVolumeClaim", "gcp:cloudrun/service:Service"]
)
def test_the_way_out_names_the_type_of_the_resource_that_costs_it(type_: str) -> None:
    urn = f"urn:pulumi:dev::shop::my:index:Part${type_}::one"
    nat = replace(item("nat-gateway-hour", Decimal(1), region="cn-north-1"), resource=urn)

    (words,) = quoted(plan(items=(nat,))).unpriced
    assert f"(prices: {{not_counted: [{type_}]}} would exclude it)" in words
    for left_out in (type_, "aws:ec2/natGateway:NatGateway"):
        quote = quoted(plan(items=(nat,)), not_counted=(left_out,))
        assert (quote.unpriced, quote.lines[0].status) == ((), "not-counted")

    part = quoted(plan(items=(replace(nat, group="trainer"),)))
    assert "[aws:ec2/natGateway:NatGateway]" in part.unpriced[0]


def test_what_has_a_price_can_not_be_left_out() -> None:
    nat = item("nat-gateway-hour", Decimal(1), region="us-east-1")
    quote = quoted(plan(items=(nat,)), not_counted=("aws:ec2/natGateway:NatGateway",))

    assert quote.per_hour.ceiling == Decimal("0.045")

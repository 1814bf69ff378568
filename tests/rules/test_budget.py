import re
from decimal import Decimal

import pytest

from gpuinfra.model import UNKNOWN, Caps, Item, NotJudged
from gpuinfra.rules import judge
from tests.rules.cases.judging import TODAY, findings, group, outcomes, plan

P5 = Decimal("55.04")


def hour(cap: str) -> Caps:
    return Caps(per_hour=Decimal(cap))


def test_a_cap_holds_to_the_cent():
    four = group(minimum=4, maximum=4)
    assert outcomes(plan(four, caps=hour("220.16")), "cap-per-hour") == ["fine"]
    (finding,) = findings(plan(four, caps=hour("220.15")), "cap-per-hour")
    assert finding.outcome == "violated"
    assert "up to $220.16 per hour, above the cap of $220.15" in finding.message
    assert "no way to buy" not in finding.message


def test_a_month_has_730_hours_or_those_until_its_end():
    caps = Caps(per_month=P5 * 730)
    assert outcomes(plan(group(), caps=caps), "cap-per-month") == ["fine"]
    less = Caps(per_month=P5 * 730 - 1)
    assert outcomes(plan(group(), caps=less), "cap-per-month") == ["violated"]
    assert outcomes(plan(group(hours=Decimal(72)), caps=less), "cap-per-month") == ["violated"]
    assert outcomes(plan(group(ends_after=Decimal(72)), caps=less), "cap-per-month") == ["fine"]


def test_a_run_has_its_duration():
    caps = Caps(per_run=P5 * 72)
    assert outcomes(plan(group(hours=Decimal(72)), caps=caps), "cap-per-run") == ["fine"]
    (finding,) = findings(plan(group(hours=Decimal(73)), caps=caps), "cap-per-run")
    assert (finding.outcome, finding.subject) == ("violated", "training.trainer")
    (finding,) = findings(plan(group(), caps=caps), "cap-per-run")
    assert finding.outcome == "not-knowable"
    assert "duration" in finding.fix
    pool = group(purpose="inference", name="chat")
    assert outcomes(plan(pool, caps=caps), "cap-per-run") == ["not-applicable"]
    assert outcomes(plan(group(purpose="unknown"), caps=caps), "cap-per-run") == ["not-knowable"]


@pytest.mark.parametrize("rule", ["cap-per-hour", "cap-per-month", "cap-per-run"])
def test_a_cap_that_nobody_set_does_not_apply(rule):
    assert outcomes(plan(group(), caps=Caps()), rule) == ["not-applicable"]


def test_no_cap_at_all_is_violated():
    assert outcomes(plan(group(), caps=Caps()), "no-cap") == ["violated"]


@pytest.mark.parametrize(
    ("spans", "outcome"),
    [
        (("per_run",), "violated"),
        (("per_hour",), "fine"),
        (("per_month",), "fine"),
        (("per_run", "per_month"), "fine"),
    ],
)
def test_a_cap_that_not_all_costs_stand_under_is_none(spans, outcome):
    caps = Caps(**dict.fromkeys(spans, Decimal(1)))
    for judged in (group(), group(purpose="inference", name="chat")):
        assert outcomes(plan(judged, caps=caps), "no-cap") == [outcome]


@pytest.mark.parametrize(
    "unpriced",
    [
        {"groups": (group("p9.48xlarge"),)},
        {"groups": (group(region="unknown"),)},
        {"groups": (group(maximum=UNKNOWN),)},
        {"not_judged": (NotJudged(subject="u", type="aws:rds/instance:Instance", reason="r"),)},
    ],
    ids=["machine", "region", "count", "type"],
)
def test_what_has_no_price_fails_closed(unpriced):
    groups = unpriced.pop("groups", ())
    judged = plan(*groups, caps=hour("1000"), **unpriced)
    assert outcomes(judged, "price-unknown") == ["violated"]
    assert outcomes(judged, "cap-per-hour") == ["not-knowable"]


@pytest.mark.parametrize(
    ("entry", "outcome"),
    [
        ("aws:rds/*", "fine"),
        ("aws:rds/instance:Instance", "fine"),
        ("aws:rds/cluster:Cluster", "violated"),
        ("aws:rd/*", "violated"),
        ("aws:rds:*", "violated"),
        ("aws:redshift/*", "violated"),
    ],
)
def test_a_service_may_be_left_out_of_the_caps(entry, outcome):
    database = NotJudged(subject="u", type="aws:rds/instance:Instance", reason="no table has it")
    stack = plan(not_judged=(database,))
    assert outcomes(stack, "price-unknown", not_counted=(entry,)) == [outcome]


def test_a_type_that_is_not_counted_is_let_through():
    missing = NotJudged(subject="u", type="aws:rds/instance:Instance", reason="r")
    judged = plan(not_judged=(missing,))
    counted = {"not_counted": ("aws:rds/instance:Instance",)}
    assert outcomes(judged, "price-unknown", **counted) == ["fine"]


def test_an_unknown_part_never_hides_a_known_excess():
    judged = plan(group(), group("p9.48xlarge", name="other"), caps=hour("50"))
    assert outcomes(judged, "cap-per-hour") == ["violated"]


def test_what_has_only_a_rate_is_named_in_every_verdict():
    data = Item(
        name="out",
        subject="u",
        kind="network",
        cloud="aws",
        item="nat-gateway-data",
        unit="GB",
        quantity=None,
        region="us-east-1",
    )
    for cap in ("1000", "1"):
        judged = plan(group(), caps=hour(cap), items=(data,))
        (finding,) = findings(judged, "cap-per-hour")
        assert "usage-based, not counted: nat-gateway-data of out" in finding.message


@pytest.mark.parametrize(
    ("caps", "message"),
    [
        (hour("110.07"), "up to $110.08 per hour if they had doubled, above the cap of $110.07"),
        (Caps(per_month=P5 * 1459), "per month if they had doubled"),
        (Caps(per_hour=P5 * 4, per_run=P5 * 19), "per run if they had doubled"),
    ],
)
def test_outdated_prices_refuse_where_a_cap_would_not_hold_had_they_doubled(caps, message):
    (finding,) = findings(
        plan(group(hours=Decimal(10)) if caps.per_run else group(), caps=caps),
        "price-outdated",
        outdated_after_days=5,
    )

    assert (finding.outcome, finding.level) == ("violated", "mandatory")
    assert message in finding.message


@pytest.mark.parametrize(
    "caps", [hour("110.08"), hour("50"), Caps(), Caps(per_hour=P5 * 2, per_run=P5 * 20)]
)
def test_outdated_prices_warn_where_they_change_no_verdict(caps):
    judged = plan(group(hours=Decimal(10)), caps=caps)
    (finding,) = findings(judged, "price-outdated", outdated_after_days=5)

    assert (finding.outcome, finding.level) == ("violated", "advisory")
    assert not finding.refuses
    assert re.search(r"; they make \$[\d,.]+ of \$[\d,.]+ a month$", finding.message)


def test_only_the_outdated_part_is_doubled():
    old = Item(
        name="disk",
        subject="u",
        kind="disk",
        cloud="aws",
        item="ebs-io2-iops-tier1",
        unit="IOPS-month",
        quantity=Decimal(730),
        region="us-east-1",
    )
    for cap, level in (("55.17", "advisory"), ("55.169", "mandatory")):
        (finding,) = findings(plan(group(), caps=hour(cap), items=(old,)), "price-outdated")
        assert finding.level == level


def test_outdated_prices_refuse_until_they_are_accepted():
    judged = plan(group(), caps=hour("100"))
    assert outcomes(judged, "price-outdated") == ["fine"]
    assert outcomes(judged, "price-outdated", outdated_after_days=5) == ["violated"]
    accepted = {"outdated_after_days": 5, "accept_outdated": True}
    (finding,) = findings(judged, "price-outdated", **accepted)
    assert finding.outcome == "fine"
    assert "2026-07-20), accepted" in finding.message


def test_without_a_quote_money_is_not_knowable():
    caps = Caps(per_hour=Decimal(1), per_run=Decimal(1), per_month=Decimal(1))
    verdict = judge(plan(group(), caps=caps), None, {}, (), TODAY)
    unknown = {finding.rule for finding in verdict.findings if finding.outcome == "not-knowable"}
    money = {"cap-per-hour", "cap-per-month", "cap-per-run", "price-unknown", "price-outdated"}
    assert money <= unknown


def test_what_has_no_price_is_named_by_its_subject():
    known, other = group(), group("p9.48xlarge", name="other", subject="training.other")
    (finding,) = findings(plan(known, other), "price-unknown")
    assert finding.subject == "training.other"
    assert "p9.48xlarge" in finding.message


def test_a_run_names_only_its_own_rates():
    caps = Caps(per_run=Decimal(10_000))
    rates = [
        Item(
            name=name,
            subject=name,
            kind="network",
            cloud="aws",
            item="nat-gateway-data",
            unit="GB",
            quantity=None,
            region="us-east-1",
            group=name,
        )
        for name in ("trainer", "other")
    ]
    other = group(name="other", purpose="inference")
    judged = plan(group(hours=Decimal(1)), other, caps=caps, items=tuple(rates))
    (finding,) = findings(judged, "cap-per-run")
    assert finding.message.endswith("usage-based, not counted: nat-gateway-data of trainer")

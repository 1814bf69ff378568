"""The quote of a plan, in exact decimals."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.cost import PricingTerms, Quote, estimate, plan_on_active_rungs
from gpuinfra.cost.breakdown import costs_beside_run
from gpuinfra.model import (
    UNKNOWN,
    Caps,
    Group,
    GroupLifecycle,
    Item,
    NotJudged,
    Plan,
    Rung,
)
from tests.rules.cases.grouped import grouped

TODAY = date(2026, 11, 21)
GIB_PRICE = Decimal("0.08")
NO_CAPS = Caps()

SPOT = Rung(
    capacity="spot",
    machine="p5.48xlarge",
    region="us-east-1",
    zones=("us-east-1a",),
    max_price=Decimal(40),
    spot_share_above_base=Decimal(1),
)
LIST = replace(SPOT, capacity="on-demand", max_price=None, spot_share_above_base=Decimal(0))
POOL = Rung(
    capacity="spot",
    machine="g6.xlarge",
    region="us-east-1",
    zones=("us-east-1a", "us-east-1b"),
    on_demand_base=1,
    spot_share_above_base=Decimal(1),
)


def group(name: str = "trainer", *rungs: Rung, **more: Any) -> Group:
    given = {
        "name": name,
        "subject": f"training.{name}",
        "purpose": "training",
        "cloud": "aws",
        "rungs": rungs or (SPOT, LIST),
        "minimum": 4,
        "maximum": 4,
        "hours": Decimal(72),
    }
    return grouped(**{**given, **more})


def pool(**more: Any) -> Group:
    given = {"purpose": "inference", "minimum": 1, "maximum": 20, "hours": None}
    return group("chat", POOL, **{**given, **more})


def item(key: str, quantity: Any, **more: Any) -> Item:
    given = {
        "name": key,
        "subject": key,
        "kind": "disk",
        "cloud": "aws",
        "item": key,
        "unit": "hour",
        "quantity": quantity,
    }
    return Item(**{**given, **more})


def plan(*groups: Group, caps: Caps = NO_CAPS, **more: Any) -> Plan:
    return Plan(name="s", owner="o", caps=caps, groups=groups, **more)


def quoted(of: Plan, **more: Any) -> Quote:
    return estimate(of, PricingTerms(as_of=TODAY, **more))


def test_the_example_of_the_design_to_the_cent() -> None:
    quote = quoted(plan(group(), pool()))
    spot, on_demand, _ = quote.rungs

    assert (spot.machines_per_hour, spot.machines_per_run) == (Decimal(160), Decimal(11520))
    assert on_demand.machines_per_hour == Decimal("220.16")
    assert on_demand.machines_per_run == Decimal("15851.52")
    assert quote.per_hour.ceiling == Decimal("236.256")
    assert quote.per_hour.standing == Decimal("176.096")
    assert quote.standing == {"trainer": 0, "chat": 0}


def test_the_sum_of_the_lines_is_what_stands() -> None:
    disk = item("ebs-gp3-storage", Decimal(187), group="trainer", per_machine=True)
    nat = item("nat-gateway-hour", Decimal(1), group="trainer")
    quote = quoted(plan(group(), pool(), items=(disk, nat)))

    assert sum(line.per_hour or 0 for line in quote.lines) == quote.per_hour.standing
    assert sum(line.per_month or 0 for line in quote.lines) == quote.per_month.standing


def ended(after: int, **more: Any) -> Group:
    return group("a", LIST, hours=Decimal(24), ends_after=Decimal(after), **more)


def test_a_month_has_730_hours_whatever_a_run_takes() -> None:
    months = {
        quoted(plan(group("a", LIST, hours=hours))).per_month.ceiling
        for hours in (Decimal(72), Decimal(2000), None)
    }

    assert months == {Decimal("220.16") * 730}


def test_a_month_ends_with_what_ends_the_machines() -> None:
    quote = quoted(plan(ended(400)))

    assert quote.per_month.ceiling == Decimal("220.16") * 400
    assert quote.per_month.expected == quote.per_run.ceiling == Decimal("220.16") * 24
    assert quoted(plan(ended(1000))).per_month.ceiling == Decimal("220.16") * 730


def test_a_disk_that_a_stopped_machine_keeps_costs_the_whole_month() -> None:
    disk = item("ebs-gp3-storage", Decimal(730), group="a", per_machine=True)
    kept = replace(disk, kept_when_stopped=True)
    ended_month = quoted(plan(ended(73), items=(disk,))).per_month.ceiling
    stopped_month = quoted(plan(ended(73), items=(kept,))).per_month

    assert stopped_month.ceiling - ended_month == Decimal("0.08") * 730 * 4 * Decimal("0.9")
    assert stopped_month.expected == Decimal("220.16") * 24 + Decimal("0.08") * 730 * 4


def test_a_month_has_730_hours_where_resources_show_that_nothing_ends_it() -> None:
    quote = quoted(plan(ended(400, lifecycle=GroupLifecycle(ends=False))))

    assert quote.per_month.ceiling == Decimal("220.16") * 730


@pytest.mark.parametrize(("hours", "paid"), [(10, "3986.688"), (96, "19933.44")])
def test_a_capacity_block_is_paid_to_its_end(hours: int, paid: str) -> None:
    block = replace(LIST, capacity="capacity-block", reservation="cr-1")
    quote = quoted(plan(group("a", block, hours=Decimal(hours))))

    assert quote.per_run.ceiling == quote.per_month.ceiling == Decimal(paid)
    assert quote.per_month.expected == Decimal(paid)


def test_a_reservation_is_paid_all_month() -> None:
    reserved = replace(LIST, reserve=True)
    quote = quoted(plan(group("a", reserved, hours=Decimal(72))))

    assert quote.per_run.ceiling == Decimal("220.16") * 72
    assert quote.per_month.ceiling == quote.per_month.expected == Decimal("220.16") * 730


def test_what_was_paid_beforehand_counts_for_each_hour_of_a_month() -> None:
    row = CATALOG.on_demand("aws", "p5.48xlarge", "us-east-1")
    assert row is not None
    own = replace(row, per_unit=Decimal(4), prepaid=Decimal("0.75"), origin="user", as_of="")
    quote = quoted(plan(ended(100)), prices=PriceBook([own]))

    assert quote.per_run.ceiling == 4 * 4 * 24
    assert quote.per_month.ceiling == 4 * (3 * 730 + 1 * 100)
    assert quote.per_month.expected == 4 * (3 * 730 + 1 * 24)


def test_storage_counts_by_the_hour_for_the_month_and_for_the_run() -> None:
    disk = item("ebs-gp3-storage", Decimal(730), group="a", per_machine=True)
    quote = quoted(plan(group("a", LIST), items=(disk,)))
    (line,) = [line for line in quote.lines if line.item == "ebs-gp3-storage"]

    assert line.quantity == 4 * 730
    assert line.per_hour == 4 * GIB_PRICE
    assert line.per_month == 4 * GIB_PRICE * 730
    assert line.per_run == 4 * GIB_PRICE * 72
    assert quote.per_run is not None
    assert quote.per_run.ceiling == Decimal("15851.52") + 4 * GIB_PRICE * 72


def test_of_what_nobody_knows_how_much_nor_at_what_price_nothing_is_refused() -> None:
    quote = quoted(plan(items=(item("nat-gateway-data", None, region="cn-north-1"),)))

    assert quote.unpriced == ()
    assert [(line.status, line.rate, line.per_hour) for line in quote.rates] == [
        ("rate", None, None)
    ]
    assert "cn-north-1" in quote.rates[0].note


def test_what_is_used_up_in_a_month_costs_its_share_of_an_hour() -> None:
    requests = item("s3-standard-put", Decimal(73_000), region="us-east-1", monthly=True)
    (line,) = quoted(plan(items=(requests,))).lines

    assert (line.status, line.quantity, line.unit) == ("priced", 73_000, "1k-requests")
    assert line.per_month == Decimal("365.00")
    assert line.per_hour == Decimal("0.5")
    assert line.per_run is None


def test_a_pool_costs_the_least_at_its_minimum_at_the_same_prices() -> None:
    disk = item("ebs-gp3-storage", Decimal(730), group="chat", per_machine=True)
    quote = quoted(plan(group(), pool(minimum=2), items=(disk,)))

    two = 2 * (Decimal("0.8048") + GIB_PRICE)
    assert quote.per_hour.minimum == Decimal("220.16") + two
    assert quote.per_month.minimum == 730 * (Decimal("220.16") + two)
    assert quote.per_run is not None
    assert quote.per_run.minimum == quote.per_run.ceiling == Decimal("15851.52")


@given(least=st.integers(0, 30), more=st.integers(0, 30), base=st.integers(0, 30))
def test_the_minimum_is_never_above_the_ceiling(least: int, more: int, base: int) -> None:
    rung = replace(POOL, on_demand_base=base, spot_share_above_base=Decimal("0.7"))
    quote = quoted(plan(pool(rungs=(rung,), minimum=least, maximum=least + more)))

    assert quote.per_hour.minimum is not None
    assert quote.per_hour.minimum <= quote.per_hour.ceiling
    if not more:
        assert quote.per_hour.minimum == quote.per_hour.ceiling


def test_a_minimum_that_is_not_known_yet_is_no_number() -> None:
    assert quoted(plan(pool(minimum=UNKNOWN))).per_hour.minimum is None


def test_what_stays_when_the_run_is_over_counts_for_the_whole_month_and_for_no_run() -> None:
    nat = item("nat-gateway-hour", Decimal(1), group="a")
    (line,) = [line for line in quoted(plan(group("a", LIST), items=(nat,))).lines if line.rate and
               line.item == "nat-gateway-hour"]  # fmt: skip

    assert (line.per_month, line.per_run) == (Decimal("0.045") * 730, None)


def test_what_a_run_leaves_out_is_told_for_its_hours_without_what_belongs_to_others() -> None:
    own = item("nat-gateway-hour", Decimal(1), group="a")
    shared = item("public-ipv4-hour", Decimal(2), region="us-east-1")
    disk = item("ebs-gp3-storage", Decimal(730), group="a", per_machine=True)
    others = item("nat-gateway-hour", Decimal(1), group="chat")
    quote = quoted(plan(group("a", LIST), pool(), items=(own, shared, disk, others)))

    (run,) = quote.runs
    beside = costs_beside_run(quote, run)
    assert beside.amount == (Decimal("0.045") + 2 * Decimal("0.005")) * 72
    assert run.total.ceiling == Decimal("15851.52") + 4 * GIB_PRICE * 72


def test_a_pool_is_counted_at_its_maximum_base_and_rest_apart() -> None:
    lines = quoted(plan(pool())).lines

    assert [(line.kind, line.quantity, line.per_hour) for line in lines] == [
        ("on-demand", 1, Decimal("0.8048")),
        ("spot", 19, Decimal("0.8048") * 19),
    ]


def test_a_spot_rung_without_a_maximum_counts_at_the_on_demand_price() -> None:
    rung = quoted(plan(group("a", replace(SPOT, max_price=None)))).rungs[0]

    assert rung.node_rate == Decimal("55.04")


def test_machines_of_several_types_count_as_the_dearest() -> None:
    mixed = group("a", LIST, machines=("p4d.24xlarge", "p5.48xlarge"))

    assert quoted(plan(mixed)).rungs[0].node_rate == Decimal("55.04")


def test_a_share_that_gives_no_whole_machines_is_rounded_to_the_dearer_side() -> None:
    half = replace(POOL, spot_share_above_base=Decimal("0.5"), on_demand_base=0)
    cheap = replace(half, max_price=Decimal("0.1"))
    dear = replace(half, max_price=Decimal(2))

    assert quoted(plan(pool(rungs=(cheap,), maximum=3))).per_hour.ceiling == Decimal(
        "0.8048"
    ) * 2 + Decimal("0.1")
    assert quoted(plan(pool(rungs=(dear,), maximum=3))).per_hour.ceiling == Decimal("4.8048")


def test_each_run_is_judged_alone_and_the_dearest_is_shown() -> None:
    quote = quoted(plan(group("a", LIST), group("b", LIST, hours=Decimal(10))))

    assert [run.total.ceiling for run in quote.runs] == [Decimal("15851.52"), Decimal("2201.6")]
    assert quote.per_run is not None
    assert quote.per_run.ceiling == Decimal("15851.52")


def test_without_a_duration_there_is_no_run() -> None:
    quote = quoted(plan(pool()))

    assert quote.per_run is None
    assert quote.runs == ()


def test_expected_takes_todays_spot_and_says_of_when() -> None:
    rung = replace(SPOT, machine="p4d.24xlarge", max_price=None)
    (line,) = quoted(plan(group("a", rung))).lines

    assert line.expected_per_hour == 4 * Decimal("13.9933")
    assert line.expected_as_of == "2026-01-21/2026-05-22"
    assert line.expected_at_most_per_hour is None
    assert line.as_of == "2026-07-20"


def test_a_stale_spot_price_stands_in_no_expected_figure() -> None:
    quote = quoted(plan(group("a", replace(SPOT, machine="g6.xlarge", max_price=None))))

    assert quote.per_hour.ceiling == 4 * Decimal("0.8048")
    assert quote.per_hour.expected is None
    assert quote.per_hour.expected_at_most == 4 * Decimal("0.8048")
    assert any("dated 2025-04-24" in warning for warning in quote.warnings)


def test_a_spot_price_goes_stale_a_year_after_its_day() -> None:
    rung = replace(SPOT, machine="p4d.24xlarge", max_price=None)
    known, stale = (
        estimate(plan(group("a", rung)), PricingTerms(as_of=day)).per_hour
        for day in (date(2027, 1, 21), date(2027, 1, 22))
    )

    assert (known.expected, known.expected_at_most) == (4 * Decimal("13.9933"), None)
    assert (stale.expected, stale.expected_at_most) == (None, stale.ceiling)


def test_expected_counts_a_pool_at_its_least_and_says_so() -> None:
    rung = replace(POOL, machine="p4d.24xlarge")
    listed, spot = Decimal("21.957642"), Decimal("13.9933")
    quote = quoted(plan(pool(rungs=(rung,), minimum=2)))

    assert quote.per_hour.expected == listed + spot
    assert "expected figures count chat at its minimum of 2" in quote.warnings
    more = quoted(plan(pool(rungs=(rung,), expected=Decimal(11))))
    assert more.per_hour.expected == listed + 10 * spot


def test_expected_never_exceeds_the_maximum_price_and_a_higher_spot_price_is_told() -> None:
    quote = quoted(plan(group("a", SPOT)))

    assert quote.per_hour.expected == Decimal(160)
    assert any("above max_price 40" in warning for warning in quote.warnings)


def test_a_spot_price_that_nobody_knows_leaves_the_expected_total_unknown() -> None:
    rung = replace(SPOT, machine="g4dn.xlarge", region="af-south-1", max_price=Decimal("0.5"))
    quote = quoted(plan(group("a", rung)))

    assert quote.per_hour.ceiling == 2
    assert quote.per_hour.expected is None


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
    assert "not_counted: [aws:ec2/natGateway:NatGateway]" in words


def test_what_has_a_price_can_not_be_left_out() -> None:
    nat = item("nat-gateway-hour", Decimal(1), region="us-east-1")
    quote = quoted(plan(items=(nat,)), not_counted=("aws:ec2/natGateway:NatGateway",))

    assert quote.per_hour.ceiling == Decimal("0.045")


class TestAge:
    def test_a_list_price_is_outdated_by_its_earliest_day(self) -> None:
        of = plan(group("a", LIST))

        assert quoted(of).outdated == ()
        late = estimate(of, PricingTerms(as_of=date(2027, 8, 25)))
        assert [line.item for line in late.outdated] == ["p5.48xlarge"]
        assert estimate(of, PricingTerms(as_of=date(2027, 8, 24))).outdated == ()
        assert estimate(of, PricingTerms(as_of=TODAY, outdated_after_days=100)).outdated != ()

    def test_a_maximum_price_of_the_users_own_has_no_age(self) -> None:
        late = estimate(plan(group("a", SPOT)), PricingTerms(as_of=date(2040, 1, 1)))

        assert late.outdated == ()
        assert late.oldest == ""

    def test_a_struck_rung_does_not_count(self) -> None:
        caps = Caps(per_hour=Decimal(200))
        late = estimate(plan(group(), caps=caps), PricingTerms(as_of=date(2040, 1, 1)))

        assert late.outdated == ()

    def test_accepting_it_makes_a_counted_warning(self) -> None:
        nat = item("ebs-io2-iops-tier1", Decimal(1), region="us-east-1")
        caps = Caps(per_month=Decimal("0.1"))
        refused = quoted(plan(items=(nat,), caps=caps))
        accepted = quoted(plan(items=(nat,), caps=caps), accept_outdated=True)
        harmless = quoted(plan(items=(nat,)))

        assert refused.warnings == ()
        words = "1 list price is older than 400 days, the oldest of 2024-07-01; "
        assert accepted.warnings == (f"{words}accepted (prices: accept_outdated)",)
        assert harmless.warnings == (f"{words}no cap would be exceeded if they had doubled",)
        assert accepted.oldest == "2024-07-01"

    @pytest.mark.parametrize(
        ("day", "outdated"),
        [("2026-11-19", False), ("2026-11-22", False), ("2026-11-23", True), ("", True)],
    )
    def test_a_price_of_a_day_to_come_or_of_none_is_outdated(
        self, day: str, outdated: bool
    ) -> None:
        listed = CATALOG.on_demand("aws", "p5.48xlarge", "us-east-1")
        assert listed is not None
        book = PriceBook([replace(listed, as_of=day, origin="lock")])
        quote = estimate(
            plan(group("a", LIST)), PricingTerms(as_of=date(2026, 11, 21), prices=book)
        )

        assert bool(quote.outdated) is outdated

    def test_an_undated_price_is_outdated(self) -> None:
        nat = CATALOG.service("aws", "nat-gateway-hour", "us-east-1")
        assert nat is not None
        book = PriceBook([replace(nat, as_of="undated")])
        used = plan(items=(item("nat-gateway-hour", Decimal(1), region="us-east-1"),))
        quote = estimate(used, PricingTerms(as_of=TODAY, prices=book))

        assert len(quote.outdated) == 1
        assert quote.oldest == "undated"


@given(
    st.integers(0, 30),
    st.integers(1, 30),
    st.sampled_from([None, Decimal("0.1"), Decimal(3)]),
)
def test_the_ceiling_of_a_pool_is_never_below_any_way_to_fill_it(
    base: int, maximum: int, max_price: Decimal | None
) -> None:
    rung = replace(POOL, on_demand_base=base, max_price=max_price)
    ceiling = quoted(plan(pool(rungs=(rung,), maximum=maximum))).per_hour.ceiling
    price = Decimal("0.8048")
    spot = price if max_price is None else max_price

    for machines in range(1, maximum + 1):
        on_demand = min(machines, base)
        assert on_demand * price + (machines - on_demand) * spot <= ceiling


def test_standing_moves_groups_to_the_rungs_of_the_quote() -> None:
    of = plan(group("a", replace(LIST, region="eu-west-3"), LIST))
    quote = quoted(of)

    assert quote.standing == {"a": 1}
    assert plan_on_active_rungs(of, quote).groups[0].rung.capacity == "on-demand"

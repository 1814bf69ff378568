"""The quote of a plan's runs and pools, in exact decimals."""

from dataclasses import replace
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.cost import plan_on_active_rungs
from gpuinfra.model import UNKNOWN
from tests.cost.plans import GIB_PRICE, LIST, POOL, SPOT, group, item, plan, pool, quoted


def test_the_example_of_the_design_to_the_cent() -> None:
    quote = quoted(plan(group(), pool()))
    spot, on_demand, _ = quote.rungs

    assert (spot.machines_per_hour, spot.machines_per_run) == (Decimal(160), Decimal(11520))
    assert on_demand.machines_per_hour == Decimal("220.16")
    assert on_demand.machines_per_run == Decimal("15851.52")
    assert quote.per_hour.ceiling == Decimal("236.256")
    assert quote.per_hour.active == Decimal("176.096")
    assert quote.active_rungs == {"trainer": 0, "chat": 0}


def test_the_sum_of_the_lines_is_what_stands() -> None:
    disk = item("ebs-gp3-storage", Decimal(187), group="trainer", per_machine=True)
    nat = item("nat-gateway-hour", Decimal(1), group="trainer")
    quote = quoted(plan(group(), pool(), items=(disk, nat)))

    assert sum(line.per_hour or 0 for line in quote.lines) == quote.per_hour.active
    assert sum(line.per_month or 0 for line in quote.lines) == quote.per_month.active


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

    assert quote.active_rungs == {"a": 1}
    assert plan_on_active_rungs(of, quote).groups[0].rung.capacity == "on-demand"

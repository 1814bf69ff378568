"""A user's own prices come before the tables', marked as theirs."""

import json
from datetime import date
from decimal import Decimal

import pytest

from gpuinfra.catalog import CATALOG
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.model import Plan, Rung
from tests.rules.cases.grouped import grouped

P5 = ("aws", "p5.48xlarge", "us-east-1")
PRIVATE = "prices: [{cloud: aws, machine: p5.48xlarge, region: us-east-1, per_hour: 31.5}]"


def plan_of(*machines: tuple[str, int]) -> Plan:
    """A plan of workloads with so many p5.48xlarge on demand, or as the base of a pool."""
    groups = tuple(
        grouped(
            name=f"w{index}",
            subject=f"training.w{index}",
            purpose="training",
            cloud="aws",
            rungs=(
                Rung(
                    capacity=capacity,
                    machine="p5.48xlarge",
                    region="us-east-1",
                    zones=(),
                    on_demand_base=count if capacity == "spot" else 0,
                ),
            ),
            minimum=count,
            maximum=count,
        )
        for index, (capacity, count) in enumerate(machines)
    )
    return Plan(name="s", owner=None, caps=None, groups=groups)


def test_an_own_price_comes_before_the_tables_and_names_its_line(own):
    book = own(f"{PRIVATE[:-2]}, note: private offer}}]").price_book()
    price = book.on_demand(*P5)
    machine = priced_cloud_of("aws").machines.get("p5.48xlarge")

    assert (price.per_unit, price.origin) == (Decimal("31.5"), "user")
    assert price.source == "yours: prices.yaml:2 (private offer)"
    assert book.own_price(machine, "us-east-1", "on-demand") == price
    assert book.own_price(machine, "us-east-2", "on-demand") is None
    assert book.on_demand("aws", "p5.48xlarge", "us-east-2") == CATALOG.on_demand(
        "aws", "p5.48xlarge", "us-east-2"
    )


def test_what_was_paid_beforehand_counts_over_its_term_and_is_said(own):
    book = own(
        "prices: [{cloud: aws, machine: p3.2xlarge, region: us-east-1,"
        " paid: 12088.80, term: 365d, basis: reserved-1y}]"
    ).price_book()
    price = book.on_demand("aws", "p3.2xlarge", "us-east-1")

    assert price.per_unit == Decimal("1.38")
    assert "$12,088.80 paid for 365d are $1.38 an hour, used or not" in price.remark


def test_a_part_that_is_paid_beforehand_adds_to_the_hour(own):
    book = own(
        "prices: [{cloud: aws, machine: p3.2xlarge, region: us-east-1,"
        " paid: 8760, term: 365d, per_hour: 0.5}]"
    ).price_book()

    assert book.on_demand("aws", "p3.2xlarge", "us-east-1").per_unit == Decimal("1.5")


def test_an_effective_rate_is_rounded_up_never_down(own):
    book = own(
        "prices: [{cloud: aws, machine: p3.2xlarge, region: us-east-1, paid: 100, term: 3h}]"
    ).price_book()

    assert book.on_demand("aws", "p3.2xlarge", "us-east-1").per_unit == Decimal("33.333333333334")


def test_a_discount_is_taken_off_what_it_names_and_the_row_keeps_its_date(own):
    book = own(
        "discounts: [{cloud: aws, off: 12%, machines: [p5.48xlarge], regions: [us-east-1]}]"
    ).price_book()
    listed, less = CATALOG.on_demand(*P5), book.on_demand(*P5)

    assert less.per_unit == listed.per_unit * Decimal("0.88")
    assert (less.as_of, less.origin) == (listed.as_of, "user")
    assert less.source == f"yours: prices.yaml:2: 12% off {listed.source}"
    for other in (("p5.48xlarge", "us-east-2"), ("p4d.24xlarge", "us-east-1")):
        assert book.on_demand("aws", *other) == CATALOG.on_demand("aws", *other)


def test_a_discount_on_services_leaves_machines_alone(own):
    book = own("discounts: [{cloud: aws, off: 10%, modes: [services]}]").price_book()
    nat = ("aws", "nat-gateway-hour", "us-east-1")

    assert book.service(*nat).per_unit == CATALOG.service(*nat).per_unit * Decimal("0.9")
    assert book.on_demand(*P5) == CATALOG.on_demand(*P5)


def test_of_several_discounts_the_first_that_fits_counts(own):
    book = own(
        "discounts:\n"
        "  - {cloud: aws, off: 20%, machines: [p5.48xlarge]}\n"
        "  - {cloud: aws, off: 10%}"
    ).price_book()

    assert book.on_demand(*P5).per_unit == CATALOG.on_demand(*P5).per_unit * Decimal("0.8")


def test_a_discount_does_not_touch_an_own_price(own):
    assert own(f"{PRIVATE}\ndiscounts: [{{cloud: aws, off: 50%}}]").price_book().on_demand(
        *P5
    ).per_unit == Decimal("31.5")


def test_the_ceiling_of_spot_stays_the_public_price(own):
    book = own(PRIVATE).price_book()

    assert book.spot_ceiling(*P5) == CATALOG.on_demand(*P5)


def test_a_service_is_priced_in_the_unit_of_its_list_price(own):
    book = own(
        "services: [{cloud: aws, item: nat-gateway-hour, region: eu-west-1, per_unit: 0.05}]"
    ).price_book()
    price = book.service("aws", "nat-gateway-hour", "eu-west-1")

    assert (price.per_unit, price.unit) == (Decimal("0.05"), "hour")


def test_another_currency_counts_by_its_rate_and_says_so(own):
    text = f"currency: EUR\n{PRIVATE}"
    without, with_rate = (
        own(text).price_book(),
        own(f"{text}\nexchange_rates: {{EUR: 1.10}}").price_book(),
    )

    assert without.on_demand(*P5) is None
    assert without.why_unpriced(*P5, "on-demand") == (
        "p5.48xlarge in us-east-1 costs 31.50 EUR per hour, and no exchange rate is "
        "set: add exchange_rates: {EUR: …} under prices, with the US dollars per EUR"
    )
    price = with_rate.on_demand(*P5)
    assert (price.per_unit, price.currency) == (Decimal("34.65"), "USD")
    assert price.remark == "p5.48xlarge in us-east-1: 31.50 EUR per hour at $1.10 each"


def test_a_rate_of_the_stack_file_comes_before_that_of_the_prices(own):
    read = own(
        "exchange_rates: {EUR: 1.10, CNY: 0.14}\n"
        "prices: [{cloud: aws, machine: p5.48xlarge, region: us-east-1, per_hour: 10,"
        " currency: EUR}]"
    )
    book = read.price_book(exchange_rates={"EUR": Decimal("1.25")})

    assert book.rates == {"EUR": Decimal("1.25"), "CNY": Decimal("0.14")}
    assert book.on_demand("aws", "p5.48xlarge", "us-east-1").per_unit == Decimal("12.5")


@pytest.mark.parametrize("mode", ["savings-3y", "committed-1y", "subscription-1mo"])
def test_a_commitment_of_any_kind_has_a_price_on_any_cloud(own, mode):
    row = f"cloud: aws, machine: p5.48xlarge, region: us-east-1, per_hour: 20, mode: {mode}"
    book = own(f"prices: [{{{row}}}]").price_book()

    assert book.list_price("aws", "p5.48xlarge", "us-east-1", mode).per_unit == 20


def test_what_ended_no_longer_counts_and_a_note_says_so(own):
    prices = own(f"{PRIVATE[:-2]}, until: 2026-06-30}}]")

    assert prices.price_book(date(2026, 6, 30)).on_demand(*P5).origin == "user"
    assert prices.notes(date(2026, 6, 30)) == ()
    assert prices.price_book(date(2026, 7, 1)).on_demand(*P5) == CATALOG.on_demand(*P5)
    (note,) = prices.notes(date(2026, 7, 1))
    assert note == "prices.yaml:2 ended on 2026-06-30 and no longer applies"


def test_an_ended_discount_no_longer_counts(own):
    prices = own("discounts: [{cloud: aws, off: 10%, until: 2026-06-30}]")

    assert prices.price_book(date(2026, 7, 1)).on_demand(*P5) == CATALOG.on_demand(*P5)
    assert len(prices.notes(date(2026, 7, 1))) == 1


def test_hardware_is_a_machine_of_the_cloud_own(own):
    book = own(
        "hardware: {dgx: {gpu: V100-32GB:8, region: berlin, per_hour: 6.1, memory: 512GiB}}"
    ).price_book()
    (machine,) = book.machines

    assert (machine.cloud, machine.type, machine.gpu_count) == ("own", "dgx", 8)
    assert (machine.gpu_memory_nominal_gb, machine.memory_gib) == (32, 512)
    assert machine.nvlink_domain is None
    assert book.on_demand("own", "dgx", "berlin").per_unit == Decimal("6.1")
    assert book.own_price(machine, "berlin", "on-demand").source == "yours: prices.yaml:2"
    assert book.rows("own", "dgx", "paris", "on-demand") == ()


def test_a_row_is_refused_for_more_machines_than_it_covers(own):
    prices = own(f"{PRIVATE[:-2]}, covers: 4}}]")

    assert prices.uncovered_problems(plan_of(("on-demand", 4))) == ()
    assert prices.uncovered_problems(plan_of(("spot", 4))) == ()
    for plan in (plan_of(("on-demand", 5)), plan_of(("on-demand", 3), ("spot", 2))):
        (problem,) = prices.uncovered_problems(plan)
        assert problem.message == (
            "prices.yaml:2 covers 4 × p5.48xlarge, and the stack may have 5"
        )
        assert problem.position.line == 2


def test_a_row_of_a_lock_comes_before_an_own_one(own):
    book = own(PRIVATE).price_book()
    locked = book.overridden_by([CATALOG.on_demand(*P5)])

    assert locked.on_demand(*P5) == CATALOG.on_demand(*P5)


def test_nvlink_joins_all_of_an_own_machine_or_none(own):
    first = "gpu: V100-32GB:8, region: berlin, per_hour: 6.1"
    machines = (
        own(f"hardware: {{a: {{{first}, nvlink: true}}, b: {{{first}, nvlink: false}}}}")
        .price_book()
        .machines
    )

    assert [machine.nvlink_domain for machine in machines] == [8, 1]


def test_a_price_of_reserved_machines_is_theirs_and_covers_so_many(own):
    mine = own(f"{PRIVATE[:-2]}, mode: reserved, covers: 2}}]")
    price = mine.price_book().list_price(*P5, "reserved")

    assert (price.per_unit, price.origin, price.remark) == (Decimal("31.5"), "user", "")
    assert mine.unused_prices(plan_of(("reserved", 2))) == ()
    assert mine.uncovered_problems(plan_of(("reserved", 2))) == ()
    assert len(mine.uncovered_problems(plan_of(("reserved", 3)))) == 1
    assert len(mine.unused_prices(plan_of(("on-demand", 2)))) == 1


def test_without_one_reserved_machines_cost_what_theirs_on_demand_do(own):
    mine = own(f"{PRIVATE[:-2]}, covers: 2}}]")
    price = mine.price_book().list_price(*P5, "reserved")

    assert (price.per_unit, price.origin, price.mode) == (Decimal("31.5"), "user", "reserved")
    assert "counts at the on-demand rate" in price.remark
    assert mine.unused_prices(plan_of(("reserved", 2))) == ()
    assert len(mine.uncovered_problems(plan_of(("reserved", 3)))) == 1


def p5(**more: object) -> str:
    row = {"cloud": "aws", "machine": "p5.48xlarge", "region": "us-east-1", **more}
    return f"prices: [{json.dumps(row)}]"


NAT = "{cloud: aws, item: nat-gateway-hour, region: us-east-1, per_unit: 45}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (p5(per_hour=0.01), "$0.01 for p5.48xlarge in us-east-1 is far from the list price"),
        (p5(per_hour=3150), "$3,150.00"),
        (p5(per_hour=0.5, mode="reserved-1y"), "$0.50"),
        (p5(per_hour=220, currency="CNY") + "\nexchange_rates: {CNY: 0.0007}", "the currency"),
        (f"services: [{NAT}]", "$45.00 for nat-gateway-hour"),
        ("discounts: [{cloud: aws, off: 99%}]", "99% off the list price: check the share"),
        (PRIVATE, ""),
        (p5(per_hour=11, mode="spot"), ""),
        ("discounts: [{cloud: aws, off: 60%}]", ""),
        (p5(per_hour=0.01, machine="m6i.large"), ""),
    ],
)
def test_a_price_that_can_hardly_be_meant_is_told(own, text, words):
    notes = own(text).notes(date(2026, 11, 23))

    assert any(words in note for note in notes) if words else notes == ()

"""A program carries to the packs what its prices are, and nothing that the tables have."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.crossguard.settings import pack_settings, program_settings
from gpuinfra.errors import InputError
from gpuinfra.model import Caps, Item, Plan, Price, Rung, SharedNetwork
from gpuinfra.price_overrides.price_inputs import needed_price_inputs, only_dearer
from tests.price_overrides.rows import carried_row
from tests.rules.cases.grouped import grouped

P5 = ("aws", "p5.48xlarge", "us-east-1")


def plan(capacity: str = "on-demand") -> Plan:
    rung = Rung(capacity=capacity, machine="p5.48xlarge", region="us-east-1", zones=())
    group = grouped(
        name="t", subject="training.t", purpose="training", cloud="aws", rungs=(rung,), maximum=2
    )
    nat = Item(
        name="n",
        subject="training.t",
        kind="NAT gateway",
        cloud="aws",
        item="nat-gateway-hour",
        unit="hour",
        quantity=Decimal(1),
        group="t",
    )
    return Plan(name="s", owner=None, caps=Caps(), groups=(group,), items=(nat,))


def told(inputs: list[dict[str, object]]) -> PriceBook:
    """The book of a pack that is shown these rows."""
    settings = pack_settings({}).stricter(program_settings({"ownPrices": inputs}))
    return PriceBook(settings.price_rows)


def test_the_tables_are_not_carried():
    assert needed_price_inputs(plan(), CATALOG) == []
    assert needed_price_inputs(plan("spot"), PriceBook(rates={"CNY": Decimal("0.14")})) == []


def test_a_pack_reads_the_prices_that_a_plan_needs(own):
    book = own(
        "exchange_rates: {EUR: 1.1}\n"
        "discounts: [{cloud: aws, off: 12%, modes: [services]}]\n"
        "prices:\n"
        "  - {cloud: aws, machine: p5.48xlarge, region: us-east-1, per_hour: 30, currency: EUR,"
        " tiers: [{after: 720h, per_hour: 25}]}\n"
        "  - {cloud: aws, machine: p4d.24xlarge, region: us-east-1, per_hour: 1}\n"
    ).price_book()
    shown = needed_price_inputs(plan(), book)
    packs = told(shown)

    assert [row["item"] for row in shown] == ["p5.48xlarge", "nat-gateway-hour"]
    assert packs.on_demand(*P5) == book.on_demand(*P5)
    nat = ("aws", "nat-gateway-hour", "us-east-1")
    assert packs.service(*nat).per_unit == book.service(*nat).per_unit


def test_a_price_of_what_the_stack_uses_up_is_carried(own):
    item = "data-transfer-out-internet-first-10tb"
    book = own(
        f"services: [{{cloud: aws, item: {item}, region: us-east-1, per_unit: 0.05}}]\n"
    ).price_book()

    assert needed_price_inputs(plan(), book) == []
    used = replace(plan(), data={"data_out": Decimal(1)})
    assert [row["item"] for row in needed_price_inputs(used, book)] == [item]


def test_the_price_of_a_network_that_a_fallback_adds_is_carried(own):
    book = own(
        "services: [{cloud: aws, item: nat-gateway-hour, region: us-west-2, per_unit: 0.03}]\n"
    ).price_book()
    added = SharedNetwork(
        cloud="aws",
        region="us-west-2",
        workloads=("t",),
        maximum_items=(replace(plan().items[0], region="us-west-2", group=None),),
    )

    assert needed_price_inputs(plan(), book) == []
    rows = needed_price_inputs(replace(plan(), networks=(added,)), book)
    assert [row["item"] for row in rows] == ["nat-gateway-hour"]


def test_a_locked_spot_ceiling_is_carried():
    ceiling = Price(
        cloud="aws",
        item="p5.48xlarge",
        region="us-east-1",
        zone=None,
        mode="spot-ceiling",
        unit="hour",
        per_unit=Decimal(60),
        currency="USD",
        source="the tables of then",
        as_of="2026-07-20",
        origin="lock",
    )
    book = PriceBook([ceiling])

    assert told(needed_price_inputs(plan("spot"), book)).spot_ceiling(*P5) == ceiling


@given(st.decimals(Decimal("0.000001"), 10_000, places=12), st.integers(1, 10**6))
def test_amounts_arrive_as_they_left(amount, after):
    row = Price(
        cloud="aws",
        item="p5.48xlarge",
        region="us-east-1",
        zone=None,
        mode="on-demand",
        unit="hour",
        per_unit=amount,
        currency="USD",
        source="yours: prices.yaml:2",
        as_of="",
        origin="user",
        tiers=((Decimal(after), amount),),
        remark="so",
    )

    assert told(needed_price_inputs(plan(), PriceBook([row]))).on_demand(*P5) == row


ROW = carried_row("1", "me")


@pytest.mark.parametrize("key", ["remark", "said"])
def test_a_remark_is_read_by_its_key_and_by_the_former_one(key):
    row = told([{**ROW, key: "a private offer"}]).on_demand(*P5)

    assert row is not None
    assert row.remark == "a private offer"


@pytest.mark.parametrize(
    "wrong",
    [
        "cheap",
        [1],
        [{}],
        [{**ROW, "price": "0"}],
        [{**ROW, "price": -1}],
        [{**ROW, "price": None}],
        [{**ROW, "origin": "catalog"}],
        [{**ROW, "tiers": [{"after": 1}]}],
        [{**ROW, "cheaper": True}],
        [{name: of for name, of in ROW.items() if name != "region"}],
    ],
)
def test_what_is_malformed_is_refused(wrong):
    with pytest.raises(InputError) as refused:
        program_settings({"ownPrices": wrong})
    assert all("ownPrices" in problem.message for problem in refused.value.problems)


def test_what_is_not_known_yet_is_refused():
    from gpuinfra.model import UNKNOWN

    with pytest.raises(InputError, match="not known yet"):
        program_settings({"ownPrices": [{**ROW, "price": UNKNOWN}]})


def test_a_pack_may_refuse_own_prices_and_rates():
    program = program_settings({"ownPrices": [ROW], "prices": {"exchangeRates": {"CNY": "0.1"}}})
    accepted = pack_settings({}).stricter(program)
    refused = pack_settings({"own_prices": "refused"}).stricter(program)

    assert (len(accepted.price_rows), accepted.exchange_rates) == (1, {"CNY": Decimal("0.1")})
    assert (refused.price_rows, refused.exchange_rates) == ((), None)


@pytest.mark.parametrize(
    ("config", "word"),
    [
        ({}, "accepted"),
        ({"budget": {}}, "accepted"),
        ({"budget": {"per_run": 1}}, "dearer"),
        ({"budget": {"per_run": 1}, "own_prices": "accepted"}, "accepted"),
        ({"budget": {"per_run": 1}, "own_prices": "refused"}, "refused"),
    ],
)
def test_a_pack_with_a_cap_lets_own_prices_only_raise_a_price(config, word):
    program = program_settings({"prices": {"exchangeRates": {"CNY": "0.1"}}})
    pack = pack_settings(config)

    assert pack.own_prices == pack.stricter(program).own_prices == word
    rates = {"CNY": Decimal("0.1")} if word == "accepted" else None
    assert pack.stricter(program).exchange_rates == rates


def test_a_pack_with_a_cap_lets_rates_only_raise_its_own():
    pack = pack_settings({"budget": {"per_run": 1}, "prices": {"exchange_rates": {"CNY": 0.2}}})

    def rates(cny):
        program = program_settings({"prices": {"exchangeRates": {"CNY": cny}}})
        return pack.stricter(program).exchange_rates

    assert rates("0.1") == {"CNY": Decimal("0.2")}
    assert rates("0.3") == {"CNY": Decimal("0.3")}


LISTED = CATALOG.on_demand(*P5)


def own_row(**more):
    row = {
        "cloud": "aws",
        "item": "p5.48xlarge",
        "region": "us-east-1",
        "zone": None,
        "mode": "on-demand",
        "unit": "hour",
        "per_unit": Decimal(1),
        "currency": "USD",
        "source": "yours",
        "as_of": "",
        "origin": "user",
    }
    return Price(**{**row, **more})


@pytest.mark.parametrize(
    "row",
    [
        own_row(),
        own_row(per_unit=LISTED.per_unit),
        own_row(mode="spot-ceiling"),
        own_row(per_unit=Decimal(99), unit="month"),
        own_row(per_unit=Decimal(99), item="p9.48xlarge"),
    ],
    ids=["cheaper", "the same", "a cheaper ceiling", "of another unit", "of nothing listed"],
)
def test_what_does_not_raise_a_list_price_is_left_out(row):
    assert only_dearer([row], CATALOG) == ()


def test_what_raises_a_list_price_holds_and_never_falls_below_it():
    tiers = ((Decimal(10), Decimal(2)), (Decimal(20), Decimal(80)))
    dear = own_row(per_unit=Decimal(99), maximum=Decimal(3), tiers=tiers)
    late = own_row(tiers=tiers)

    (first,) = only_dearer([dear], CATALOG)
    (second,) = only_dearer([late], CATALOG)

    assert (first.per_unit, first.maximum) == (Decimal(99), LISTED.per_unit)
    assert first.tiers == ((Decimal(10), LISTED.per_unit), (Decimal(20), Decimal(80)))
    assert second.per_unit == LISTED.per_unit


def test_every_machine_of_a_group_is_carried():
    other = own_row(item="p5e.48xlarge")
    whole = plan()
    group = replace(whole.groups[0], machines=("p5e.48xlarge",))

    shown = needed_price_inputs(replace(whole, groups=(group,)), PriceBook([other]))

    assert [row["item"] for row in shown] == ["p5e.48xlarge"]


def test_of_two_rates_the_one_at_which_prices_are_higher_holds():
    pack = pack_settings({"prices": {"exchange_rates": {"CNY": 0.2, "EUR": 1.1}}})
    program = program_settings({"prices": {"exchangeRates": {"CNY": "0.1", "JPY": "0.007"}}})

    assert pack.stricter(program).exchange_rates == {"CNY": Decimal("0.2")}

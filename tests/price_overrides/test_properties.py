"""What holds of own prices whatever they are."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.catalog.price_book import SCALE, convert_price
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of
from gpuinfra.model import Price
from gpuinfra.price_overrides.override_rows import AppliedDiscount
from gpuinfra.price_overrides.schema import Discount

AMOUNTS = st.decimals(Decimal("0.0001"), Decimal(10_000), places=4)
RATES = st.decimals(Decimal("0.001"), Decimal(1000), places=3)

MACHINES = [
    (machine, region)
    for cloud in PRICED_CLOUDS
    for machine in priced_cloud_of(cloud).machines.all_machines()[:40]
    for region in priced_cloud_of(cloud).regions.all()[:6]
]


def row(amount: Decimal, **more: object) -> Price:
    held = {
        "cloud": "aws",
        "item": "p5.48xlarge",
        "region": "us-east-1",
        "zone": None,
        "mode": "on-demand",
        "unit": "hour",
        "per_unit": amount,
        "currency": "USD",
        "source": "yours: prices.yaml:2",
        "as_of": "",
        "origin": "user",
    }
    return Price(**{**held, **more})


@given(st.sampled_from(MACHINES), st.sampled_from(MACHINES), AMOUNTS)
def test_an_own_row_changes_no_other(own_row, other, amount):
    (mine, here), (theirs, there) = own_row, other
    book = PriceBook([row(amount, cloud=mine.cloud, item=mine.type, region=here)])
    key = (theirs.cloud, theirs.type, there)

    assert book.on_demand(mine.cloud, mine.type, here).per_unit == amount
    if key != (mine.cloud, mine.type, here):
        assert book.on_demand(*key) == CATALOG.on_demand(*key)
    assert book.spot(*key) == CATALOG.spot(*key)
    assert book.spot_ceiling(*key) == CATALOG.spot_ceiling(*key)


@given(st.sampled_from(MACHINES), st.sampled_from(["0%", "0.0%"]))
def test_nothing_off_is_the_list_price(row, share):
    machine, region = row
    off = AppliedDiscount(
        discount=Discount(cloud=machine.cloud, off=share), location="prices.yaml:2"
    )
    listed = priced_cloud_of(machine.cloud).prices.rows(machine.type, region, "on-demand")

    assert (
        tuple(off.discount_price(row) if off.applies_to(row) else row for row in listed) == listed
    )


@given(AMOUNTS, st.integers(0, 99), st.integers(0, 99))
def test_a_larger_discount_never_costs_more(amount, first, second):
    listed = row(amount, origin="catalog")
    small, large = (
        AppliedDiscount(discount=Discount(cloud="aws", off=f"{share}%"), location="a")
        .discount_price(listed)
        .per_unit
        for share in sorted((first, second))
    )

    assert 0 < large <= small <= amount


@given(AMOUNTS, RATES)
def test_what_is_converted_comes_back(amount, rate):
    there = convert_price(row(amount, currency="CNY"), rate)
    back = convert_price(there, 1 / rate)

    assert there.per_unit >= amount * rate
    assert abs(back.per_unit - amount) <= SCALE * (1 + 1 / rate)


@pytest.mark.parametrize("cloud", PRICED_CLOUDS)
def test_rates_change_no_price_in_dollars(cloud):
    book = PriceBook(rates={"CNY": Decimal("0.14")})
    known = priced_cloud_of(cloud)
    keys = [
        (cloud, machine.type, region)
        for machine in known.machines.all_machines()
        for region in known.regions.all()
    ]
    prices = {key: CATALOG.on_demand(*key) for key in keys}

    assert any(book.on_demand(*key) for key in keys)
    assert all(book.on_demand(*key) == price for key, price in prices.items() if price)

"""Whatever stands in a prices.yaml, it is read or refused in words."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.errors import InputError
from gpuinfra.price_overrides import prices, rent_or_buy
from gpuinfra.price_overrides.rent_or_buy import Purchase
from gpuinfra.price_overrides.schema import (
    Discount,
    Hardware,
    MachinePrice,
    PriceFile,
    ServicePrice,
)

WORDS = st.sampled_from(
    [
        "aws",
        "own",
        "lambda",
        "p5.48xlarge",
        "us-east-1",
        "on-demand",
        "spot",
        "12%",
        "100%",
        "720h",
        "365d",
        "H100-SXM-80GB:8",
        "CNY",
        "USD",
        "2026-12-31",
        "x",
        "0",
        "1e9",
        "-1",
    ]
)
PLAIN = st.one_of(
    WORDS,
    st.integers(-2, 10**12),
    st.floats(-1, 10, allow_nan=False),
    st.booleans(),
    st.none(),
)


def of(form):
    """A mapping with the keys of a form, or one more, and any values."""
    keys = st.sampled_from([*form.model_fields, "other"])
    inner = st.one_of(
        PLAIN, st.lists(PLAIN, max_size=2), st.dictionaries(WORDS, PLAIN, max_size=2)
    )
    return st.dictionaries(keys, inner, max_size=8)


FILES = st.fixed_dictionaries(
    {"version": st.just(1)},
    optional={
        "currency": PLAIN,
        "exchange_rates": st.one_of(PLAIN, st.dictionaries(WORDS, PLAIN, max_size=2)),
        "prices": st.one_of(PLAIN, of(MachinePrice), st.lists(of(MachinePrice), max_size=3)),
        "services": st.lists(of(ServicePrice), max_size=2),
        "discounts": st.lists(of(Discount), max_size=2),
        "hardware": st.one_of(PLAIN, st.dictionaries(WORDS, of(Hardware), max_size=2)),
    },
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "file.yaml"


@settings(max_examples=300)
@given(written=FILES)
def test_prices_are_read_or_refused_in_words(path, written):
    path.write_text(json.dumps(written))
    problems, rows = (), ()
    try:
        rows = prices.read_own_prices(path).price_book().own_rows
    except InputError as error:
        problems = error.problems

    assert all(problem.message and problem.position for problem in problems)
    assert all(row.per_unit > 0 and row.origin == "user" for row in rows)


@given(written=of(Purchase), more=of(PriceFile))
def test_a_purchase_is_read_or_refused_in_words(path, written, more):
    path.write_text(json.dumps({**more, **written}))
    with pytest.raises(InputError) as refused:
        rent_or_buy.read_purchase(path)
    assert all(problem.message and problem.position for problem in refused.value.problems)

from collections import Counter
from decimal import Decimal, InvalidOperation

import pytest

from gpuinfra.catalog import earliest, gpu
from gpuinfra.catalog.contradictions import Contradiction, about, contradictions, rules
from gpuinfra.clouds import PRICED, priced


def held(one: Contradiction) -> str | None:
    """What the tables have."""
    if not one.cloud:
        return str(getattr(gpu(one.subject), one.field))
    known = priced(one.cloud)
    if one.region is None:
        value = getattr(known.machines.get(one.subject), one.field)
        return ", ".join(value) if isinstance(value, tuple) else str(value)
    rows = [
        row for row in known.prices.rows(one.subject, one.region, one.field) if row.zone is None
    ]
    newest = max(rows, key=lambda row: earliest(row.as_of), default=None)
    return None if newest is None else str(newest.per_unit)


@pytest.mark.parametrize("one", contradictions(), ids=lambda one: f"{one.subject}-{one.field}")
def test_what_was_taken_is_what_the_tables_have(one: Contradiction) -> None:
    assert one.cloud in {"", *PRICED}
    assert one.taken.value == held(one)


def test_the_values_differ_and_have_sources() -> None:
    for one in contradictions():
        assert one.others, one.subject
        for reading in (one.taken, *one.others):
            assert reading.source, one.subject
            assert earliest(reading.as_of) or reading.as_of == "undated", one.subject
        assert one.taken.value not in {reading.value for reading in one.others}, one.subject


def test_every_rule_is_a_sentence_that_something_was_taken_by() -> None:
    used = Counter(one.rule for one in contradictions())

    assert set(used) == set(rules())
    assert all(one.why == rules()[one.rule] for one in contradictions())


def test_the_newest_is_not_older_than_the_others() -> None:
    for one in contradictions():
        if one.rule == "newest" and earliest(one.taken.as_of):
            for other in one.others:
                told = earliest(other.as_of)
                assert told is None or told <= earliest(one.taken.as_of), one.subject


def test_the_costlier_is_not_cheaper() -> None:
    found = [one for one in contradictions() if one.rule == "costlier"]

    assert found
    for one in found:
        for other in one.others:
            assert Decimal(other.value) <= Decimal(one.taken.value), one.subject


def test_one_field_is_settled_once() -> None:
    counts = Counter((one.cloud, one.subject, one.field, one.region) for one in contradictions())

    assert [key for key, count in counts.items() if count > 1] == []


def test_what_is_said_of_p5() -> None:
    (price,) = about("aws", "p5.48xlarge")

    assert (price.field, price.region, price.taken.value) == ("on-demand", "us-east-1", "55.04")
    assert price.rule == "newest"
    assert price.others[0].value == "98.32"


def test_nothing_is_said_of_what_nobody_disputes() -> None:
    assert about("aws", "p4de.48xlarge") == ()
    assert about("gcp", "p5.48xlarge") == ()


def test_readings_are_figures_or_words() -> None:
    figures = 0
    for one in contradictions():
        try:
            figures += one.taken.value is not None and Decimal(one.taken.value) > 0
        except InvalidOperation:
            assert one.field in {"gpu", "status", "usage_classes"}

    assert figures > 50

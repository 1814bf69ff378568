from collections import Counter
from decimal import Decimal, InvalidOperation

import pytest

from gpuinfra.catalog import earliest, gpu
from gpuinfra.catalog.contradictions import (
    Contradiction,
    contradictions,
    contradictions_about,
    rules,
)
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of


def held(contradiction: Contradiction) -> str | None:
    """What the tables have."""
    if not contradiction.cloud:
        return str(getattr(gpu(contradiction.subject), contradiction.field))
    known = priced_cloud_of(contradiction.cloud)
    if contradiction.region is None:
        value = getattr(known.machines.get(contradiction.subject), contradiction.field)
        return ", ".join(value) if isinstance(value, tuple) else str(value)
    rows = [
        row
        for row in known.prices.rows(
            contradiction.subject, contradiction.region, contradiction.field
        )
        if row.zone is None
    ]
    newest = max(rows, key=lambda row: earliest(row.as_of), default=None)
    return None if newest is None else str(newest.per_unit)


@pytest.mark.parametrize(
    "contradiction",
    contradictions(),
    ids=lambda contradiction: f"{contradiction.subject}-{contradiction.field}",
)
def test_what_was_taken_is_what_the_tables_have(contradiction: Contradiction) -> None:
    assert contradiction.cloud in {"", *PRICED_CLOUDS}
    assert contradiction.shipped.value == held(contradiction)


def test_the_values_differ_and_have_sources() -> None:
    for contradiction in contradictions():
        assert contradiction.others, contradiction.subject
        for reading in (contradiction.shipped, *contradiction.others):
            assert reading.source, contradiction.subject
            assert earliest(reading.as_of) or reading.as_of == "undated", contradiction.subject
        assert contradiction.shipped.value not in {
            reading.value for reading in contradiction.others
        }, contradiction.subject


def test_every_rule_is_a_sentence_that_something_was_taken_by() -> None:
    used = Counter(contradiction.rule for contradiction in contradictions())

    assert set(used) == set(rules())
    assert all(
        contradiction.sentence == rules()[contradiction.rule] for contradiction in contradictions()
    )


def test_the_newest_is_not_older_than_the_others() -> None:
    for contradiction in contradictions():
        if contradiction.rule == "newest" and earliest(contradiction.shipped.as_of):
            for other in contradiction.others:
                told = earliest(other.as_of)
                assert told is None or told <= earliest(contradiction.shipped.as_of), (
                    contradiction.subject
                )


def test_the_costlier_is_not_cheaper() -> None:
    costlier = [
        contradiction for contradiction in contradictions() if contradiction.rule == "costlier"
    ]

    assert costlier
    for contradiction in costlier:
        for other in contradiction.others:
            assert Decimal(other.value) <= Decimal(contradiction.shipped.value), (
                contradiction.subject
            )


def test_one_field_is_settled_once() -> None:
    counts = Counter(
        (contradiction.cloud, contradiction.subject, contradiction.field, contradiction.region)
        for contradiction in contradictions()
    )

    assert [key for key, count in counts.items() if count > 1] == []


def test_what_is_said_of_p5() -> None:
    (price,) = contradictions_about("aws", "p5.48xlarge")

    assert (price.field, price.region, price.shipped.value) == ("on-demand", "us-east-1", "55.04")
    assert price.rule == "newest"
    assert price.others[0].value == "98.32"


def test_nothing_is_said_of_what_nobody_disputes() -> None:
    assert contradictions_about("aws", "p4de.48xlarge") == ()
    assert contradictions_about("gcp", "p5.48xlarge") == ()


def test_readings_are_figures_or_words() -> None:
    figures = 0
    for contradiction in contradictions():
        try:
            figures += (
                contradiction.shipped.value is not None
                and Decimal(contradiction.shipped.value) > 0
            )
        except InvalidOperation:
            assert contradiction.field in {"gpu", "status", "usage_classes"}

    assert figures > 50

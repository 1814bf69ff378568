from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.metered import bucket_items
from gpuinfra.clouds.billing import BucketUsage
from gpuinfra.model import UNKNOWN


def amounts(items) -> dict[str, Decimal | None]:
    return {item.item: item.quantity for item in items}


def test_requests_are_counted_in_the_unit_of_their_price() -> None:
    items = bucket_items(
        "b",
        "buckets.b",
        "us-east-1",
        BucketUsage(size_gb=None, reads=Decimal(10**7), writes=Decimal(0)),
    )

    assert [(item.item, item.unit, item.quantity, item.monthly) for item in items] == [
        ("s3-standard-storage-first-50tb", "GB-month", None, False),
        ("s3-standard-put", "1k-requests", 0, True),
        ("s3-standard-get", "1k-requests", 10_000, True),
    ]


@pytest.mark.parametrize(
    ("size_gb", "expected"),
    [
        (None, {"first-50tb": None}),
        (UNKNOWN, {"first-50tb": None}),
        (Decimal("1.073741824"), {"first-50tb": Decimal(1)}),
        (Decimal(51_200) * 2**30 / 10**9, {"first-50tb": Decimal(51_200)}),
        (
            Decimal(600_000) * 2**30 / 10**9,
            {
                "first-50tb": Decimal(51_200),
                "next-450tb": Decimal(460_800),
                "over-500tb": Decimal(88_000),
            },
        ),
    ],
)
def test_a_bucket_is_billed_by_tier_in_binary_gigabytes(size_gb, expected) -> None:
    quantities = amounts(bucket_items("d", "buckets.d", "us-east-1", BucketUsage(size_gb=size_gb)))
    storage = {
        item.removeprefix("s3-standard-storage-"): quantity
        for item, quantity in quantities.items()
        if "storage" in item
    }

    assert storage == expected
    assert quantities["s3-standard-put"] is quantities["s3-standard-get"] is None


@given(st.integers(1, 10**18))
def test_the_tiers_add_up_to_the_content(size: int) -> None:
    items = bucket_items("d", "buckets.d", None, BucketUsage(size_gb=Decimal(size) / 10**9))
    total = sum(item.quantity for item in items if item.quantity is not None)

    assert abs(total - Decimal(size) / 2**30) < Decimal("1e-9")

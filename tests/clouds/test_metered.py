"""What each cloud bills of a bucket, by its content."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.metered import bucket_items as of_aws
from gpuinfra.clouds.azure.metered import bucket_items as of_azure
from gpuinfra.clouds.billing import BucketUsage
from gpuinfra.clouds.gcp.metered import bucket_items as of_google
from gpuinfra.model import UNKNOWN

BINARY = Decimal(2**30) / 10**9
TIERED = {
    of_aws: ("s3-standard-storage-", {"s3-standard-put", "s3-standard-get"}),
    of_azure: ("blob-hot-lrs-", {"blob-hot-write", "blob-hot-read"}),
}
of_each_with_tiers = pytest.mark.parametrize("of", TIERED, ids=["aws", "azure"])


def amounts(items) -> dict[str, Decimal | None]:
    return {item.item: item.quantity for item in items}


def test_requests_are_counted_in_the_unit_of_their_price() -> None:
    usage = BucketUsage(size_gb=None, reads=Decimal(10**7), writes=Decimal(0))
    items = of_aws("b", "buckets.b", "us-east-1", usage)

    assert [(item.item, item.unit, item.quantity, item.monthly) for item in items] == [
        ("s3-standard-storage-first-50tb", "GB-month", None, False),
        ("s3-standard-put", "1k-requests", 0, True),
        ("s3-standard-get", "1k-requests", 10_000, True),
    ]


@of_each_with_tiers
@pytest.mark.parametrize(
    ("size_gb", "expected"),
    [
        (None, {"first-50tb": None}),
        (UNKNOWN, {"first-50tb": None}),
        (BINARY, {"first-50tb": Decimal(1)}),
        (51_200 * BINARY, {"first-50tb": Decimal(51_200)}),
        (
            600_000 * BINARY,
            {
                "first-50tb": Decimal(51_200),
                "next-450tb": Decimal(460_800),
                "over-500tb": Decimal(88_000),
            },
        ),
    ],
)
def test_a_bucket_is_billed_by_tier_in_binary_gigabytes(of, size_gb, expected) -> None:
    prefix, requests = TIERED[of]
    quantities = amounts(of("d", "buckets.d", "a-region", BucketUsage(size_gb=size_gb)))

    assert quantities == {
        **{f"{prefix}{tier}": quantity for tier, quantity in expected.items()},
        **dict.fromkeys(requests),
    }


@of_each_with_tiers
@given(size=st.integers(1, 10**18))
def test_the_tiers_add_up_to_the_content(of, size: int) -> None:
    items = of("d", "buckets.d", None, BucketUsage(size_gb=Decimal(size) / 10**9))
    total = sum(item.quantity for item in items if item.quantity is not None)

    assert abs(total - Decimal(size) / 2**30) < Decimal("1e-9")


@pytest.mark.parametrize(
    ("size_gb", "expected"),
    [
        (None, None),
        (UNKNOWN, None),
        (BINARY, Decimal(1)),
        (Decimal(100_000), Decimal(100_000) * 10**9 / 2**30),
    ],
)
def test_google_bills_a_bucket_in_binary_gigabytes(size_gb, expected) -> None:
    usage = BucketUsage(size_gb=size_gb)

    assert amounts(of_google("d", "buckets.d", "us-central1", usage)) == {
        "gcs-standard-storage": expected,
        "gcs-standard-class-a": None,
        "gcs-standard-class-b": None,
    }

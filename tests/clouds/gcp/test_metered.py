from decimal import Decimal

import pytest

from gpuinfra.clouds.billing import BucketUsage
from gpuinfra.clouds.gcp.metered import bucket_items
from gpuinfra.model import UNKNOWN

SIZE = 200 * 10**9


def amounts(items) -> dict[str, Decimal | None]:
    return {item.item: item.quantity for item in items}


@pytest.mark.parametrize(
    ("size_gb", "expected"),
    [
        (None, None),
        (UNKNOWN, None),
        (Decimal("1.073741824"), Decimal(1)),
        (Decimal(100_000), Decimal(100_000) * 10**9 / 2**30),
    ],
)
def test_a_bucket_is_billed_in_binary_gigabytes(size_gb, expected) -> None:
    quantities = amounts(
        bucket_items("d", "buckets.d", "us-central1", BucketUsage(size_gb=size_gb))
    )

    assert quantities == {
        "gcs-standard-storage": expected,
        "gcs-standard-class-a": None,
        "gcs-standard-class-b": None,
    }

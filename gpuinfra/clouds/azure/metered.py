"""The price items of metered use: bucket content and requests."""

from typing import Final

from gpuinfra.clouds.billing import BucketContent

BLOB_TIERS: Final = (
    ("blob-hot-lrs-first-50tb", 51_200),
    ("blob-hot-lrs-next-450tb", 460_800),
    ("blob-hot-lrs-over-500tb", None),
)
"""Storage price items and how many GB (binary, as Azure bills) each covers; None is the rest:
tierMinimumUnits 0, 51200 and 512000 of https://prices.azure.com/api/retail/prices"""


_CONTENT: Final = BucketContent(
    cloud="azure",
    tiers=BLOB_TIERS,
    writes=("blob-hot-write", "10k-requests"),
    reads=("blob-hot-read", "10k-requests"),
)
bucket_items = _CONTENT.items

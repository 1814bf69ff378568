"""The price items of metered use: bucket content and requests."""

from typing import Final

from gpuinfra.clouds.billing import BucketContent

_CONTENT: Final = BucketContent(
    cloud="gcp",
    tiers=(("gcs-standard-storage", None),),
    writes=("gcs-standard-class-a", "1k-requests"),
    reads=("gcs-standard-class-b", "1k-requests"),
)
bucket_items = _CONTENT.items

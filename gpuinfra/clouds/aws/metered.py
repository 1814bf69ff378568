"""The price items of metered use: bucket content and requests."""

from typing import Final

from gpuinfra.clouds.billing import BucketContent

ALARMS: Final = 2
"""Target tracking makes an alarm to grow by and one to shrink by, each paid for by the metric that
it looks at; share of GPU memory in use is made of two.
https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-scaling-target-tracking.html"""


CUSTOM_METRIC: Final = "cloudwatch-custom-metric"
"""The metered item of custom metrics."""

S3_TIERS: Final = (
    ("s3-standard-storage-first-50tb", 51_200),
    ("s3-standard-storage-next-450tb", 460_800),
    ("s3-standard-storage-over-500tb", None),
)
"""Storage price items and how many GB (binary, as S3 bills) each covers; None is the rest:
https://aws.amazon.com/s3/pricing/"""


_CONTENT: Final = BucketContent(
    cloud="aws",
    tiers=S3_TIERS,
    writes=("s3-standard-put", "1k-requests"),
    reads=("s3-standard-get", "1k-requests"),
)
bucket_items = _CONTENT.items

"""The price items of metered use: bucket content and requests, and data in a month."""

from typing import Final

from gpuinfra.clouds.billing import Content, Metered

ALARMS: Final = 2
"""Target tracking makes an alarm to grow by and one to shrink by, each paid for by the metric that
it looks at; share of GPU memory in use is made of two.
https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-scaling-target-tracking.html"""


CUSTOM_METRIC: Final = "cloudwatch-custom-metric"
"""What machines send under a name of their own."""

S3_TIERS: Final = (
    ("s3-standard-storage-first-50tb", 51_200),
    ("s3-standard-storage-next-450tb", 460_800),
    ("s3-standard-storage-over-500tb", None),
)
"""Storage price items and how many GB (binary, as S3 bills) each covers; None is the rest:
https://aws.amazon.com/s3/pricing/"""


_CONTENT: Final = Content(
    cloud="aws",
    tiers=S3_TIERS,
    writes=("s3-standard-put", "1k-requests"),
    reads=("s3-standard-get", "1k-requests"),
)
bucket_items = _CONTENT.items

NEW_CONNECTIONS: Final = 25 * 3600
"""New connections that a capacity unit of a load balancer takes in an hour; it also takes 1 GB of
data and 3,000 active connections. What an hour uses most of is billed, so that the sum of units
for connections and for data is never below the bill of both. Each request counts as a connection:
https://aws.amazon.com/elasticloadbalancing/pricing/"""

_UNITS: Final = (
    "capacity units of a load balancer as if each request opened a connection; connections that "
    "last longer than a minute may use more"
)

METERED: Final = {
    "data_out": Metered(
        tiers=(
            ("data-transfer-out-internet-first-10tb", 10_240),
            ("data-transfer-out-internet-next-40tb", 40_960),
            ("data-transfer-out-internet-next-100tb", 102_400),
            ("data-transfer-out-internet-over-150tb", None),
        )
    ),
    "between_zones": Metered(
        tiers=(("data-transfer-inter-az-each-direction", None),),
        times=2,
    ),
    "between_regions": Metered(tiers=(("data-transfer-inter-region", None),)),
    "nat_data": Metered(tiers=(("nat-gateway-data", None),)),
    "logs": Metered(tiers=(("cloudwatch-logs-ingest", None),)),
    "balancer_data": Metered(tiers=(("alb-lcu", None),), note=_UNITS),
    "requests": Metered(
        tiers=(("alb-lcu", None),), per=NEW_CONNECTIONS, unit="LCU-hour", note=_UNITS
    ),
    "custom_metrics": Metered(tiers=((CUSTOM_METRIC, None),), unit="metric-month"),
}
"""Data of the month; tiers, and that both zones pay for what crosses between them:
https://aws.amazon.com/ec2/pricing/on-demand/#Data_Transfer. The first 100 GB a month to the
internet are free for an account, whose other stacks may use them up: they count as paid."""

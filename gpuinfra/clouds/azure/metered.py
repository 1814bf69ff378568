"""The price items of metered use: bucket content and requests, and data in a month."""

from typing import Final

from gpuinfra.clouds.billing import Content, Metered

BLOB_TIERS: Final = (
    ("blob-hot-lrs-first-50tb", 51_200),
    ("blob-hot-lrs-next-450tb", 460_800),
    ("blob-hot-lrs-over-500tb", None),
)
"""Storage price items and how many GB (binary, as Azure bills) each covers; None is the rest:
tierMinimumUnits 0, 51200 and 512000 of https://prices.azure.com/api/retail/prices"""


_CONTENT: Final = Content(
    cloud="azure",
    tiers=BLOB_TIERS,
    writes=("blob-hot-write", "10k-requests"),
    reads=("blob-hot-read", "10k-requests"),
)
bucket_items = _CONTENT.items

METERED: Final = {
    "data_out": Metered(
        tiers=(
            ("egress-internet-100gb-to-10tb", 10_240),
            ("egress-internet-next-40tb", 40_960),
            ("egress-internet-next-100tb", 102_400),
            ("egress-internet-over-150tb", None),
        )
    ),
    "between_zones": Metered(),
    "between_regions": Metered(
        tiers=(("egress-inter-region", None),),
        note="data between regions at the price inside North America",
    ),
    "nat_data": Metered(tiers=(("nat-gateway-data", None),)),
    "logs": Metered(tiers=(("log-analytics-ingest", None),)),
    "balancer_data": Metered(tiers=(("lb-standard-data", None),)),
    "requests": Metered(billed=False),
    "custom_metrics": Metered(unit="metric-month"),
}
"""Data of the month; tiers: https://azure.microsoft.com/pricing/details/bandwidth/. The first 100
GB a month to the internet are free for an account, whose other stacks may use them up: they count
as paid. No table has a price of data between zones."""

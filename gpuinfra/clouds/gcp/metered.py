"""The price items of metered use: bucket content and requests, and data in a month."""

from typing import Final

from gpuinfra.clouds.billing import Content, Metered

_CONTENT: Final = Content(
    cloud="gcp",
    tiers=(("gcs-standard-storage", None),),
    writes=("gcs-standard-class-a", "1k-requests"),
    reads=("gcs-standard-class-b", "1k-requests"),
)
bucket_items = _CONTENT.items

METERED: Final = {
    "data_out": Metered(
        tiers=(
            ("egress-internet-first-1tb", 1_024),
            ("egress-internet-next-9tb", 9_216),
            ("egress-internet-over-10tb", None),
        ),
        note="data to the internet at the price of the premium tier, not to China or Australia",
    ),
    "between_zones": Metered(tiers=(("egress-inter-zone", None),)),
    "between_regions": Metered(
        tiers=(("egress-inter-region-north-america", None),),
        note="data between regions at the price inside North America",
    ),
    "nat_data": Metered(tiers=(("cloud-nat-data", None),)),
    "logs": Metered(tiers=(("cloud-logging-ingest", None),)),
    "balancer_data": Metered(tiers=(("lb-data-processed", None),)),
    "requests": Metered(billed=False),
    "custom_metrics": Metered(unit="metric-month"),
}
"""Data of the month; the tiers are those of https://cloud.google.com/vpc/network-pricing. The
first 50 GiB of logs a month are free for a project, whose other stacks may use them up: they count
as paid."""

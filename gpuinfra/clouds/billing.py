"""The billing rules of clouds: whole GiB, content by tier, requests, monthly usage."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, Self

from gpuinfra.model import Item, Unknown, Usage
from gpuinfra.records import record

GIB: Final = 2**30

SMALL_CHARGES_LIMIT: Final = Decimal("0.1")
"""The hourly sum of small charges, in US dollars, from which they are counted; also what an amount
at the most of its row, `at_most`, costs an hour, or less."""

REQUESTS: Final = {"1k-requests": 1_000, "10k-requests": 10_000}
"""The number of requests per price unit."""

Tiers = Sequence[tuple[str, int | None]]
"""Price items and how many GB (binary) a month each covers, in order; None is the rest."""


def gib(size: int) -> int:
    """Return the whole GiB that hold `size` bytes; clouds size and bill disks in GiB."""
    return -(-size // GIB)


@record
class BucketUsage:
    """The stored data and the requests of a bucket; None is unknown.

    Attributes:
        size_gb: the current objects, in 10^9 bytes.
        versions_gb: checkpoints and old versions beside them, in 10^9 bytes.
        reads: requests that read, a month.
        writes: requests that write or list, a month.
    """

    size_gb: Decimal | Unknown | None
    versions_gb: Decimal | None = None
    reads: Decimal | None = None
    writes: Decimal | None = None

    @classmethod
    def from_user_usage(cls, name: str, usage: Usage) -> Self:
        """Return the usage that the user states for a bucket."""
        return cls(
            size_gb=usage.gigabytes.get(name),
            versions_gb=usage.versions.get(name),
            reads=usage.reads.get(name),
            writes=usage.writes.get(name),
        )


@record
class BucketContent:
    """The billing rules of a bucket's content.

    Attributes:
        cloud: whose.
        tiers: by storage tier.
        writes: the price item of requests that write or list, and its unit.
        reads: the price item of requests that read, and its unit.
    """

    cloud: str
    tiers: Tiers
    writes: tuple[str, str]
    reads: tuple[str, str]

    def items(
        self, name: str, subject: str, region: str | None, usage: BucketUsage
    ) -> tuple[Item, ...]:
        """Return the price items of a bucket: content by tier, and monthly requests.

        The quantities are binary GB, as clouds bill them. A size that is not known gives the rate
        of the first tier, requests without a count give theirs.
        """
        size_gb = usage.size_gb
        stored = [
            ("bucket", item, "GB-month", part) for item, part in self._stored_by_tier(size_gb)
        ]
        kept = [
            ("versions", item, "GB-month", part)
            for item, part in self._cost_above(size_gb, usage.versions_gb or Decimal(0))
        ]
        requests = [
            ("bucket", item, unit, None if count is None else count / REQUESTS[unit])
            for (item, unit), count in ((self.writes, usage.writes), (self.reads, usage.reads))
        ]
        return tuple(
            Item(
                name=name,
                subject=subject,
                kind=kind,
                cloud=self.cloud,
                item=item,
                unit=unit,
                quantity=quantity,
                region=region,
                monthly=unit in REQUESTS,
            )
            for kind, item, unit, quantity in (*stored, *kept, *requests)
        )

    def _cost_above(
        self, size_gb: Decimal | Unknown | None, more_gb: Decimal
    ) -> Sequence[tuple[str, Decimal]]:
        """Return by tier what `more_gb` costs beyond the content."""
        content_gb = size_gb if isinstance(size_gb, Decimal) else Decimal(0)
        filled = dict(split_by_tier(self.tiers, content_gb))
        parts = split_by_tier(self.tiers, content_gb + more_gb)
        return [
            (item, part - filled.get(item, Decimal(0)))
            for item, part in parts
            if part > filled.get(item, Decimal(0))
        ]

    def _stored_by_tier(
        self, size_gb: Decimal | Unknown | None
    ) -> Sequence[tuple[str, Decimal | None]]:
        if size_gb is None or isinstance(size_gb, Unknown):
            return [(self.tiers[0][0], None)]
        return split_by_tier(self.tiers, size_gb)


@record
class MeteredRate:
    """The billing rules of a stack's monthly usage, for example data to the internet.

    Attributes:
        tiers: by what it is billed; empty where no item is known.
        times: how often each unit is paid for: twice where both ends pay.
        per: how many of what is counted make a unit, for example of requests.
        unit: the unit of the price items; amounts of GB are billed as binary ones.
        billed: whether the cloud charges for it at all.
        note: the limits of the price, if any.
    """

    tiers: Tiers = ()
    times: int = 1
    per: int = 1
    unit: str = "GB"
    billed: bool = True
    note: str = ""

    def amounts_by_price_item(self, amount: Decimal) -> Sequence[tuple[str, Decimal]]:
        """Return how much of a month's amount falls on each price item; "" where none is known."""
        tiers = self.tiers or (("", None),)
        if self.unit == "GB":
            return split_by_tier(tiers, amount * self.times)
        return [(tiers[0][0], amount * self.times / self.per)]


def split_by_tier(tiers: Tiers, size_gb: Decimal) -> list[tuple[str, Decimal]]:
    """Return how many binary GB of `size_gb` (10^9 bytes) fall into each tier.

    Clouds bill binary GB.
    """
    binary_gb = size_gb * 10**9 / GIB
    parts = []
    for item, most in tiers:
        part = binary_gb if most is None else min(binary_gb, Decimal(most))
        binary_gb -= part
        if part > 0:
            parts.append((item, part))
    return parts

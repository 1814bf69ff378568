"""What the footprints of all rooms are made of: whole GiB, items of a workload, disk faults."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpuinfra.model import Item, Unknown

GIB: Final = 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskFault:
    """What a disk does not take: the key at fault, what is wrong, and what is allowed."""

    key: str
    message: str
    allowed: str


def gib(size: int) -> int:
    """The whole GiB that hold `size` bytes; clouds size and bill disks in GiB."""
    return -(-size // GIB)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Whose items these are: the cloud, the workload's name, and what a message calls it."""

    cloud: str
    name: str
    subject: str

    def item(
        self,
        kind: str,
        item: str,
        unit: str,
        quantity: Decimal | None,
        *,
        per_machine: bool = False,
    ) -> Item:
        """One item of the workload; a quantity of None is one that nobody knows."""
        return Item(
            name=self.name,
            subject=self.subject,
            kind=kind,
            cloud=self.cloud,
            item=item,
            unit=unit,
            quantity=quantity,
            group=self.name,
            per_machine=per_machine,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """How a cloud bills what is in a bucket.

    Attributes:
        cloud: whose.
        tiers: price items and how many GB (binary) each covers; None is the rest.
        requests: price items of requests, each with its unit.
    """

    cloud: str
    tiers: Sequence[tuple[str, int | None]]
    requests: Sequence[tuple[str, str]]

    def items(
        self,
        name: str,
        subject: str,
        *,
        region: str | None,
        size_gb: Decimal | Unknown | None,
    ) -> tuple[Item, ...]:
        """What a bucket costs: its content by tier, and requests, of which nobody knows how many.

        `size_gb` is 10^9 bytes; the quantities are binary GB, as clouds bill them. A size that
        nobody knows gives the rate of the first tier.
        """
        requests = ((item, unit, None) for item, unit in self.requests)
        return tuple(
            Item(
                name=name,
                subject=subject,
                kind="bucket",
                cloud=self.cloud,
                item=item,
                unit=unit,
                quantity=quantity,
                region=region,
            )
            for item, unit, quantity in (*self._stored(size_gb), *requests)
        )

    def _stored(
        self, size_gb: Decimal | Unknown | None
    ) -> Sequence[tuple[str, str, Decimal | None]]:
        if size_gb is None or isinstance(size_gb, Unknown):
            return [(self.tiers[0][0], "GB-month", None)]
        left = size_gb * 10**9 / GIB
        found = []
        for item, most in self.tiers:
            part = left if most is None else min(left, Decimal(most))
            left -= part
            if part > 0:
                found.append((item, "GB-month", part))
        return found

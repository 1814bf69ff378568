"""What the footprints of all rooms are made of: whole GiB, items of a workload, disk faults."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpuinfra.model import Item

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

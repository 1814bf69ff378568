"""What a budget counts and holds: a disk that a workload pays for, a cap of an hour."""

from decimal import Decimal

from gpuinfra.model import Caps, Item


def disk(of: str, quantity: Decimal | None = Decimal(1000), **changes) -> Item:
    fields = {
        "name": "root disk",
        "subject": of,
        "kind": "disk",
        "cloud": "aws",
        "item": "ebs-gp3-storage",
        "unit": "GB-month",
        "quantity": quantity,
        "group": of,
        "per_machine": True,
        **changes,
    }
    return Item(**fields)


def hour(cap: str) -> Caps:
    """A cap of an hour."""
    return Caps(per_hour=Decimal(cap))

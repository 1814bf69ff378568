"""A disk that a workload pays for."""

from decimal import Decimal

from gpuinfra.model import Item


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

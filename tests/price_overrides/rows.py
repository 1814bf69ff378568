"""Own prices as a program carries them: rows in the inputs of its `gpuinfra:index:Stack`."""

from typing import Any


def carried_row(price: str, source: str = "yours: prices.yaml:2") -> dict[str, Any]:
    """The user's own price in USD/h of a machine of eight H100 on demand."""
    return {
        "cloud": "aws",
        "item": "p5.48xlarge",
        "region": "us-east-1",
        "mode": "on-demand",
        "unit": "hour",
        "price": price,
        "source": source,
        "origin": "user",
    }

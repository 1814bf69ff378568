"""The partitions of AWS, whose regions are separate from those of other partitions."""

from typing import Final

PARTITIONS: Final = {"cn-": "aws-cn", "us-gov-": "aws-us-gov"}
"""Partitions by the start of a region's name; all others are in `aws`:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html"""


def partition_of(region: str) -> str:
    """Return the partition that a region is in."""
    return next(
        (partition for start, partition in PARTITIONS.items() if region.startswith(start)), "aws"
    )

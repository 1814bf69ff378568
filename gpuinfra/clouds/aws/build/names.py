"""Names that AWS accepts: valid, the same for the same things, and never two alike."""

import hashlib
import re
from collections.abc import Sequence
from typing import Final

SUFFIX: Final = 8
"""What Pulumi appends to make a physical name of a logical one: a hyphen and seven digits."""

BALANCER: Final = 32
"""Characters of a load balancer's or target group's name:
https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html"""

BUCKET: Final = 63
BUCKET_RESERVED: Final = ("xn--", "sthree-", "amzn-s3-demo-")
"""https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html"""

DIGITS: Final = 12


def digest(parts: Sequence[str]) -> str:
    """Hexadecimal digits that tell these parts from any others."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:DIGITS]


def logical(name: str, part: str, limit: int | None = None) -> str:
    """A child's logical name; where AWS limits the physical one, the component's part is cut.

    A cut name carries a digest, so that two long names stay apart.
    """
    ending = f"-{part.replace('_', '-')}"
    if limit is None or len(name) + len(ending) <= limit - SUFFIX:
        return f"{name}{ending}"
    room = limit - SUFFIX - len(ending) - SUFFIX
    return f"{name[:room].rstrip('-')}-{digest([name])[: SUFFIX - 1]}{ending}"


def bucket_name(stack: str, name: str, identity: Sequence[str]) -> str:
    """A bucket's physical name, unique in the world: `identity` tells whose bucket it is.

    It is the stack's and the bucket's name, cut to what S3 takes, and a digest of the whole.
    """
    readable = re.sub("[^a-z0-9]+", "-", f"{stack}-{name}".lower()).strip("-")
    if readable.startswith(BUCKET_RESERVED):
        readable = f"b-{readable}"
    kept = readable[: BUCKET - DIGITS - 1].rstrip("-")
    return f"{kept}-{digest([stack, name, *identity])}"


def group_resource(workload: str) -> str:
    """The logical name under which a workload's machines are seen among the resources."""
    return logical(workload, "group")


def bucket_resource(bucket: str) -> str:
    """The logical name under which a bucket is seen among the resources."""
    return logical(bucket, "bucket")

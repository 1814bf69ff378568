"""Names that AWS accepts: valid, the same for the same things, and unique."""

import re
from collections.abc import Sequence
from typing import Final

from gpuinfra.clouds.declaring.names import DIGITS, digest

BALANCER: Final = 32
"""Characters of a load balancer's or target group's name:
https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html"""

BUCKET: Final = 63
BUCKET_RESERVED: Final = ("xn--", "sthree-", "amzn-s3-demo-")
"""https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html"""


def bucket_name(stack: str, name: str, identity: Sequence[str]) -> str:
    """Return a bucket's globally unique physical name; `identity` distinguishes equal names.

    It is the stack's and the bucket's name, cut to what S3 takes, and a digest of the whole.
    """
    readable = re.sub("[^a-z0-9]+", "-", f"{stack}-{name}".lower()).strip("-")
    if readable.startswith(BUCKET_RESERVED):
        readable = f"b-{readable}"
    shortened = readable[: BUCKET - DIGITS - 1].rstrip("-")
    return f"{shortened}-{digest([stack, name, *identity])}"

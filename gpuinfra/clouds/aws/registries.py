"""The container images in Elastic Container Registry (ECR), by their names."""

import re
from typing import Final

ECR: Final = (
    r"(?P<account>\d{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.amazonaws\.com(?:\.cn)?/"
    r"(?P<repository>[^:@]+)(?:@(?P<digest>sha256:[0-9a-f]{64})|:(?P<tag>[^@]+))?"
)
"""https://docs.aws.amazon.com/AmazonECR/latest/userguide/Registries.html"""


def region_of(container: str) -> str | None:
    """Return the region of a container's registry; None where that is not AWS's."""
    match = re.fullmatch(ECR, container)
    return None if match is None else match["region"]

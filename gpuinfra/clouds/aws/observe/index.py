"""The resources of AWS, found by what other resources call them."""

from typing import ClassVar, Final

from gpuinfra.clouds.aws.observe.kinds import BUCKET, canonical
from gpuinfra.clouds.observing import index
from gpuinfra.clouds.observing.index import Keys

_PRIMARY: Final = "primaryNetworkInterfaceId"
"""What a machine's first interface is called by what hangs on it."""


class Index(index.Index):
    """The resources seen so far."""

    KEYS: ClassVar[Keys] = Keys(
        outputs=("id", "arn", "name", "bucket", "allocationId", "placementGroupId", _PRIMARY),
        inputs=("name", "bucket", "nodeGroupName"),
        canonical=canonical,
        worldwide=frozenset({BUCKET}),
    )

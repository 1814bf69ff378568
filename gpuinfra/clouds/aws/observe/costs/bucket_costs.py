"""The costs of a bucket's companions: tiering, key requests, copies in other regions."""

from collections.abc import Iterable
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.observing.rows import service_item
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import Resource, Rows, Usage

KEY_REQUESTS: Final = ("kms-requests", "10k-requests")
"""A key by the month, and by its requests; a bucket key keeps those few."""


TRANSFER: Final = ("data-transfer-inter-region", "GB")
"""The price item of the transfer of a copy to a second region."""


TIERING: Final = (
    ("s3-intelligent-tiering-monitoring", "1k-objects-month"),
    ("s3-intelligent-tiering-transition", "1k-requests"),
)
"""What Intelligent-Tiering bills besides storage, which in its first tier costs what it did
before: https://aws.amazon.com/s3/pricing/. The number of objects is not known."""

_INTELLIGENT_TIERING: Final = "INTELLIGENT_TIERING"
_CUSTOMERS: Final = ("aws:kms", "aws:kms:dsse")


def lifecycle(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the charges of Intelligent-Tiering other than storage, if objects move there."""
    moves = (
        at(transition, "storageClass")
        for rule in as_list(resource.inputs.get("rules"))
        if at(rule, "status") == "Enabled"
        for transition in as_list(at(rule, "transitions"))
    )
    return _rates(resource, index, "bucket", TIERING if _INTELLIGENT_TIERING in moves else ())


def encryption(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the price of requests to a key outside this stack; a key in it has its own row.

    AWS's own key for S3 is paid by requests too.
    """
    for rule in as_list(resource.inputs.get("rules")):
        default = at(rule, "applyServerSideEncryptionByDefault")
        if at(default, "sseAlgorithm") in _CUSTOMERS and not _is_own_key(
            resource, at(default, "kmsMasterKeyId"), index
        ):
            return _rates(resource, index, "key", (KEY_REQUESTS,))
    return Rows()


def _is_own_key(resource: Resource, key: Any, index: Index) -> bool:
    if key is None:
        return False
    targets = index.targets(resource, "rules", resource_types.KEY, key)
    return bool(targets.certain or targets.possible)


def copy(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the price of transfer to another region; the amount of data is unknown."""
    return _rates(resource, index, "replication", (TRANSFER,))


def _rates(resource: Resource, index: Index, use: str, paid: Iterable[tuple[str, str]]) -> Rows:
    region = locations.region_of(resource, index)
    return Rows(
        items=tuple(
            service_item("aws", resource, use, item, unit, None, region) for item, unit in paid
        )
    )

"""The retention of a bucket's content on AWS, and the rules that delete it."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.bucket_expiry import emptied_once, whole_bucket_expiry
from gpuinfra.clouds.observing.fault_texts import Remark, reach_from
from gpuinfra.clouds.observing.values import as_list, at, flag, text, whole_number
from gpuinfra.model import Known, Reachability, Resource

_PARTS: Final = ("prefix", "tag", "tags", "objectSizeLessThan")
"""What leaves something of a bucket alone; that small objects stay saves no checkpoint:
https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-filters.html"""


def safeguards_of(bucket: Resource, index: Index) -> Reachability:
    """Return the rules that delete all content of a bucket after a short time."""
    return reach_from("bucket-safeguards", _expiry_faults(bucket, index))


def force_destroy(bucket: Resource, index: Index) -> Known | None:
    """Return whether destroying a bucket deletes its objects; None for a bucket of logs."""
    if index.referrers(bucket, resource_types.BUCKET_LOGGING, "targetBucket").certain:
        return None
    return flag(bucket.inputs.get("forceDestroy")) or False


def _expiry_faults(bucket: Resource, index: Index) -> Iterator[Remark]:
    for companion in index.referrers(bucket, resource_types.BUCKET_LIFECYCLE, "bucket").certain:
        for rule in as_list(companion.inputs.get("rules")):
            if at(rule, "status") == "Enabled":
                yield from _whole_bucket_expiries(rule)
    for rule in as_list(bucket.inputs.get("lifecycleRules")):
        if flag(at(rule, "enabled")) is True:
            yield from _whole_bucket_expiries(rule)


def _whole_bucket_expiries(rule: Any) -> Iterator[Remark]:
    rule_filter = at(rule, "filter")
    if any(
        at(holder, key) for holder in (rule, rule_filter, at(rule_filter, "and")) for key in _PARTS
    ):
        return
    ends = at(rule, "expiration")
    yield from whole_bucket_expiry(whole_number(at(ends, "days")) or None)
    moment = text(at(ends, "date"))
    if isinstance(moment, str):
        yield from emptied_once(moment)

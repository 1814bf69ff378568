"""A bucket that holds anything is not deleted with its stack."""

from typing import Final

from gpuinfra.model import Bucket
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    Words,
    each_bucket,
    fact,
    for_each,
    not_applicable,
    opposite,
)

WORDS: Final = Words(
    good="it is not deleted while it holds anything",
    bad="its objects are deleted with it, checkpoints and old versions too",
    unknown="whether its objects are deleted with it is not known yet",
)


def _bucket(bucket: Bucket) -> Finding:
    if bucket.force_destroy is None:
        return not_applicable(bucket.subject, "whether its objects go with it is not judged")
    return fact(bucket.subject, opposite(bucket.force_destroy), WORDS)


RULE = Rule(
    id="force-destroy",
    family="hygiene",
    title="A bucket that holds anything is not deleted with its stack",
    why="`pulumi destroy` of the wrong stack takes every checkpoint and data set with it.",
    fix="leave force_destroy out; empty the bucket by hand where it shall go",
    source="https://www.pulumi.com/registry/packages/gcp/api-docs/storage/bucket/",
    check=for_each(each_bucket, _bucket),
    level="advisory",
    alone=True,
)

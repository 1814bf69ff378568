"""A bucket that has objects is not deleted with its stack."""

from typing import Final

from gpuinfra.clouds.observing.values import opposite
from gpuinfra.model import Bucket
from gpuinfra.rules.rule import (
    FactMessages,
    Finding,
    Rule,
    each_bucket,
    fact,
    not_applicable,
    row_check,
)

WORDS: Final = FactMessages(
    good="a destroy keeps it while it has objects",
    bad="a destroy deletes all its objects, checkpoints and old versions too",
    unknown="it is not known yet whether a destroy deletes its objects",
)


def _bucket(bucket: Bucket) -> Finding:
    if bucket.force_destroy is None:
        return not_applicable(bucket.subject, "this rule does not apply to its cloud")
    return fact(bucket.subject, opposite(bucket.force_destroy), WORDS)


RULE = Rule(
    id="force-destroy",
    family="hygiene",
    title="Buckets that have objects are not deleted with their stack",
    why="Otherwise `pulumi destroy` of the wrong stack deletes every checkpoint and data set.",
    fix="remove forceDestroy; empty the bucket by hand when you want to delete it",
    source="https://www.pulumi.com/registry/packages/gcp/api-docs/storage/bucket/",
    check=row_check(each_bucket, _bucket),
    level="advisory",
    alone=True,
)

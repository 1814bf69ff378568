"""Buckets are protected against outside access and accidental deletion."""

from gpuinfra.model import Bucket
from gpuinfra.rules.rule import Finding, Rule, each_bucket, for_each, reached


def _bucket(bucket: Bucket) -> Finding:
    return reached(
        bucket.subject,
        bucket.safeguards,
        RULE.id,
        unjudged="its safeguards are not judged on this cloud",
        unknown="what keeps its content is not known yet",
        good="nothing of its safeguards is wrong",
    )


RULE = Rule(
    id="bucket-safeguards",
    family="hygiene",
    title="A bucket keeps what it holds, and lets in no users beside its roles",
    why="A lifecycle rule of a few days deletes the checkpoints that a run goes on from. A local "
    "user's key opens data beside all roles, and object replication to another tenant takes data "
    "out of the company.",
    fix="name in a lifecycle rule the part that may go; on Azure set isLocalUserEnabled and "
    "allowCrossTenantReplication to false",
    source="https://learn.microsoft.com/azure/storage/common/object-replication-prevent-cross-tenant-policies",
    check=for_each(each_bucket, _bucket),
    level="advisory",
)

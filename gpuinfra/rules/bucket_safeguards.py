"""Buckets are protected against outside access and accidental deletion."""

from gpuinfra.model import Bucket
from gpuinfra.rules.fault_findings import judge_reachability
from gpuinfra.rules.rule import Finding, Rule, each_bucket, row_check


def _bucket(bucket: Bucket) -> Finding:
    return judge_reachability(
        bucket.subject,
        bucket.safeguards,
        RULE.id,
        unjudged="this rule does not apply to its cloud",
        unknown="its local users and replication settings are not known yet",
        good="no local users, and no replication to another tenant",
    )


RULE = Rule(
    id="bucket-safeguards",
    family="hygiene",
    title="Buckets keep current objects, and admit no local users or other tenants",
    why="A lifecycle rule of a few days deletes the checkpoints that a run resumes from. A local "
    "user's key bypasses every role, and object replication to another tenant copies data out of "
    "the company.",
    fix="change the setting that the message names",
    fix_by_cloud={
        "aws": "set a prefix in the filter of the lifecycle rule",
        "gcp": "set matchesPrefixes in the condition of the lifecycle rule",
        "azure": "set prefixMatch in the filters of the lifecycle rule, isLocalUserEnabled: false "
        "or allowCrossTenantReplication: false",
    },
    source="https://learn.microsoft.com/azure/storage/common/object-replication-prevent-cross-tenant-policies",
    check=row_check(each_bucket, _bucket),
    level="advisory",
)

"""Checks whether replicated buckets have versioning, without which S3 refuses replication.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication.html#replication-requirements
"""

from collections.abc import Iterator

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import at, listed
from gpuinfra.model import Resource


def faults_of(resource: Resource, index: Index) -> Iterator[str]:
    """Yield the source and target buckets of this stack that have no versioning."""
    if resource_types.canonical(resource.type) != resource_types.BUCKET_COPY:
        return
    rules = listed(resource.inputs.get("rules"))
    goals = [at(rule, "destination", "bucket") for rule in rules]
    for prop, value in (("bucket", resource.inputs.get("bucket")), ("rules", goals)):
        for bucket in index.targets(resource, prop, resource_types.BUCKET, value).certain:
            told = index.referrers(bucket, resource_types.BUCKET_VERSIONING, "bucket")
            own = at(bucket.inputs.get("versioning"), "enabled")
            locked = bucket.inputs.get("objectLockEnabled")
            if told.complete and not told.certain and not own and not locked:
                yield f"versioning is off in the bucket {bucket.name}; replication requires it"

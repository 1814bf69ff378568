"""Declares a data bucket: private, versioned, with lifecycle rules."""

from datetime import timedelta
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.build_spec import BucketOutputs, BuildSpec
from gpuinfra.clouds.declaring.children import BUCKET
from gpuinfra.clouds.declaring.inputs import ORGANIZATION, PROJECT, STACK
from gpuinfra.clouds.gcp.declare import names
from gpuinfra.clouds.gcp.declare.children import Children
from gpuinfra.graph import ResourceGraph, compute
from gpuinfra.specs.storage import Bucket

UNFINISHED_DAYS: Final = 7
"""Days until the parts of an upload that never ended are removed; they are billed and unseen."""

SOFT_DELETE: Final = 0
"""Seconds that a deleted object is kept and billed. Google's default is a week, which keeps every
checkpoint that a run removes; old versions are what brings data back here.
https://docs.cloud.google.com/storage/docs/soft-delete"""


def declare_bucket(spec: BuildSpec, bucket: Bucket, key: str) -> ResourceGraph:
    """Declare a bucket; one with content is not deleted.

    It is encrypted and answers over TLS only, as all of Cloud Storage; access is by identity on
    the whole bucket, never by lists on objects, and never public.
    """
    children = Children(spec, key, BUCKET)
    bucket_resource = children.make(
        "gcp:storage/bucket:Bucket",
        "bucket",
        name=_name(children),
        location=spec.region.upper(),
        storageClass="STANDARD",
        uniformBucketLevelAccess=True,
        publicAccessPrevention="enforced",
        versioning={"enabled": bucket.versioned},
        softDeletePolicy={"retentionDurationSeconds": SOFT_DELETE},
        lifecycleRules=lifecycle(bucket),
        forceDestroy=False,
    )
    children.graph.outputs[key] = BucketOutputs(
        bucket_name=bucket_resource["name"], bucket_id=bucket_resource["url"]
    )
    return children.graph


def lifecycle(bucket: Bucket) -> list[dict[str, Any]]:
    """Return the lifecycle rules: unfinished uploads, and old versions where it has any.

    https://docs.cloud.google.com/storage/docs/lifecycle
    """
    rules: list[dict[str, Any]] = [
        {
            "action": {"type": "AbortIncompleteMultipartUpload"},
            "condition": {"age": UNFINISHED_DAYS},
        }
    ]
    if bucket.versioned:
        days = max(1, -(-bucket.keep_noncurrent // timedelta(days=1)))
        rules.append(
            {
                "action": {"type": "Delete"},
                "condition": {"daysSinceNoncurrentTime": days, "withState": "ARCHIVED"},
            }
        )
    return rules


def _name(children: Children) -> Any:
    """Return the physical name, the same for each bucket of a stack, project and region."""
    build_spec = children.spec
    return compute(
        partial(_generated_name, build_spec.stack, build_spec.name, build_spec.region),
        *(ORGANIZATION, PROJECT, STACK, children.project),
    )


def _generated_name(stack: str, name: str, region: str, *identity: str) -> str:
    organization, program, pulumi_stack, project = identity
    name_parts = [organization, program, pulumi_stack, region, project]
    return names.bucket_name(stack, name, name_parts)

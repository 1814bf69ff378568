"""Builds a data bucket: private, versioned, tidied up."""

from datetime import timedelta
from typing import Any, Final

import pulumi
import pulumi_gcp as gcp

from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.gcp.build import names
from gpuinfra.clouds.gcp.build.children import Children
from gpuinfra.clouds.order import Given, Order, Stored
from gpuinfra.stackfile.storage import Bucket

KINDS: Final[Kinds] = {"bucket": gcp.storage.Bucket}

UNFINISHED_DAYS: Final = 7
"""Days until the parts of an upload that never ended are removed; they are billed and unseen."""

SOFT_DELETE: Final = 0
"""Seconds that a deleted object is kept and billed. Google's default is a week, which keeps every
checkpoint that a run removes; old versions are what brings data back here.
https://docs.cloud.google.com/storage/docs/soft-delete"""


def build_bucket(order: Order, wanted: Bucket, given: Given) -> Stored:
    """Register a bucket. A bucket with content is not deleted.

    It is encrypted and answers over TLS only, as all of Cloud Storage; access is by identity on
    the whole bucket, never by lists on objects, and never public.

    Raises:
        InputError: the customised children do not fit.
    """
    children = Children(order, given, KINDS)
    made = children.make(
        gcp.storage.Bucket,
        "bucket",
        name=_name(children),
        location=order.region.upper(),
        storage_class="STANDARD",
        uniform_bucket_level_access=True,
        public_access_prevention="enforced",
        versioning={"enabled": wanted.versioned},
        soft_delete_policy={"retention_duration_seconds": SOFT_DELETE},
        lifecycle_rules=lifecycle(wanted),
        force_destroy=False,
    )
    children.finish()
    return Stored(bucket_name=made.name, bucket_id=made.url)


def lifecycle(wanted: Bucket) -> list[dict[str, Any]]:
    """What the bucket tidies up by itself: unfinished uploads, and old versions where it has any.

    https://docs.cloud.google.com/storage/docs/lifecycle
    """
    rules: list[dict[str, Any]] = [
        {
            "action": {"type": "AbortIncompleteMultipartUpload"},
            "condition": {"age": UNFINISHED_DAYS},
        }
    ]
    if wanted.versioned:
        days = max(1, -(-wanted.keep_noncurrent // timedelta(days=1)))
        rules.append(
            {
                "action": {"type": "Delete"},
                "condition": {"days_since_noncurrent_time": days, "with_state": "ARCHIVED"},
            }
        )
    return rules


def _name(children: Children) -> pulumi.Output[str]:
    """The same name for the same bucket of the same stack in the same project and region."""
    order = children.order
    place = [
        pulumi.get_organization() or "",
        pulumi.get_project(),
        pulumi.get_stack(),
        order.region,
    ]
    return children.project.apply(
        lambda project: names.bucket_name(order.stack, order.name, [*place, project])
    )

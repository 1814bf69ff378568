"""Declares the customer-managed key that a bucket is encrypted with."""

from functools import partial
from typing import Any, Final

from gpuinfra.clouds.aws.declare import bucket_policies
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.graph import Options, Ref, concat, format_values

WINDOW: Final = 30
"""Days until a key whose deletion is scheduled is gone: the longest period that KMS takes."""


def make_key(children: Children, name_part: str, *, region: str, bucket: Any) -> Ref:
    """Declare a key that rotates yearly, with an alias named like the bucket; return its ARN.

    The key is kept in the account when it leaves the stack, by a destroy or by a change of
    `encryption`: without it, what it encrypted in the bucket and in its versions is unreadable. A
    kept key costs 1 USD a month, and one more for each of its first two rotations, and has no
    alias any more; `encryption: <its ARN>` uses it again. Once nothing needs it,
    `aws kms schedule-key-deletion --key-id <its id>` ends it.
    https://docs.aws.amazon.com/kms/latest/developerguide/deleting-keys.html
    https://aws.amazon.com/kms/pricing/

    Args:
        children: of the component.
        name_part: how its children's names end, for a bucket beside the first.
        region: where it is used.
        bucket: the physical name of the bucket.
    """
    policy = partial(bucket_policies.key, partition_of(region), region)
    key = children.make(
        "aws:kms/key:Key",
        f"key{name_part}",
        Options(retain_on_delete=True),
        region=region,
        description=f"bucket {children.spec.name} of the gpuinfra stack {children.spec.stack}",
        deletionWindowInDays=WINDOW,
        enableKeyRotation=True,
        policy=format_values(policy, children.account),
    )
    children.make(
        "aws:kms/alias:Alias",
        f"key_alias{name_part}",
        region=region,
        name=concat("alias/", bucket),
        targetKeyId=key["id"],
    )
    return key["arn"]

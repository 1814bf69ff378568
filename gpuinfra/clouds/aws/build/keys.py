"""Builds the key of the customer's that a bucket is encrypted with."""

from typing import Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build import bucket_policies
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.building.children import Kinds

KINDS: Final[Kinds] = {"key": aws.kms.Key, "key_alias": aws.kms.Alias}

WINDOW: Final = 30
"""Days until a key that somebody deletes is gone, the most that there is."""


def make_key(
    children: Children,
    part: str,
    *,
    region: str,
    account: pulumi.Input[str],
    bucket: pulumi.Input[str],
) -> aws.kms.Key:
    """Register a key that is renewed each year, and its name, which is the bucket's.

    The key is kept in the account when it leaves the stack, by a destroy or by a change of
    `encryption`: without it nobody reads what it encrypted, in the bucket or in its versions. A
    kept key costs 1 USD a month, and one more for each of its first two renewals, and has no name
    any more; written as `encryption: <its ARN>` it serves again. Once nothing needs it,
    `aws kms schedule-key-deletion --key-id <its id>` ends it.
    https://docs.aws.amazon.com/kms/latest/developerguide/deleting-keys.html
    https://aws.amazon.com/kms/pricing/

    Args:
        children: of the component.
        part: how its children's names end, for a bucket beside the first.
        region: where it is used.
        account: whose it is.
        bucket: the physical name of what it encrypts.
    """
    made = children.make(
        aws.kms.Key,
        f"key{part}",
        opts=children.options(retain_on_delete=True),
        region=region,
        description=f"bucket {children.order.name} of the gpuinfra stack {children.order.stack}",
        deletion_window_in_days=WINDOW,
        enable_key_rotation=True,
        policy=pulumi.Output.from_input(account).apply(
            lambda one: bucket_policies.key(partition_of(region), region, one)
        ),
    )
    children.make(
        aws.kms.Alias,
        f"key_alias{part}",
        region=region,
        name=pulumi.Output.concat("alias/", bucket),
        target_key_id=made.id,
    )
    return made

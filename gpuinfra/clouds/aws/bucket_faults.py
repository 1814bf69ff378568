"""The faults of a bucket's settings that S3 would refuse, found before anything is built."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.regions import REGIONS
from gpuinfra.clouds.key_faults import KeyFault

if TYPE_CHECKING:
    from gpuinfra.specs.storage import Bucket


def bucket_faults(
    name: str,  # noqa: ARG001  the signature is the same for every cloud
    bucket: "Bucket",
    region: str,
) -> tuple[KeyFault, ...]:
    """Return the faults that keep a bucket from being built in a region."""
    return (*_versions(bucket), *_copy(bucket, region), *_key(bucket, region))


def _versions(bucket: "Bucket") -> Iterator[KeyFault]:
    """Yield keys that need versioning: https://docs.aws.amazon.com/AmazonS3/latest/userguide/."""
    needing = {"object_lock": "object lock protects", "replicate_to": "replication copies"}
    for key, why in needing.items():
        if getattr(bucket, key) is not None and not bucket.versioned:
            yield KeyFault(
                key=("versioned",),
                value="false",
                message=f"{key} requires versioning: {why} each version of an object",
                fix=f"remove versioned: false, or remove {key}",
            )


def _copy(bucket: "Bucket", region: str) -> Iterator[KeyFault]:
    copied = bucket.replicate_to
    if copied is None:
        return
    key, other_regions = ("replicate_to",), [other for other in REGIONS.all() if other != region]
    if copied == region:
        yield KeyFault(
            key=key,
            value=copied,
            message="the copy would be in the bucket's own region",
            allowed="another region",
        )
    elif copied not in other_regions:
        yield KeyFault(
            key=key,
            value=copied,
            message="unknown AWS region",
            allowed=", ".join(other_regions),
        )
    elif partition_of(copied) != partition_of(region):
        yield KeyFault(
            key=key,
            value=copied,
            message=f"S3 can't replicate between {region} and {copied}: they are in different "
            f"partitions, {partition_of(region)} and {partition_of(copied)}",
            allowed=f"a region of {partition_of(region)}",
        )


def _key(bucket: "Bucket", region: str) -> Iterator[KeyFault]:
    """Refuse keys of other regions.

    https://docs.aws.amazon.com/kms/latest/developerguide/concepts.html
    """
    if not bucket.encryption.startswith("arn:"):
        return
    key_region = bucket.encryption.split(":")[3]
    if key_region != region:
        yield KeyFault(
            key=("encryption",),
            value=bucket.encryption,
            message=f"the key is in {key_region}, the bucket in {region}",
            allowed=f"a key in {region}",
            fix="set encryption: kms to use the bucket's own key",
        )

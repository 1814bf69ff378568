"""The children of Azure's components."""

from gpuinfra.clouds.azure.declare.identity import accesses
from gpuinfra.clouds.declaring.buckets import BucketGrant, BucketUse


def test_buckets_of_other_names_have_rights_of_their_own() -> None:
    uses = [BucketUse(bucket=name, prefix="", writable=False) for name in ("data", "data-2")]
    granted = [BucketGrant(bucket=use.bucket, prefix="", writable=False) for use in uses]
    first, other = (access.child for access in accesses("trainer", uses, granted))

    assert first != other

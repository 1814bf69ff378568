"""The children of Azure's components."""

from gpuinfra.clouds.azure.build import identity
from gpuinfra.clouds.building.buckets import Use


def test_buckets_of_other_names_have_rights_of_their_own() -> None:
    (one,), (other,) = (
        set(identity.kinds([Use(bucket=name, prefix="", writable=False)])) - set(identity.KINDS)
        for name in ("data", "data-2")
    )

    assert one != other

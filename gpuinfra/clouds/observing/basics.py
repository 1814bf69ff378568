"""The security basics of machines that may start in several ways."""

from collections.abc import Sequence

from gpuinfra.clouds.observing.values import all_of, any_of
from gpuinfra.model import Safety


def worst(safeties: Sequence[Safety]) -> Safety:
    """Return the worst of each basic."""
    return Safety(
        metadata_v2=all_of(one.metadata_v2 for one in safeties),
        disks_encrypted=all_of(one.disks_encrypted for one in safeties),
        public_ip=any_of(one.public_ip for one in safeties),
        open_login=any_of(one.open_login for one in safeties),
        administrator=any_of(one.administrator for one in safeties),
        long_lived_key=any_of(one.long_lived_key for one in safeties),
    )

"""The security basics of machines that may start in several ways."""

from collections.abc import Sequence

from gpuinfra.clouds.observing.faults import all_faults
from gpuinfra.clouds.observing.values import all_of, any_of
from gpuinfra.clouds.secrets import together
from gpuinfra.model import UNKNOWN, Known, Safety, Unknown


def worst(safeties: Sequence[Safety]) -> Safety:
    """Return the worst of each basic."""
    return Safety(
        metadata_v2=all_of(one.metadata_v2 for one in safeties),
        disks_encrypted=all_of(one.disks_encrypted for one in safeties),
        public_ip=any_of(one.public_ip for one in safeties),
        open_login=any_of(one.open_login for one in safeties),
        administrator=any_of(one.administrator for one in safeties),
        long_lived_key=any_of(one.long_lived_key for one in safeties),
        hop_limit=_farthest([one.hop_limit for one in safeties]),
        secrets=together([one.secrets for one in safeties]),
        secure_boot=_all_boot([one.secure_boot for one in safeties]),
        measured_boot=_all_boot([one.measured_boot for one in safeties]),
        login_faults=_all_logins([one.login_faults for one in safeties]),
    )


def _all_logins(
    found: Sequence[tuple[str, ...] | Unknown | None],
) -> tuple[str, ...] | Unknown | None:
    """What is wrong with any login; None where no machine has the setting."""
    said = [one for one in found if one is not None]
    return all_faults(*said) if said else None


def _farthest(limits: Sequence[int | Unknown | None]) -> int | Unknown | None:
    """The farthest hop; None where no machine has a limit."""
    if UNKNOWN in limits:
        return UNKNOWN
    return max((one for one in limits if isinstance(one, int)), default=None)


def _all_boot(facts: Sequence[Known | None]) -> Known | None:
    """Whether all machines boot securely that can; None where none can."""
    able = [one for one in facts if one is not None]
    return all_of(able) if able else None

"""A standalone disk, attached or not, as a row."""

from collections.abc import Iterable

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import Disk, Known, Resource, Unknown


def disk_row(
    cloud: str, resource: Resource, encrypted: Known, faults: Iterable[str] | Unknown
) -> tuple[Disk, ...]:
    """Return the row of a standalone disk."""
    disk = Disk(
        name=resource.name,
        subject=resource.urn,
        cloud=cloud,
        encrypted=encrypted,
        faults=rule_faults("disk-limits", faults),
    )
    return (disk,)

"""Finds disks attached to machines of another zone, which every cloud refuses."""

from collections.abc import Iterable, Iterator, Sequence

from gpuinfra.model import Fault


def zone_mismatches(disks: Iterable[tuple[str, str]], zones: Sequence[str]) -> Iterator[Fault]:
    """Yield a fault for each disk, given by name and zone, outside its machine's zone.

    There is none where the machine's zone is not known.
    """
    for name, zone in disks:
        if zones and zone not in zones:
            yield Fault(
                rule="disk-limits",
                message=f"the disk {name} is in {zone}, its machine in {', '.join(zones)}: a "
                "disk can be attached only in its own zone",
                location=name,
            )

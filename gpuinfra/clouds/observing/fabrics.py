"""The fabric of machines that may start in several ways."""

from collections.abc import Sequence
from dataclasses import replace

from gpuinfra.clouds.observing.values import all_of, any_of
from gpuinfra.model import UNKNOWN, Fabric, Known, Unknown

_Faults = tuple[str, ...] | Unknown | None


def weakest(each: Sequence[Fabric | None]) -> Fabric | None:
    """Return the least of what each way to start declares; None when none declares a fabric."""
    declared = [fabric for fabric in each if fabric is not None]
    if not declared:
        return None
    return replace(
        declared[0],
        interfaces=_fewest(each),
        faults=tuple(dict.fromkeys(fault for one in declared for fault in one.faults)),
        card_faults=_together([one.card_faults for one in declared]),
        network_faults=_together([one.network_faults for one in declared]),
        set_faults=_together([one.set_faults for one in declared]),
        place_faults=tuple(dict.fromkeys(fault for one in declared for fault in one.place_faults)),
        self_ingress=_open([one.self_ingress for one in declared]),
        self_egress=_open([one.self_egress for one in declared]),
        public_ip=any_of(one.public_ip for one in declared),
        driver_image=all_of(one.driver_image for one in declared),
    )


def _open(ways: Sequence[Known | None]) -> Known | None:
    """Whether each firewall is open; None where there is none at all."""
    filtered = [way for way in ways if way is not None]
    return all_of(filtered) if filtered else None


def _together(each: Sequence[_Faults]) -> _Faults:
    """All faults of one kind; UNKNOWN where one may have some and none is known to have any."""
    known = [faults for faults in each if isinstance(faults, tuple)]
    found = tuple(dict.fromkeys(fault for faults in known for fault in faults))
    if found or UNKNOWN not in each:
        return found if known else None
    return UNKNOWN


def _fewest(each: Sequence[Fabric | None]) -> int | Unknown:
    counts: list[int] = []
    for fabric in each:
        count = 0 if fabric is None else fabric.interfaces
        if isinstance(count, Unknown):
            return count
        counts.append(count)
    return min(counts)

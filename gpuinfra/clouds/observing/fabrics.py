"""The fabric of machines with several launch options."""

from collections.abc import Sequence
from dataclasses import replace

from gpuinfra.clouds.observing.fault_texts import joined_faults
from gpuinfra.clouds.observing.values import all_of, all_stated, any_of
from gpuinfra.model import Fabric, FabricRequirement, Unknown


def weakest(each: Sequence[Fabric | None]) -> Fabric | None:
    """Return the weakest fabric of all launch options; None when none declares a fabric."""
    declared = [fabric for fabric in each if fabric is not None]
    if not declared:
        return None
    return replace(
        declared[0],
        requirement=_strongest_requirement(declared),
        interfaces=_fewest_interfaces(each),
        faults=joined_faults(*(fabric.faults for fabric in declared)),
        self_ingress=all_stated(fabric.self_ingress for fabric in declared),
        self_egress=all_stated(fabric.self_egress for fabric in declared),
        public_ip=any_of(fabric.public_ip for fabric in declared),
        driver_image=all_of(fabric.driver_image for fabric in declared),
        sites=tuple(dict.fromkeys(site for fabric in declared for site in fabric.sites)),
        placements=tuple(dict.fromkeys(each for fabric in declared for each in fabric.placements)),
        firewalls=tuple(dict.fromkeys(each for fabric in declared for each in fabric.firewalls)),
    )


def _strongest_requirement(declared: Sequence[Fabric]) -> FabricRequirement:
    """Return the requirement of all options: one that declares a fabric requires it of all."""
    given = {fabric.requirement for fabric in declared}
    return "required" if "required" in given else declared[0].requirement


def _fewest_interfaces(each: Sequence[Fabric | None]) -> int | Unknown:
    counts: list[int] = []
    for fabric in each:
        count = 0 if fabric is None else fabric.interfaces
        if isinstance(count, Unknown):
            return count
        counts.append(count)
    return min(counts)

"""The fabric and the security basics of machines with several launch options."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from gpuinfra.clouds.observing.fault_texts import joined_faults
from gpuinfra.clouds.observing.values import all_of, all_stated, any_of
from gpuinfra.clouds.secrets import joined_secrets
from gpuinfra.model import UNKNOWN, Fabric, FabricRequirement, Safety, Unknown


def weakest_fabric(fabrics: Sequence[Fabric | None]) -> Fabric | None:
    """Return the weakest fabric of all launch options; None when none declares a fabric."""
    declared_fabrics = [fabric for fabric in fabrics if fabric is not None]
    if not declared_fabrics:
        return None
    return replace(
        declared_fabrics[0],
        requirement=_strongest_requirement(declared_fabrics),
        interfaces=_fewest_interfaces(fabrics),
        faults=joined_faults(*(fabric.faults for fabric in declared_fabrics)),
        self_ingress=all_stated(fabric.self_ingress for fabric in declared_fabrics),
        self_egress=all_stated(fabric.self_egress for fabric in declared_fabrics),
        public_ip=any_of(fabric.public_ip for fabric in declared_fabrics),
        driver_image=all_of(fabric.driver_image for fabric in declared_fabrics),
        sites=tuple(dict.fromkeys(site for fabric in declared_fabrics for site in fabric.sites)),
        placements=tuple(
            dict.fromkeys(fabrics for fabric in declared_fabrics for fabrics in fabric.placements)
        ),
        firewalls=tuple(
            dict.fromkeys(fabrics for fabric in declared_fabrics for fabrics in fabric.firewalls)
        ),
    )


def _strongest_requirement(declared_fabrics: Sequence[Fabric]) -> FabricRequirement:
    """Return the requirement of all options: one that declares a fabric requires it of all."""
    requirements = {fabric.requirement for fabric in declared_fabrics}
    return "required" if "required" in requirements else declared_fabrics[0].requirement


def _fewest_interfaces(fabrics: Sequence[Fabric | None]) -> int | Unknown:
    counts: list[int] = []
    for fabric in fabrics:
        count = 0 if fabric is None else fabric.interfaces
        if isinstance(count, Unknown):
            return count
        counts.append(count)
    return min(counts)


def worst_safety(safeties: Sequence[Safety]) -> Safety:
    """Return the worst value of each security basic."""
    if len(safeties) == 1:
        return safeties[0]
    return Safety(
        metadata_v2=all_of(safety.metadata_v2 for safety in safeties),
        disks_encrypted=all_of(safety.disks_encrypted for safety in safeties),
        public_ip=any_of(safety.public_ip for safety in safeties),
        open_login=any_of(safety.open_login for safety in safeties),
        open_ports=tuple(
            dict.fromkeys(chain.from_iterable(safety.open_ports for safety in safeties))
        ),
        administrator=any_of(safety.administrator for safety in safeties),
        long_lived_key=any_of(safety.long_lived_key for safety in safeties),
        runs_containers=all(safety.runs_containers for safety in safeties),
        hop_limit=_largest_hop_limit([safety.hop_limit for safety in safeties]),
        secrets=joined_secrets([safety.secrets for safety in safeties]),
        secure_boot=all_stated(safety.secure_boot for safety in safeties),
        measured_boot=all_stated(safety.measured_boot for safety in safeties),
        host_encrypted=all_stated(safety.host_encrypted for safety in safeties),
        opened_by_keys=_joined_names([safety.opened_by_keys for safety in safeties]),
    )


def _largest_hop_limit(limits: Sequence[int | Unknown | None]) -> int | Unknown | None:
    """Return the largest hop limit; None where no machine has one."""
    if UNKNOWN in limits:
        return UNKNOWN
    return max((limit for limit in limits if isinstance(limit, int)), default=None)


def _joined_names(
    parts: Sequence[tuple[str, ...] | Unknown | None],
) -> tuple[str, ...] | Unknown | None:
    """Return all names that are known; None where no machine has any to state."""
    names = [part for part in parts if part is not None]
    return joined_secrets(names) if names else None

"""What the buying guides say, each claim judged by the catalog's tables as they are today."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpuinfra.catalog import claim_machines, claim_prices, claim_sizes
from gpuinfra.catalog.tables import TABLES
from gpuinfra.catalog.verdict import Verdict

CHECKS: Final[Mapping[str, Callable[..., Verdict]]] = {
    check.__name__: check
    for check in (
        claim_machines.bus,
        claim_machines.fabric,
        claim_machines.family_gpu,
        claim_machines.gpu_fact,
        claim_machines.gpu_memory,
        claim_machines.gpu_nvlink,
        claim_machines.host,
        claim_machines.machine_gpu,
        claim_machines.named,
        claim_machines.sold,
        claim_machines.unsourced,
        claim_prices.offer,
        claim_prices.price,
        claim_prices.ratio,
        claim_prices.tier,
        claim_sizes.energy,
        claim_sizes.training_factor,
        claim_sizes.training_memory,
        claim_sizes.weights_fit,
        claim_sizes.weights_take,
    )
}
"""Every check by the name that a row of claims.json calls it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What the guides say of a topic, and what the catalog says to it."""

    topic: str
    says: str
    verdict: Verdict


def claims() -> tuple[Claim, ...]:
    """Every claim of the guides with its verdict, in the order of the topics."""
    rows = TABLES.table("claims")["claims"]
    return tuple(map(_judged, rows))


def _judged(row: Mapping[str, Any]) -> Claim:
    return Claim(
        topic=row["topic"], says=row["says"], verdict=CHECKS[row["check"]](**row["given"])
    )

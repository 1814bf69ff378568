"""The claims of buying guides, each judged by the current tables of the catalog."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from gpuinfra.catalog.claims import machines, prices, sizes
from gpuinfra.catalog.claims.verdict import ClaimVerdict
from gpuinfra.catalog.tables import TABLES
from gpuinfra.records import record

CHECKS: Final[Mapping[str, Callable[..., ClaimVerdict]]] = {
    check.__name__: check
    for check in (
        machines.bus,
        machines.fabric,
        machines.family_gpu,
        machines.gpu_fact,
        machines.gpu_memory,
        machines.gpu_nvlink,
        machines.host,
        machines.machine_gpu,
        machines.family_exists,
        machines.sold,
        machines.stated,
        machines.unsourced,
        prices.offer,
        prices.price,
        prices.ratio,
        prices.price_tier,
        sizes.energy,
        sizes.training_factor,
        sizes.training_memory,
        sizes.weights_fit,
        sizes.weights_take,
    )
}
"""Every check by the name that a row of claims.json calls it."""


@record
class Claim:
    """A claim of the guides on a topic, the catalog's verdict, and what gpuinfra does with it."""

    topic: str
    text: str
    zh: str
    verdict: ClaimVerdict
    use: str


@record
class GuideAdvice:
    """What the guides advise on a topic, and what gpuinfra does with it; `zh` is in Chinese."""

    topic: str
    text: str
    zh: str
    use: str


def claims() -> tuple[Claim, ...]:
    """Return every claim of the guides with its verdict, in the order of the topics."""
    rows = TABLES.table("claims")["claims"]
    return tuple(map(_judge_row, rows))


def advice() -> tuple[GuideAdvice, ...]:
    """Return what the guides advise, in the order of the topics."""
    return tuple(
        GuideAdvice(topic=row["topic"], text=row["says"], zh=row["zh"], use=row["use"])
        for row in TABLES.table("claims")["advice"]
    )


def _judge_row(row: Mapping[str, Any]) -> Claim:
    verdict = CHECKS[row["check"]](**row["given"])
    return Claim(
        topic=row["topic"], text=row["says"], zh=row["zh"], verdict=verdict, use=row["use"]
    )

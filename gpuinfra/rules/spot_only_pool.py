"""An inference pool keeps machines that are not on spot."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.model import Group, Unknown
from gpuinfra.rules.rule import Finding, Judged, Rule, Setting, fine, not_applicable, violated
from gpuinfra.rules.spot import on_spot, uses_spot


def check(judged: Judged, settings: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each pool on spot."""
    pools = [g for g in judged.plan.groups if uses_spot(g) and g.purpose == "inference"]
    if not pools:
        yield not_applicable(judged.plan.name, "no pool is on spot")
    for pool in pools:
        yield _pool(pool, settings["on_demand_base"])


def _pool(pool: Group, least: int) -> Finding:
    stay = _staying(pool)
    if stay >= least:
        return fine(pool.subject, f"{stay} on demand when spot goes away")
    return violated(
        pool.subject,
        f"{stay} machines on demand, fewer than {least}: spot may take the whole pool at once",
    )


def _staying(pool: Group) -> int:
    """How many machines are surely on demand: the base, or its share of the smallest pool."""
    base, smallest = pool.rung.on_demand_base, pool.minimum
    if isinstance(smallest, Unknown):
        return base
    return max(base, int(smallest - on_spot(pool, smallest)))


RULE = Rule(
    id="spot-only-pool",
    family="spot",
    title="Spot is not a pool's only capacity",
    why="Spot machines go with two minutes' notice or less, often all of a kind together.",
    fix="keep machines on demand: capacity: {on_demand_base: 1, above: spot}",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-best-practices.html",
    check=check,
    settings=(
        Setting(
            name="on_demand_base",
            kind="whole",
            default=1,
            why="machines of a pool that stay when spot goes away",
        ),
    ),
)

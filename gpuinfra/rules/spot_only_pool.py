"""An inference pool keeps machines that are not on spot."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.model import Group, Unknown
from gpuinfra.rules.rule import Finding, Rule, RuleInput, Setting, fine, not_applicable, violated
from gpuinfra.rules.spot_machines import spot_machine_count, uses_spot
from gpuinfra.units import format_count

SCALES_ON_SPOT: Final = {
    "gcp": ", and, since its autoscaler uses metrics of the spot machines, set replicas: {}..{}"
}
"""What a pool needs whose autoscaler measures the machines above its base alone.

https://docs.cloud.google.com/compute/docs/autoscaler/scaling-cloud-monitoring-metrics
"""


def check(rule_input: RuleInput, settings: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each pool on spot."""
    pools = [g for g in rule_input.plan.groups if uses_spot(g) and g.purpose == "inference"]
    if not pools:
        yield not_applicable(rule_input.plan.name, "no pool uses spot")
    for pool in pools:
        finding = _pool(pool, settings["on_demand_base"])
        if rule_input.plan.from_file and finding.outcome == "violated":
            finding = replace(finding, fix=_stack_file_fix(pool, settings["on_demand_base"]))
        yield finding


def _stack_file_fix(pool: Group, base: int) -> str:
    """Return the keys to write, with a larger minimum where the pool would not grow without it."""
    fix = f"keep machines on demand: capacity: {{on_demand_base: {base}, above: spot}}"
    least, most = pool.minimum, pool.maximum
    if isinstance(least, Unknown) or isinstance(most, Unknown) or not least <= base < most:
        return fix
    return f"{fix}{SCALES_ON_SPOT.get(pool.cloud, '').format(base + 1, most)}"


def _pool(pool: Group, minimum: int) -> Finding:
    stay = _on_demand_count(pool)
    if stay >= minimum:
        return fine(pool.subject, f"{stay} of its machines can run without spot capacity")
    return violated(
        pool.subject,
        f"{format_count(stay, 'machine')} on demand, fewer than {minimum}:"
        " the cloud may interrupt the whole pool at once",
    )


def _on_demand_count(pool: Group) -> int:
    """Return how many machines are surely on demand: the base, or the smallest pool's rest."""
    base, smallest = pool.rung.on_demand_base, pool.minimum
    if isinstance(smallest, Unknown):
        return base
    return max(base, int(smallest - spot_machine_count(pool, smallest)))


RULE = Rule(
    id="spot-only-pool",
    family="spot",
    title="Pools keep some machines on demand",
    why=(
        "The cloud interrupts spot machines with two minutes' notice or less,"
        " often all of one type at once."
    ),
    fix="keep machines on demand",
    fix_by_cloud={
        "aws": "set instancesDistribution.onDemandBaseCapacity: 1 in the group's "
        "mixedInstancesPolicy",
        "gcp": "add another group without spot machines behind the same load balancer",
        "azure": "set priorityMixPolicy.baseRegularPriorityCount: 1 in the scale set",
    },
    stack_file_fix="keep machines on demand: capacity: {on_demand_base: 1, above: spot}",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-best-practices.html",
    check=check,
    settings=(
        Setting(
            name="on_demand_base",
            kind="whole",
            default=1,
            why="minimum number of on-demand machines of a pool",
        ),
    ),
)

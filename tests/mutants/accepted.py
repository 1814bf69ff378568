"""Mutants that need no test: they do the same as what they were made of."""

from collections.abc import Mapping
from typing import Final

from tests.mutants.mutations import Mutant

EITHER: Final = "at the limit itself both ways give the same"
NO_FACT: Final = "security groups are neither true nor unknown, so nothing is changed"
BUILT: Final = "forms that a module made as it was loaded keep the limit; a test of it stands"
ROUNDING: Final = "no two prices differ by exactly what a sum is rounded by"

ACCEPTED: Final[Mapping[str, Mapping[tuple[str, str], str]]] = {
    "budget": {
        (
            "step = max(5 * ten if 5 * ten * ROUNDING_SHARE <= most else ten, CENT)",
            "5 * ten * ROUNDING_SHARE < most",
        ): EITHER,
    },
    "ended_months": {
        (
            "if not is_endable(group) or excess <= 0 or excess >= ending:",
            "excess > ending",
        ): EITHER,
        (
            "days = hours - hours % DAY if hours >= LONG * DAY else hours",
            "hours > LONG * DAY",
        ): EITHER,
    },
    "fabric": {
        (
            "machine_type is not None and (machine_type.fabric_gbps or 0) >= MULTI_NODE_SPEED",
            "1",
        ): "a fabric of many machines is hundreds of times as fast as either",
    },
    "fabric_facts": {
        (
            "check=fabric_direction_check(",
            f"…mbda firewall: {changed}(firewall.{direction}), good='the fir…",
        ): NO_FACT
        for changed in ("turned", "trusted")
        for direction in ("ingress", "egress")
    },
    "market_offered": {
        (
            "are_zones_known = {*zones} <= {*provider_of(group.cloud).regions.zones(region)}",
            "{*zones} < {*provider_of(…",
        ): "a group of all zones of its region has one that offers what the region offers",
    },
    "running_costs": {
        (
            "return paid[0].for_machines(min(added_machines, fewer, key=abs))",
            "1",
        ): "all have one price",
    },
    "run_time_limit": {
        (
            'return f"{plain(Decimal(group.needs.hours or 0))} h on {title(group.cloud)}"',
            "1",
        ): "only groups whose run has hours are named",
    },
    "settings": {
        ('Count = Annotated[Decimal, money(10**18, unit="requests a month")]', changed): BUILT
        for changed in ("11", "19")
    },
    "spot_checkpoints": {
        (
            "if (group.needs.hours or 1) < CHECKPOINT_INTERVAL_HOURS",
            "2",
        ): "a run of unknown hours is longer than the ten minutes between checkpoints",
    },
    "running_total": {
        (
            "self._set_share(key, cost_after=ZERO_COST, twice=False)",
            "True",
        ): "what is left out costs nothing, once or twice",
    },
    "update_cost": {
        ("if not 0 < before < after:", "0 < before <= after"): EITHER,
        (
            "abs(same.per_hour - other.per_hour) < _ROUNDING",
            "abs(same.per_hour - other.per_hour) <= _ROUNDING",
        ): ROUNDING,
        (
            "and abs(same.per_month - other.per_month) < _ROUNDING",
            "abs(same.per_month - other.per_month) <= _ROUNDING",
        ): ROUNDING,
    },
}
"""By file, its line and what stands there instead: why it is the same."""


def reason(mutant: Mutant) -> str:
    """Why no test has to notice a mutant; empty where one has to."""
    line = mutant.file.read_text().splitlines()[mutant.line - 1].strip()
    return ACCEPTED.get(mutant.file.stem, {}).get((line, mutant.now), "")

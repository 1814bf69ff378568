"""The machines of a fabric are in one zone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from gpuinfra.model import Group
from gpuinfra.rules.fabric import clusters, fabric_fact_check, separation_fix
from gpuinfra.rules.rule import Finding, Rule, RuleInput, not_knowable, violated

EACH_FABRIC: Final = fabric_fact_check(
    lambda fabric: fabric.one_zone,
    good="one zone",
    bad="its machines may be in several zones",
    unknown="the zones of its machines are unknown",
)


def check(rule_input: RuleInput, settings: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each declared fabric, and single machines that are likely one cluster."""
    yield from EACH_FABRIC(rule_input, settings)
    for together in clusters(rule_input.plan.groups).values():
        first, *other_groups = together
        zones_text = _several_zones(together)
        fix = separation_fix(tuple(together), RULE.fix)
        if zones_text:
            message = (
                f"it and {len(other_groups)} more are in several zones: {', '.join(zones_text)}"
            )
            yield violated(first.subject, message, fix=fix)
        elif not _are_linked([_places(group) for group in together]):
            message = f"it and {len(other_groups)} more are in subnets whose zones are unknown"
            yield not_knowable(first.subject, message, fix=fix)


def _several_zones(together: Sequence[Group]) -> list[str]:
    """Return the zones of machines, by name or by id; empty unless there are several."""
    names = {zone for group in together for zone in group.rung.zones}
    ids = {zone for group in together if group.fabric for zone in group.fabric.zone_ids}
    zones = names if len(names) > 1 else ids
    return sorted(zones) if len(together) > 1 and len(zones) > 1 else []


def _places(group: Group) -> set[str]:
    """Return what tells the zone of one machine: its name, its id, and the subnets in it."""
    fabric = group.fabric
    fabric_places = () if fabric is None else (*fabric.zone_ids, *fabric.subnets)
    return {*group.rung.zones, *fabric_places}


def _are_linked(zone_sets: Iterable[set[str]]) -> bool:
    """Return whether machines are surely in one zone, as far as they tell any place.

    Those that share a place are; each machine that tells none has a finding of its own.
    """
    unlinked = [zone_set for zone_set in zone_sets if zone_set]
    linked_zones = unlinked.pop() if unlinked else set()
    while neighbours := [zone_set for zone_set in unlinked if zone_set & linked_zones]:
        linked_zones.update(*neighbours)
        unlinked = [zone_set for zone_set in unlinked if not zone_set & linked_zones]
    return not unlinked


RULE = Rule(
    id="fabric-one-zone",
    family="fabric",
    title="A fabric is in one zone",
    why="RDMA traffic does not cross zones; ranks in two zones never connect.",
    fix="keep the group in one zone: one subnet, one zone",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-limits",
    check=check,
    alone=True,
)

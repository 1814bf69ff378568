"""The machines of a fabric are in one zone."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.fabric import clusters, fabric_fact_check
from gpuinfra.rules.rule import Finding, Rule, RuleInput, settings_hint, violated

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
        named = {zone for group in together for zone in group.rung.zones}
        ids = {zone for group in together if group.fabric for zone in group.fabric.zone_ids}
        zones = sorted(named if len(named) > 1 else ids)
        if len(together) > 1 and len(zones) > 1:
            first, *others = together
            yield violated(
                first.subject,
                f"it and {len(others)} more are in several zones: {', '.join(zones)}",
                fix=f"{RULE.fix}; if each machine works alone, say so "
                f"{settings_hint(first.name, 'fabric: none')}",
            )


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

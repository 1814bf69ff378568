"""The machines of a fabric are placed close together."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.observed_rules import judges
from gpuinfra.model import Fabric, Group, Unknown
from gpuinfra.rules.fabric import judge_fabrics, separation_fix, training_groups, whose_machines
from gpuinfra.rules.fault_findings import judge_rule_faults
from gpuinfra.rules.rule import (
    FactMessages,
    Finding,
    Rule,
    RuleInput,
    fine,
    not_applicable,
    not_knowable,
    violated,
)

CLOSE: Final = {
    "cluster": "cluster placement",
    "compact": "compact placement",
}
"""Strategies that keep machines together, by the word of the model: AWS, Google Cloud."""

WORDS: Final = FactMessages(good="close together", unknown="its placement is unknown")


def _group(group: Group, fabric: Fabric, *, from_file: bool) -> Finding:
    placement = fabric.placement
    if judges(group.cloud, "fabric-scale-set"):
        return not_applicable(
            group.subject, "its scale set places its machines: see fabric-scale-set"
        )
    finding = judge_rule_faults(group.subject, fabric.faults, RULE.id, WORDS)
    if finding.outcome != "fine":
        return finding
    if isinstance(placement, Unknown):
        return not_knowable(group.subject, "its placement is unknown")
    if group.rung.capacity == "capacity-block":
        return _capacity_block_finding(group, placement)
    if placement in CLOSE:
        return fine(group.subject, CLOSE[placement])
    return _placement_finding(group, placement, from_file=from_file)


def _capacity_block_finding(group: Group, placement: str | None) -> Finding:
    if placement is None:
        return fine(group.subject, "the cloud places the machines of a capacity block")
    return violated(
        group.subject,
        f"its capacity block is in a {placement} placement group",
        fix="remove the placement group: EC2 already places the machines close together",
    )


def _placement_finding(group: Group, placement: str | None, *, from_file: bool) -> Finding:
    if placement is None and group.rung.capacity == "reserved":
        return violated(
            group.subject,
            "the placement group of its reservation is not named, so its machines may "
            "be far apart",
            fix=f"{NAME_IT_FIX if from_file else NAMED_IN_RESOURCE}, or make the reservation in a "
            "placement group",
        )
    placement_text = "no placement" if placement is None else f"{placement} placement"
    return violated(group.subject, f"{placement_text}, so its machines may be far apart")


NAME_IT_FIX: Final = "name it: {reserved: {reservation: …, placement_group: …}}"
NAMED_IN_RESOURCE: Final = "set placement.groupName to the reservation's placement group"


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each declared fabric, and whether machines that train together share a placement."""
    yield from judge_fabrics(rule_input, partial(_group, from_file=rule_input.plan.from_file))
    for together in training_groups(rule_input.plan.groups):
        placements = {
            placement
            for group in together
            if group.fabric
            for placement in group.fabric.placements
        }
        if len(placements) > 1:
            yield violated(
                together[0].subject,
                f"{whose_machines(together)} are in {len(placements)} placements, and near each "
                "other only within one",
                fix=separation_fix(together, "put the machines in one placement"),
            )


RULE = Rule(
    id="fabric-placement",
    family="fabric",
    title="Machines of a fabric are placed close together",
    why="Cluster placement gives the lowest latency. EC2 already places the machines of a "
    "capacity block close together; in a placement group, some of them may not start for "
    "insufficient capacity.",
    fix="place the machines together",
    fix_by_cloud={
        "aws": "add a placement group with strategy cluster",
        "gcp": "add a compact placement policy",
    },
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html",
    check=check,
    alone=True,
)

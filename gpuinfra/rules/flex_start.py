"""The settings of machines that wait for their capacity are valid."""

from typing import Final

from gpuinfra.model import Group
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    Words,
    each_group,
    for_each,
    not_applicable,
    reported,
)

WAY: Final = "flex-start"
WORDS: Final = Words(
    good="waits for its machines as the cloud lets it",
    bad="",
    unknown="how its machines are bought is not known yet",
)


def _group(group: Group) -> Finding:
    found = reported(group.subject, group.faults, RULE.id, WORDS)
    ways = group.market.ways
    if found.outcome != "fine" or (isinstance(ways, tuple) and WAY in ways):
        return found
    return not_applicable(group.subject, "nothing waits for its capacity")


RULE = Rule(
    id="flex-start",
    family="spot",
    title="Flex-start is declared as the cloud takes it",
    why="Machines that start when there is capacity run for a limited time and are never spot; "
    "the cloud refuses anything else.",
    fix="set what the message names, or buy on demand or on spot",
    source="https://docs.cloud.google.com/compute/docs/instances/about-flex-start-vms",
    check=for_each(each_group, _group),
    alone=True,
)

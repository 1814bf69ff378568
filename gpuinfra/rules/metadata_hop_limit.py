"""Machine metadata answers over no more network hops than needed.

Containers that use it need two, as the guide of EKS says of a node group's launch template:
https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
"""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.model import Group, Unknown
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    RuleInput,
    Setting,
    each_group,
    fine,
    not_applicable,
    not_knowable,
    violated,
)


def check(rule_input: RuleInput, settings: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group; those of a container platform may have a limit more."""
    most: int = settings["maximum"]
    most_with_containers: int = max(most, settings["containers"])
    return each_group(
        rule_input,
        lambda group: _judge(
            group, most_with_containers if group.safety.runs_containers else most
        ),
    )


def _judge(group: Group, maximum: int) -> Finding:
    limit = group.safety.hop_limit
    if limit is None:
        return not_applicable(group.subject, "its cloud has no metadata hop limit")
    if isinstance(limit, Unknown):
        return not_knowable(
            group.subject, "the metadata hop limit is unknown: the image or account may set it"
        )
    statement = f"metadata hop limit {limit}"
    if limit > maximum:
        return violated(group.subject, f"{statement}, allowed: {maximum}")
    return fine(group.subject, statement)


RULE = Rule(
    id="metadata-hop-limit",
    family="security",
    title="Containers can't reach the metadata service unless allowed",
    why="With a hop limit above 1 every container of the machine can get the credentials "
    "of its role.",
    fix="set metadataOptions.httpPutResponseHopLimit to 1; where containers need the "
    "machine's role, set 2 and allow it in the settings: rules: {metadata-hop-limit: "
    "{workloads: {NAME: {maximum: 2}}}}; machines of EKS node groups, Batch and ECS may have 2",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-IMDS-new-instances.html",
    check=check,
    level="advisory",
    settings=(
        Setting(
            name="maximum",
            kind="whole",
            default=1,
            why="highest hop limit; 2 reaches the machine's containers",
        ),
        Setting(
            name="containers",
            kind="whole",
            default=2,
            why="highest hop limit of machines of EKS node groups, Batch and ECS",
        ),
    ),
    alone=True,
)

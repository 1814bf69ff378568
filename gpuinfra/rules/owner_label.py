"""Machines, buckets and file systems carry an owner tag."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from gpuinfra.clouds import provider_of
from gpuinfra.model import Bucket, FileSystem, Group, Unknown
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    RuleInput,
    Setting,
    fine,
    not_applicable,
    not_knowable,
    violated,
)


def check(rule_input: RuleInput, settings: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge every resource that costs money and supports labels."""
    plan = rule_input.plan
    rows: tuple[Group | Bucket | FileSystem, ...] = (
        *plan.groups,
        *plan.buckets,
        *plan.file_systems,
    )
    if not rows:
        yield not_applicable(plan.name, "no resource supports tags")
    for row in rows:
        yield _judge(row, settings)


def _judge(row: Group | Bucket | FileSystem, settings: Mapping[str, Any]) -> Finding:
    subject, labels, tag_word = row.subject, row.labels, provider_of(row.cloud).tag_word
    if labels is None:
        return not_applicable(subject, f"it supports no {tag_word}s")
    if isinstance(labels, Unknown):
        return not_knowable(subject, f"its {tag_word}s are not known yet")
    required = {kind: settings[kind] for kind in ("owner", "cost") if settings[kind]}
    missing = [
        label_kind for label_kind, keys in required.items() if not _has_one_of(labels, keys)
    ]
    if missing:
        names = (
            f"no {label_kind} {tag_word} ({' or '.join(required[label_kind])})"
            for label_kind in missing
        )
        keys = " and ".join(required[label_kind][0] for label_kind in missing)
        noun = f"{tag_word}s" if len(missing) > 1 else tag_word
        return violated(
            subject,
            "; ".join(names),
            fix=f"add the {noun} {keys}: {RULE.fix_by_cloud[row.cloud]}",
        )
    return fine(subject, f"it has a {tag_word} for its {' and '.join(required) or 'name'}")


def _has_one_of(labels: Collection[str], label_keys: Collection[str]) -> bool:
    """Return whether a label has one of the names, ignoring case."""
    lowered = {label.lower() for label in labels}
    return any(tag_word.lower() in lowered for tag_word in label_keys)


RULE = Rule(
    id="owner-label",
    family="hygiene",
    title="Billable resources carry an owner tag or label",
    why="A machine without a known owner is often left running.",
    fix="add a tag or label for its owner, for example owner with the team's name",
    fix_by_cloud={
        "aws": "set it in tags; for a group's machines, set it in the launch template, or "
        "propagate it from the scaling group",
        "gcp": "set it in labels; for the nodes of GKE, in nodeConfig.resourceLabels",
        "azure": "set it in tags; for the nodes of AKS, in the tags of the pool",
    },
    source="https://docs.aws.amazon.com/whitepapers/latest/tagging-best-practices/tags-for-cost-allocation-and-financial-management.html",
    check=check,
    level="advisory",
    alone=True,
    settings=(
        Setting(
            name="owner",
            kind="words",
            default=("owner", "team", "gpuinfra:owner", "gpuinfra-owner"),
            why="Label keys that name the owner; one of them is required. Case is ignored.",
        ),
        Setting(
            name="cost",
            kind="words",
            default=(),
            why="Label keys that name the cost centre, for example cost-center; by default "
            "none is required.",
        ),
    ),
)

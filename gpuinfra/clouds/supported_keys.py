"""The stack-file keys that each cloud supports: an allow-list, with the reasons for refusals.

A word is a key of the whole file, of a workload or of a bucket; `section.key` below `budget`,
`capacity` and `scale_on`, and `capacity.KIND` for a way to buy. A word that is not listed is
refused everywhere, so that a new key of the grammar can't be forgotten.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds import CLOUDS, title

_TABLE: Final[Mapping[str, Any]] = json.loads(
    Path(__file__).with_name("accepts.json").read_bytes()
)

EVERYWHERE: Final = frozenset[str](_TABLE["everywhere"])
"""What every cloud builds, or judges by itself: requests_per_target, say, with its reason."""

_POOLS: Final = "a pool's autoscaler replaces machines that end; run `gpuinfra destroy` instead"
"""https://docs.cloud.google.com/compute/docs/autoscaler/understanding-autoscaler-decisions,
https://learn.microsoft.com/azure/azure-monitor/autoscale/autoscale-best-practices"""

REFUSAL_REASONS: Final[Mapping[str, tuple[Mapping[str, str], str]]] = {
    word: (row["by_cloud"], row["why"])
    for row in _TABLE["aws_only"]
    if "by_cloud" in row
    for word in row["words"]
}
"""The reason why each other cloud refuses a key, where it differs, and the fix."""


def _reason(row: Mapping[str, Any]) -> str:
    reasons = (f"{title(cloud)}: {why}" for cloud, why in row.get("by_cloud", {}).items())
    return "; ".join((*reasons, row["why"]))


AWS_ONLY: Final[Mapping[str, str]] = {
    word: _reason(row) for row in _TABLE["aws_only"] for word in row["words"]
}
"""Keys that only AWS supports, with the reason and, if known, the fix for other clouds."""

RESOURCES_INSTEAD: Final[Mapping[tuple[str, str], str]] = {
    (word, cloud): types
    for row in _TABLE["aws_only"]
    for cloud, types in row.get("in_programs", {}).items()
    for word in row["words"]
}
"""The types that a Pulumi program declares instead of a key, by the key and the cloud."""

NOT_IN_POOLS: Final[Mapping[str, frozenset[str]]] = {"time_to_live": frozenset({"gcp", "azure"})}
"""Words that a cloud builds for training workloads alone."""

STACK_ONLY_KEYS: Final[Mapping[str, frozenset[str]]] = {"time_to_live": frozenset({"aws"})}
"""Words that a cloud builds with resources of the whole stack, which a component alone has not."""


def accepts(cloud: str, key_word: str, *, pool: bool = False) -> bool:
    """Return whether a cloud builds a word of the stack file, for a pool if `pool` is set."""
    if pool and cloud in NOT_IN_POOLS.get(key_word, ()):
        return False
    return key_word in EVERYWHERE or (cloud == "aws" and key_word in AWS_ONLY)


def builders_of(key_word: str, *, pool: bool = False) -> tuple[str, ...]:
    """Return the clouds that build a word."""
    return tuple(cloud for cloud in CLOUDS if accepts(cloud, key_word, pool=pool))


def reason(key_word: str, cloud: str = "") -> str:
    """Return why a cloud refuses a word, and what to use instead.

    Empty for a word that no cloud builds.

    Without a cloud, why each of them does.
    """
    if key_word in NOT_IN_POOLS:
        return _POOLS if cloud else f"supported in pools on AWS only; elsewhere {_POOLS}"
    reasons, suggestion = REFUSAL_REASONS.get(key_word, ({}, ""))
    if cloud in reasons:
        return f"{reasons[cloud]}; {suggestion}"
    return AWS_ONLY.get(key_word, "")

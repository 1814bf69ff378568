"""Fixes that add a key to a workload of a stack file."""

from dataclasses import replace

from gpuinfra.clouds.supported_keys import accepts, reason
from gpuinfra.model import Group
from gpuinfra.rules.rule import Finding, as_note


def with_key_fix(finding: Finding, group: Group, key: str, value: str) -> Finding:
    """Return the finding with the key that fixes it, on its cloud or another that is allowed.

    Where none of them takes the key, it is a note.
    """
    if accepts(group.cloud, key):
        return replace(finding, fix=f"add {key}: {value}")
    elsewhere = group.cloud_reasons.elsewhere
    other_locations = [key_text for cloud, key_text in elsewhere if accepts(cloud, key)]
    if other_locations:
        moves = f"{group.name} then moves to {' or '.join(other_locations)}"
        return replace(finding, fix=f"add {key}: {value}; {moves}")
    return as_note(
        finding, f"{key} is not supported on {group.cloud} yet: {reason(key, group.cloud)}"
    )

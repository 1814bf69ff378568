"""A finding of a stack file that adding a key of a workload fixes."""

from dataclasses import replace

from gpuinfra.clouds.accepts import accepts, reason
from gpuinfra.model import Group
from gpuinfra.rules.rule import Finding, noted


def mended(finding: Finding, group: Group, key: str, value: str) -> Finding:
    """The finding with the key that fixes it, on this cloud or on one that the file allows.

    Where none of them takes the key, it is a note.
    """
    if accepts(group.cloud, key):
        return replace(finding, fix=f"add {key}: {value}")
    elsewhere = [words for cloud, words in group.elsewhere if accepts(cloud, key)]
    if elsewhere:
        moves = f"{group.name} then moves to {' or '.join(elsewhere)}"
        return replace(finding, fix=f"add {key}: {value}; {moves}")
    return noted(
        finding, f"{key} is not supported on {group.cloud} yet: {reason(key, group.cloud)}"
    )

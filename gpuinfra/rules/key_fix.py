"""The fix of a stack file that adds a key of a workload."""

from gpuinfra.clouds.accepts import accepts
from gpuinfra.model import Group
from gpuinfra.rules.rule import accepted


def key_added(group: Group, key: str, value: str, rule: str) -> str:
    """The fix of a stack file that adds a key: on this cloud, else on one that the file allows."""
    if accepts(group.cloud, key):
        return f"add {key}: {value}"
    elsewhere = [words for cloud, words in group.elsewhere if accepts(cloud, key)]
    if elsewhere:
        return f"add {key}: {value}; {group.name} then moves to {' or '.join(elsewhere)}"
    return f"{key} is not supported on {group.cloud} yet; {accepted(rule)}"

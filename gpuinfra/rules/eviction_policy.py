"""Only machines that may be evicted say what happens at an eviction."""

from gpuinfra.rules.faults import of_faults
from gpuinfra.rules.rule import Rule

RULE = Rule(
    id="eviction-policy",
    family="spot",
    title="Only spot machines have an eviction policy",
    why="Azure refuses an eviction policy on a regular machine. A policy there often means "
    "that spot was intended.",
    fix="remove the eviction policy, or set the priority to Spot",
    source="https://learn.microsoft.com/azure/virtual-machines/spot-vms",
    check=of_faults(
        "eviction-policy",
        good="no eviction policy; its machines are never evicted",
        unknown="it is not known yet whether its machines can be evicted",
    ),
    alone=True,
)

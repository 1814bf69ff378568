"""Scaling settings are valid."""

from gpuinfra.rules.faults import of_faults
from gpuinfra.rules.rule import Rule

RULE = Rule(
    id="scaling-settings",
    family="hygiene",
    title="Scaling settings are valid",
    why="The cloud refuses limits that contradict each other, and a warm pool beside spot "
    "machines.",
    fix="correct the limits, and remove either the warm pool or the spot machines",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-warm-pools.html",
    check=of_faults(
        "scaling-settings",
        good="scaling settings are valid",
        unknown="its scaling settings are not known yet",
    ),
    alone=True,
)

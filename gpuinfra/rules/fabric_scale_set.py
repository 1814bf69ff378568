"""The machines of a fabric stand in one scale set that keeps them together."""

from gpuinfra.rules.fabric import of_faults
from gpuinfra.rules.rule import Rule

RULE = Rule(
    id="fabric-scale-set",
    family="fabric",
    title="Machines of a fabric are in one scale set with a single placement group",
    why="InfiniBand connects only the machines of one placement group of one scale set; "
    "other machines fall back to TCP without an error.",
    fix="use one uniform scale set of at most 100 machines with singlePlacementGroup true "
    "and overprovision false",
    source="https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-placement-groups",
    check=of_faults(
        "fabric-scale-set",
        "its cloud connects machines without a scale set",
        good="one scale set in one placement group",
        unknown="the placement settings of its scale set are not known yet",
    ),
    alone=True,
)

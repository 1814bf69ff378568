"""Every interface of a fabric sits on a card, and in a place of it, that the machine has."""

from gpuinfra.rules.fabric import of_faults
from gpuinfra.rules.rule import Rule

RULE = Rule(
    id="fabric-cards",
    family="fabric",
    title="Each fabric interface has a valid network card",
    why="The launch fails when an interface names a card or a device index that the "
    "machine doesn't have.",
    fix="number the cards from 0, and the devices of each card from 0; a card takes one "
    "EFA interface",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-eni.html#network-cards",
    check=of_faults(
        "fabric-cards",
        "its cloud has no network cards to declare",
        good="each interface is on an existing network card",
        unknown="the network cards of its interfaces are not known yet",
    ),
    alone=True,
)

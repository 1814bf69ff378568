"""Every interface of a fabric sits on a card, and in a place of it, that the machine has."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.rules.fabric import of_faults
from gpuinfra.rules.rule import Finding, Judged, Rule, Words

WORDS: Final = Words(
    good="its interfaces sit on cards that the machine has",
    bad="",
    unknown="on which cards its interfaces sit is not known yet",
)


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each declared fabric."""
    nothing = "declares no network cards"
    return of_faults(judged, RULE.id, WORDS, nothing)


RULE = Rule(
    id="fabric-cards",
    family="fabric",
    title="Each interface of a fabric has a place on a card",
    why="An interface on a card or device that the machine lacks makes the launch fail.",
    fix="count the cards from 0, and the devices of each card from 0 anew; a card takes one EFA "
    "interface",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-eni.html#network-cards",
    check=check,
    alone=True,
)

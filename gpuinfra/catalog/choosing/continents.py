"""In which part of the world a region is, by its name; regions of several clouds side by side."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

_PARTS: Final = {
    "Europe": r"eu-|europe|north?europe|westeurope|austria|belgium|denmark|france|germany|italy"
    r"|norway|poland|spain|sweden|switzerland|uk",
    "the United States": r"us-(?!gov)|(north|south|east|west)*(central)?us",
    "Canada and Mexico": r"ca-|mx-|northamerica|canada|mexico",
    "South America": r"sa-|southamerica|brazil|chile",
    "Africa": r"af-|africa|southafrica",
    "the Middle East": r"me-|il-|israel|qatar|uae",
    "Asia and Oceania": r"ap-|asia|australia|newzealand|(east|southeast)asia|japan|korea|jioindia"
    r"|indonesia|malaysia|taiwan|(central|south|west)india",
}
"""How names of regions begin on AWS, Google Cloud and Azure, which all name a place:
https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html
https://docs.cloud.google.com/compute/docs/regions-zones
https://learn.microsoft.com/azure/reliability/regions-list"""


def continent(region: str) -> str | None:
    """The part of the world that a region is in; None where its name does not tell."""
    return next((part for part, names in _PARTS.items() if re.match(names, region)), None)


def beside(region: str, others: Sequence[str]) -> tuple[str, ...]:
    """Those of other regions that are in the same part of the world, the likest name first."""
    part = continent(region)
    same = [other for other in others if part is not None and continent(other) == part]
    words = _words(region)
    return tuple(sorted(same, key=lambda other: (-_likeness(words, _words(other)), other)))


def _words(region: str) -> str:
    """A name without what clouds write differently: its part of the world, hyphens, numbers."""
    return "".join(re.findall(r"north|south|east|west|central", region))


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()

"""The continents of regions, so that a place can be asked for without a region's name."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from gpuinfra.catalog.tables import TABLES


def continents() -> tuple[str, ...]:
    """The words for continents, for example europe and north-america."""
    return tuple(TABLES.table("continents")["continents"])


def regions_of(continent: str, clouds: Sequence[str]) -> tuple[str, ...]:
    """The regions of clouds on a continent; none where the word is no continent."""
    by_cloud = TABLES.table("continents")["continents"].get(continent, {})
    return tuple(dict.fromkeys(region for cloud in clouds for region in by_cloud.get(cloud, ())))


def continent_of(region: str) -> str | None:
    """The continent of a region of any cloud; None where no table has the region."""
    by_continent = TABLES.table("continents")["continents"]
    return next(
        (
            continent
            for continent, by_cloud in by_continent.items()
            if any(region in regions for regions in by_cloud.values())
        ),
        None,
    )


def on_one_continent(region: str, others: Sequence[str]) -> tuple[str, ...]:
    """Those of other regions that are on the continent of a region, the likest name first."""
    continent = continent_of(region)
    directions = _directions(region)

    def unlike(other: str) -> tuple[float, str]:
        return -SequenceMatcher(None, directions, _directions(other)).ratio(), other

    same = (other for other in others if continent and continent_of(other) == continent)
    return tuple(sorted(same, key=unlike))


def _directions(region: str) -> str:
    """What names of regions have in common on all clouds."""
    return "".join(re.findall(r"north|south|east|west|central", region))

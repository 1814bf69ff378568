"""The continents of regions, so that a location can be given without a region's name."""

import re
from collections.abc import Sequence
from typing import Final

from gpuinfra.catalog.tables import TABLES
from gpuinfra.clouds import PRICED_CLOUDS, all_regions
from gpuinfra.clouds.region_hints import regions_in, same_city

_OTHER_NAMES: Final = {"eu": "europe"}


def continents() -> tuple[str, ...]:
    """Return the names of continents, for example europe and north-america."""
    return tuple(TABLES.table("continents")["continents"])


def regions_of(continent: str, clouds: Sequence[str]) -> tuple[str, ...]:
    """Return the regions of clouds on a continent, in any spelling; empty for an unknown one."""
    word = re.sub(r"[ _]+", "-", continent.strip().lower())
    by_cloud = TABLES.table("continents")["continents"].get(_OTHER_NAMES.get(word, word), {})
    return tuple(dict.fromkeys(region for cloud in clouds for region in by_cloud.get(cloud, ())))


def continent_of(region: str) -> str | None:
    """Return the continent of a region of any cloud; None where no table has the region."""
    by_continent = TABLES.table("continents")["continents"]
    return next(
        (
            continent
            for continent, by_cloud in by_continent.items()
            if any(region in regions for regions in by_cloud.values())
        ),
        None,
    )


def on_one_continent(region: str, other_regions: Sequence[str]) -> tuple[str, ...]:
    """Return the other regions on the continent of a region, the most similar name first."""
    from difflib import SequenceMatcher  # noqa: PLC0415  (only a place without the GPUs asks)

    continent = continent_of(region)
    directions = _directions(region)

    def unlike(other: str) -> tuple[float, str]:
        return -SequenceMatcher(None, directions, _directions(other)).ratio(), other

    same = (other for other in other_regions if continent and continent_of(other) == continent)
    return tuple(sorted(same, key=unlike))


def nearest_to(region: str, other_regions: Sequence[str]) -> str:
    """Return another region in the same city or country, else on the continent; or ""."""
    return same_city(region, other_regions) or next(
        iter(on_one_continent(region, other_regions)), ""
    )


def nearest_region(place: str, known_regions: Sequence[str]) -> str:
    """Return the known region nearest to a city or country that has none; empty for another one.

    It is in the same country, else on the same continent.
    """
    there = regions_in(place, all_regions(PRICED_CLOUDS))
    if not there or not set(there).isdisjoint(known_regions):
        return ""
    return nearest_to(there[0], known_regions)


def _directions(region: str) -> str:
    """Return the compass directions in a region's name, which all clouds use."""
    return "".join(re.findall(r"north|south|east|west|central", region))

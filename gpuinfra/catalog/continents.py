"""The continents of regions, so that a place can be asked for without a region's name."""

from collections.abc import Sequence

from gpuinfra.catalog.tables import TABLES


def continents() -> tuple[str, ...]:
    """The words for continents, for example europe and north-america."""
    return tuple(TABLES.table("continents")["continents"])


def regions_of(continent: str, clouds: Sequence[str]) -> tuple[str, ...]:
    """The regions of clouds on a continent; none where the word is no continent."""
    by_cloud = TABLES.table("continents")["continents"].get(continent, {})
    return tuple(dict.fromkeys(region for cloud in clouds for region in by_cloud.get(cloud, ())))

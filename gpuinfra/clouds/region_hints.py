"""Suggestions for an unknown region: the region of a city, or the closest spelling."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Final

from gpuinfra.similar_words import close_matches, nearest

_MAX_NEAREST_REGIONS: Final = 3
"""Of so many regions that are as near as each other, each is named."""

_LEAST_LIKENESS: Final = 0.75
"""Of a place to be suggested: the name of another city may have as many letters in common."""


@cache
def _cities() -> Mapping[str, Mapping[str, Sequence[str]]]:
    content = json.loads(Path(__file__).with_name("cities.json").read_bytes())
    return dict(content["cities"])


def _regions_in_city(city: str) -> Mapping[str, Sequence[str]]:
    """Return the regions in a place, by their cloud."""
    return _cities().get(_plain(city).strip().lower().replace("-", " ").replace("_", " "), {})


def _plain(text: str) -> str:
    """Return a text without accents: Sao Paulo of São Paulo."""
    letters = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def regions_in(city: str, known_regions: Sequence[str]) -> tuple[str, ...]:
    """Return the known regions in a city or country, or a few of a continent.

    None for an unknown place.
    """
    return tuple(
        region
        for regions in _regions_in_city(city).values()
        for region in regions
        if region in known_regions
    )


def nearest_place(place_word: str) -> str:
    """Return the city, country or continent that a wrong word probably means; empty for none."""
    return nearest(place_word, _cities())


def same_city(region: str, known_regions: Sequence[str]) -> str:
    """Return the first known region in the same city, state or country; or ""."""
    shared = (
        other
        for by_cloud in _cities().values()
        if any(region in regions for regions in by_cloud.values())
        for regions in by_cloud.values()
        for other in regions
    )
    return next((other for other in shared if other in known_regions), "")


def region_hint(region: str, known_regions: Sequence[str]) -> tuple[str, str]:
    """Return the region that an unknown one probably means, and what to write; or ""."""
    same_place_regions = [
        next((candidate for candidate in regions if candidate in known_regions), "")
        for regions in _regions_in_city(region).values()
    ]
    if any(same_place_regions):
        return "", f"write {' or '.join(filter(None, same_place_regions))}, in {region}"
    near_regions = list(dict.fromkeys(close_matches(region, known_regions)))
    if 1 < len(near_regions) <= _MAX_NEAREST_REGIONS:
        return near_regions[0], f"write {' or '.join(near_regions)}"
    suggestion, place_name = nearest(region, known_regions), nearest_place(region)
    likeness = _likeness(place_name, region)
    if likeness >= _LEAST_LIKENESS and likeness > _likeness(suggestion, region):
        return "", f"did you mean {place_name}? {region_hint(place_name, known_regions)[1]}"
    return suggestion, ""


def _likeness(wrong_word: str, typed: str) -> float:
    return SequenceMatcher(None, wrong_word, typed.lower()).ratio() if wrong_word else 0

"""Which region an unknown one may mean: one of a city, or one that a slip of a typist leads to."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from gpuinfra.errors import as_near, nearest

_FEW: Final = 3
"""Of so many regions that are as near as each other, each is named."""


@cache
def _cities() -> Mapping[str, Mapping[str, Sequence[str]]]:
    content = json.loads(Path(__file__).with_name("cities.json").read_bytes())
    return dict(content["cities"])


def regions_in(city: str, known: Sequence[str]) -> tuple[str, ...]:
    """The known regions in a city, a country or on a continent; none of a place unknown here."""
    plain = city.strip().lower().replace("-", " ").replace("_", " ")
    by_cloud = _cities().get(plain, {})
    return tuple(it for regions in by_cloud.values() for it in regions if it in known)


def region_hint(region: str, known: Sequence[str]) -> tuple[str, str]:
    """The region that an unknown one probably means, and what to write; each may be empty."""
    there = regions_in(region, known)
    if there:
        return "", f"write {' or '.join(there)}, in {region}"
    near = list(dict.fromkeys(as_near(region, known)))
    if 1 < len(near) <= _FEW:
        return near[0], f"write {' or '.join(near)}"
    return nearest(region, known), ""

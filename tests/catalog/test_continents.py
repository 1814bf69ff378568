"""Every region of the tables stands on a continent, and on one alone."""

from collections import Counter

import pytest

from gpuinfra.catalog.continents import continents, regions_of
from gpuinfra.clouds import PRICED, priced


@pytest.mark.parametrize("cloud", PRICED)
def test_every_region_is_on_one_continent(cloud: str) -> None:
    counted = Counter(
        region for continent in continents() for region in regions_of(continent, (cloud,))
    )

    assert set(counted) == set(priced(cloud).regions.all())
    assert set(counted.values()) == {1}


def test_what_is_no_continent_has_no_regions() -> None:
    assert regions_of("us-east-1", PRICED) == ()

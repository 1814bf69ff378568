"""Every region of the tables stands on a continent, and on one alone."""

from collections import Counter

import pytest

from gpuinfra.catalog.continents import continent_of, continents, on_one_continent, regions_of
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of


@pytest.mark.parametrize("cloud", PRICED_CLOUDS)
def test_every_region_is_on_one_continent(cloud: str) -> None:
    counted = Counter(
        region for continent in continents() for region in regions_of(continent, (cloud,))
    )

    assert set(counted) == set(priced_cloud_of(cloud).regions.all())
    assert set(counted.values()) == {1}


def test_a_continent_is_known_in_any_case() -> None:
    assert regions_of("Europe", PRICED_CLOUDS) == regions_of("europe", PRICED_CLOUDS) != ()


def test_what_is_no_continent_has_no_regions() -> None:
    assert regions_of("us-east-1", PRICED_CLOUDS) == ()


def test_regions_of_the_same_continent_the_likest_name_first() -> None:
    aws = priced_cloud_of("aws").regions.all()

    assert on_one_continent("europe-west4", aws)[:3] == ("eu-west-1", "eu-west-2", "eu-west-3")
    assert on_one_continent("eastus", aws)[:2] == ("us-east-1", "us-east-2")
    assert continent_of("mars-1") is None
    assert on_one_continent("mars-1", aws) == ()

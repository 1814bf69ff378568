"""Regions of several clouds by the part of the world that their names tell."""

import pytest

from gpuinfra.catalog.choosing.continents import beside, continent
from gpuinfra.clouds import CLOUDS, priced


@pytest.mark.parametrize("cloud", CLOUDS)
def test_each_region_is_in_a_part_of_the_world(cloud):
    apart = {"cn-north-1", "cn-northwest-1", "us-gov-east-1", "us-gov-west-1"}

    unknown = {region for region in priced(cloud).regions.all() if continent(region) is None}

    assert unknown <= apart, "an account of another partition has these"


@pytest.mark.parametrize(
    ("region", "part"),
    [
        ("europe-west4", "Europe"),
        ("northeurope", "Europe"),
        ("uksouth", "Europe"),
        ("eastus2", "the United States"),
        ("northcentralus", "the United States"),
        ("us-central1", "the United States"),
        ("northamerica-northeast1", "Canada and Mexico"),
        ("ca-west-1", "Canada and Mexico"),
        ("brazilsouth", "South America"),
        ("southafricanorth", "Africa"),
        ("southeastasia", "Asia and Oceania"),
        ("australiaeast", "Asia and Oceania"),
        ("centralindia", "Asia and Oceania"),
        ("uaenorth", "the Middle East"),
        ("mars-1", None),
    ],
)
def test_a_name_tells_the_part_of_the_world(region, part):
    assert continent(region) == part


def test_the_likest_name_goes_first():
    aws = priced("aws").regions.all()

    assert beside("europe-west4", aws)[:3] == ("eu-west-1", "eu-west-2", "eu-west-3")
    assert beside("eastus", aws)[:2] == ("us-east-1", "us-east-2")
    assert beside("mars-1", aws) == ()

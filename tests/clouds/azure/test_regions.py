import pytest

from gpuinfra.clouds.azure.regions import REGIONS, zone_number
from gpuinfra.model import UNKNOWN


def test_zones_are_named_after_their_region() -> None:
    assert REGIONS.zones("eastus") == ("eastus-1", "eastus-2", "eastus-3")
    assert REGIONS.zones("eastus2") == ("eastus2-1", "eastus2-2", "eastus2-3")
    assert REGIONS.zones("westus") == REGIONS.zones("nowhere") == ()
    assert [zone_number(zone) for zone in REGIONS.zones("eastus2")] == ["1", "2", "3"]


def test_no_zone_has_two_regions() -> None:
    every = [zone for region in REGIONS.all() for zone in REGIONS.zones(region)]

    assert len(every) == len(set(every))


@pytest.mark.parametrize(
    ("preferred", "count", "expected"),
    [
        ((), 1, ()),
        ((), 2, ()),
        (("eastus2-1", "eastus-2", "eastus-3"), 1, ("eastus-2",)),
        (("eastus2-1", "eastus-2", "eastus-3"), 2, ("eastus-2", "eastus-3")),
        (("eastus2-1",), 1, ()),
    ],
)
def test_machines_stand_in_wanted_zones_and_else_where_azure_puts_them(
    preferred: tuple[str, ...], count: int, expected: tuple[str, ...]
) -> None:
    assert REGIONS.chosen("eastus", preferred, count) == expected


def test_a_zone_price_is_for_that_zone() -> None:
    assert REGIONS.may_use("eastus-1", ("eastus-1",))
    assert not REGIONS.may_use("eastus-1", ())


@pytest.mark.parametrize(
    ("places", "region"),
    [
        (({"location": "East US 2"},), "eastus2"),
        (({}, {"location": "westeurope"}), "westeurope"),
        (({"location": UNKNOWN}, {"location": "westeurope"}), UNKNOWN),
        (({}, {}), None),
    ],
)
def test_a_resource_stands_where_it_says_or_where_its_provider_says(places, region) -> None:
    assert REGIONS.of_resource(*places) == region


def test_a_display_name_is_a_region() -> None:
    assert REGIONS.table_spelling("South Central US") in REGIONS.all()

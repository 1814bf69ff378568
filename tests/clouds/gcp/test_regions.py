import pytest

from gpuinfra.clouds.gcp.machines import MACHINES, machine
from gpuinfra.clouds.gcp.regions import REGIONS, offered_zones
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.model import UNKNOWN


def test_machines_go_where_they_are_offered() -> None:
    ultra = machine("a3-ultragpu-8g")

    assert REGIONS.chosen("us-central1", machine=ultra) == ("us-central1-b",)
    assert REGIONS.chosen("us-central1") == ("us-central1-a",)
    assert REGIONS.chosen("us-east1", (), 2, machine("g2-standard-4")) == (
        "us-east1-b",
        "us-east1-c",
    )
    assert REGIONS.chosen("us-east4", (), 2, machine("g2-standard-4")) == (
        "us-east4-a",
        "us-east4-c",
    )


def test_where_nobody_knows_any_zone_will_do() -> None:
    unknown = machine("a4x-highgpu-4g")

    assert offered_zones(unknown.type, "us-central1") == ()
    assert REGIONS.chosen("us-central1", (), 2, unknown) == ("us-central1-a", "us-central1-b")


def test_wanted_zones_come_first_and_only_those_of_the_region() -> None:
    preferred = ("us-west1-b", "us-central1-f", "us-central1-b")
    ultra = machine("a3-ultragpu-8g")

    assert REGIONS.chosen("us-central1", preferred) == ("us-central1-f",)
    assert REGIONS.chosen("us-central1", preferred, 2) == ("us-central1-f", "us-central1-b")
    assert REGIONS.chosen("us-central1", preferred, 1, ultra) == ("us-central1-b",)
    assert REGIONS.chosen("us-central1", ("us-central1-f",), 1, ultra) == (), (
        "no wanted zone has it"
    )


def test_every_offered_zone_is_one_of_a_region_that_has_the_machine() -> None:
    for row in MACHINES.all_machines():
        having = {region for region in REGIONS.all() if offered_zones(row.type, region)}
        assert having == set(row.regions), row.type


def test_address_blocks_are_one_for_each_region() -> None:
    blocks = TABLES.table("regions")["blocks"]

    assert sorted(blocks) == list(REGIONS.all())
    assert len(blocks) <= 64


def test_a_price_of_a_zone_counts_where_machines_may_stand() -> None:
    assert REGIONS.may_use("us-central1-a", REGIONS.zones("us-central1"))
    assert not REGIONS.may_use("us-central1-b", ("us-central1-a",))


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        (({"region": "us-central1"}, {}), "us-central1"),
        (({"zone": "us-central1-a"}, {}), "us-central1"),
        (({"zone": "projects/p/zones/europe-west10-b"}, {}), "europe-west10"),
        (({"location": "US-CENTRAL1"}, {}), "us-central1"),
        (({"location": "us-central1-f"}, {}), "us-central1"),
        (({"location": "US"}, {}), "us"),
        (({}, {"region": "us-east4"}), "us-east4"),
        (({}, {"zone": "us-east4-c"}), "us-east4"),
        (({"zone": UNKNOWN}, {"region": "us-east4"}), UNKNOWN),
        (({}, {}), None),
    ],
)
def test_a_resource_says_its_region_in_many_ways(places, expected) -> None:
    assert REGIONS.of_resource(*places) == expected

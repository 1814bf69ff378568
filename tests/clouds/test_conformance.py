"""What every cloud's room has to keep; a new cloud is judged by being listed in CLOUDS."""

import re
from collections import Counter
from decimal import Decimal

import pytest

from gpuinfra.catalog import earliest, gpu
from gpuinfra.clouds import CLOUDS, Room, part, room
from gpuinfra.errors import InputError
from gpuinfra.model import Price, Safety

MODES = ("on-demand", "spot", "reserved-1y", "reserved-3y", "capacity-block")
NAMES = [name for name in vars(Room) if not name.startswith("_") and name != "can"]
UNDATED = re.compile(r"undated.*|\d{4} \(undated\)")


@pytest.fixture(params=CLOUDS)
def cloud(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def known(cloud: str) -> Room:
    return room(cloud)


def all_prices(known: Room) -> list[Price]:
    machines = [
        price
        for machine in known.machines()
        for region in known.regions()
        for mode in MODES
        for price in known.prices(machine.type, region, mode)
    ]
    services = [
        price
        for item in known.service_items()
        for region in known.regions()
        for price in known.prices(item, region, "list")
    ]
    return machines + services


def test_the_room_has_all_that_the_contract_names(known: Room) -> None:
    missing = [name for name in NAMES if not hasattr(known, name)]

    assert missing == []
    assert known.can <= {"prices", "build", "observe"}


def test_what_the_room_can_do_is_there(cloud: str, known: Room) -> None:
    if "observe" in known.can:
        assert callable(part(cloud, "observe").observe)


def test_every_machine_type_is_there_once(cloud: str, known: Room) -> None:
    counts = Counter(machine.type for machine in known.machines())

    assert [name for name, count in counts.items() if count > 1] == []
    assert {machine.cloud for machine in known.machines()} == {cloud}
    assert all(known.machine(machine.type) is machine for machine in known.machines())


def test_every_machine_has_a_known_gpu_with_memory(known: Room) -> None:
    strange = [machine.type for machine in known.machines() if gpu(machine.gpu) is None]
    without = [
        machine.type
        for machine in known.machines()
        if not machine.gpu_memory_nominal_gb or machine.gpu_count <= 0
    ]

    assert strange == []
    assert without == []


def test_nominal_memory_is_that_of_the_gpu_or_its_share(known: Room) -> None:
    for machine in known.machines():
        whole = gpu(machine.gpu).memory_gb
        share = min(Decimal(1), machine.gpu_count)

        assert machine.gpu_memory_nominal_gb == whole * share, machine.type


def test_every_machine_is_sourced_dated_and_somewhere_known(known: Room) -> None:
    for machine in known.machines():
        assert machine.source, machine.type
        assert earliest(machine.as_of), machine.type
        assert set(machine.regions) <= set(known.regions()), machine.type
        assert machine.status in {"current", "retired"}, machine.type


@pytest.mark.parametrize("purpose", ["training", "inference"])
def test_a_public_image_serves_some_machines_and_not_all(known: Room, purpose) -> None:
    served = {known.has_image(machine, purpose) for machine in known.machines()}

    assert served == {True, False}


def test_fabric_and_cards_agree(known: Room) -> None:
    for machine in known.machines():
        if machine.fabric is None:
            assert not machine.fabric_interfaces, machine.type
        if machine.interfaces_per_card is not None and machine.network_cards is not None:
            assert len(machine.interfaces_per_card) == machine.network_cards, machine.type
        if machine.fabric_interfaces and machine.network_cards:
            assert machine.fabric_interfaces <= machine.network_cards, machine.type


def test_every_price_is_positive_sourced_and_dated_or_says_that_it_is_not(known: Room) -> None:
    prices = all_prices(known)

    assert prices
    for price in prices:
        assert price.per_unit > 0, price
        assert price.source, price
        assert earliest(price.as_of) or UNDATED.fullmatch(price.as_of), price
        assert price.maximum is None or price.maximum >= price.per_unit, price
        assert price.unit, price


def test_a_regional_price_stands_once(known: Room) -> None:
    keys = Counter(
        (price.item, price.region, price.mode) for price in all_prices(known) if price.zone is None
    )

    assert [key for key, count in keys.items() if count > 1] == []


def test_every_region_has_zones_of_its_own_or_none(known: Room) -> None:
    found = [zone for region in known.regions() for zone in known.known_zones(region)]

    assert len(set(found)) == len(found) > 0
    for region in known.regions():
        zones = known.known_zones(region)

        assert len(zones) != 1, region
        assert all(zone.startswith(region) for zone in zones), region
        for count in (1, 2):
            # Where the cloud itself places machines in a region, none is named unless wanted.
            assert known.zones(region, (), count) in ((), zones[:count])
            assert known.zones(region, zones[-1:], 1) == zones[-1:]


def test_items_of_workloads_are_in_the_price_table(known: Room) -> None:
    items = (
        *known.training_items("a", "training.a", size=10**12, iops=4000, throughput=500),
        *known.pool_items("b", "inference.b", size=10**12, iops=4000, throughput=500),
        *known.bucket_items("c", "buckets.c", region=None, size_gb=Decimal(10**6)),
        *known.bucket_items("d", "buckets.d", region=None, size_gb=None),
    )
    services = set(known.service_items())

    assert {item.item for item in items} <= services
    for item in items:
        (unit,) = {
            price.unit
            for region in known.regions()
            for price in known.prices(item.item, region, "list")
        }
        assert item.unit == unit, item.item
        assert known.token(item.item), item.item


def test_what_the_build_makes_is_safe(known: Room) -> None:
    expected = Safety(
        metadata_v2=True,
        disks_encrypted=True,
        public_ip=False,
        open_login=False,
        administrator=False,
        long_lived_key=False,
    )

    assert expected == known.SAFETY


def test_an_unknown_cloud_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError) as caught:
        room("gpc")

    assert caught.value.problems[0].allowed == ", ".join(CLOUDS)

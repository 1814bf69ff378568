"""What every cloud's room has to keep; a cloud is judged by being listed in PRICED or CLOUDS."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from decimal import Decimal
from importlib import import_module
from itertools import product
from typing import Any

import pytest

from gpuinfra.catalog import earliest, gpu
from gpuinfra.catalog.book import dearest
from gpuinfra.catalog.terms import term
from gpuinfra.clouds import CLOUDS, PRICED, PricedRoom, Room, block_lead, part, priced_room, room
from gpuinfra.clouds.tables import Tables
from gpuinfra.errors import InputError
from gpuinfra.model import Machine

UNDATED = re.compile(r"undated.*|\d{4} \(undated\)")
CURRENCIES = {"USD", "CNY"}
MODES = {
    *("on-demand", "spot", "reserved-1y", "reserved-3y", "capacity-block"),
    *("committed-1y", "committed-3y", "flex-start", "calendar", "subscription-1mo"),
}
ARCHITECTURES = {"x86_64", "arm64"}
FABRICS = {
    *("efa", "gpudirect-tcpx", "gpudirect-tcpxo", "roce", "infiniband"),
    *("erdma", "rdma"),
}
WIDER = {"gcp": {"global", "us", "nam4"}}
"""What services are priced for besides regions: the whole cloud, or several regions at once."""

FABRIC_NICS: dict[str, Callable[[Machine], int]] = {
    "aws": lambda machine: sum(
        nic.kind == "efa-only"
        for nic in part("aws", "interfaces").nic_layout(machine, fabric=True)
    ),
    "gcp": lambda machine: (
        len(part("gcp", "network").nic_layout(machine, fabric=True))
        - part("gcp", "network").planes(machine).host_networks
    ),
}
"""How many interfaces the layout of a room declares for the fabric of a machine."""


@pytest.fixture(params=CLOUDS)
def cloud(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def known(cloud: str) -> Room:
    return room(cloud)


@pytest.fixture(params=PRICED)
def priced_cloud(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def priced(priced_cloud: str) -> PricedRoom:
    return priced_room(priced_cloud)


def names(contract: type[Any]) -> list[str]:
    members = (name for base in contract.__mro__ for name in vars(base))
    return [name for name in members if not name.startswith("_") and name not in {"can", "mro"}]


def tables(priced: PricedRoom) -> Tables:
    found = import_module(f"{priced.__name__.removesuffix('.priced')}.tables").TABLES
    assert isinstance(found, Tables)
    return found


def base(type_: str) -> str:
    """A type without the GPUs that are attached to it."""
    return type_.partition("+")[0]


class TestMachines:
    def test_the_room_has_all_that_the_contract_names(self, priced_cloud, priced) -> None:
        assert [name for name in names(PricedRoom) if not hasattr(priced, name)] == []
        if "build" in priced.can:
            built = room(priced_cloud)
            assert [name for name in names(Room) if not hasattr(built, name)] == []
        assert {"prices"} <= priced.can <= {"prices", "build", "observe", "blocks"}

    def test_every_type_is_there_once_and_looks_like_one(self, priced_cloud, priced) -> None:
        machines = priced.machines()
        counts = Counter(row["type"] for row in tables(priced).rows("machines"))

        assert [name for name, count in counts.items() if count > 1] == []
        assert [machine.type for machine in machines] == list(counts)
        assert {machine.cloud for machine in machines} == {priced_cloud}
        assert all(priced.machine(machine.type) is machine for machine in machines)
        assert [one for one in counts if not priced.TYPE_FORM.fullmatch(base(one))] == []
        assert [one.gpu for one in machines if priced.TYPE_FORM.fullmatch(one.gpu)] == []

    def test_every_machine_has_a_known_gpu_with_memory(self, priced: PricedRoom) -> None:
        for machine in priced.machines():
            whole = gpu(machine.gpu)

            assert whole is not None, machine.type
            assert whole.memory_gb, machine.type
            assert machine.gpu_count > 0, machine.type
            share = min(Decimal(1), machine.gpu_count)
            assert machine.gpu_memory_nominal_gb == whole.memory_gb * share, machine.type
            # Usable memory is less than what is sold; and one chip has two figures (GB200).
            usable = machine.gpu_memory_gib / machine.gpu_memory_nominal_gb
            assert Decimal("0.85") < usable < Decimal("1.05"), machine.type

    def test_every_machine_is_sourced_dated_and_somewhere_known(self, priced: PricedRoom) -> None:
        for machine in priced.machines():
            assert machine.source, machine.type
            assert earliest(machine.as_of), machine.type
            assert set(machine.regions) <= set(priced.regions()), machine.type
            assert machine.status in {"current", "retired"}, machine.type
            assert machine.architecture in ARCHITECTURES, machine.type
            assert machine.vcpu != 0, machine.type
            assert machine.memory_gib != 0, machine.type

    def test_fabric_and_cards_agree(self, priced_cloud: str, priced: PricedRoom) -> None:
        for machine in priced.machines():
            assert machine.fabric in {None, *FABRICS}, machine.type
            if machine.fabric is None:
                assert not machine.fabric_interfaces, machine.type
            most, sustained = machine.network_gbps, machine.network_sustained_gbps
            if sustained is not None:
                assert most is not None, machine.type
                assert 0 < sustained <= most, machine.type
            if machine.interfaces_per_card is not None and machine.network_cards is not None:
                assert len(machine.interfaces_per_card) == machine.network_cards, machine.type
            if machine.fabric_interfaces and machine.network_cards:
                assert machine.fabric_interfaces <= machine.network_cards, machine.type

    @pytest.mark.parametrize("cloud", sorted(FABRIC_NICS))
    def test_the_layout_declares_the_interfaces_that_the_table_counts(self, cloud: str) -> None:
        laid_out = {
            machine.type: FABRIC_NICS[cloud](machine)
            for machine in room(cloud).machines()
            if machine.fabric_interfaces
            and machine.network_cards
            and (cloud != "gcp" or part("gcp", "network").planes(machine) is not None)
        }

        assert len(laid_out) > 2
        assert laid_out == {
            type_: room(cloud).machine(type_).fabric_interfaces for type_ in laid_out
        }

    def test_nvlink_joins_gpus_of_the_machine_or_of_a_rack(self, priced: PricedRoom) -> None:
        for machine in priced.machines():
            domain, count = machine.nvlink_domain, machine.gpu_count
            if machine.nvlink is False or count <= 1:
                assert domain == 1, machine.type
            elif machine.nvlink is None:
                assert domain is None, machine.type
            else:
                assert domain is not None, machine.type
                assert domain >= 2, machine.type
                assert count % domain == 0 or domain % count == 0, machine.type


class TestPrices:
    def test_every_price_is_positive_and_sourced(self, priced: PricedRoom) -> None:
        prices = list(priced.all_prices())

        assert prices
        for price in prices:
            assert price.per_unit > 0, price
            assert price.source, price
            assert price.unit, price
            assert price.currency in CURRENCIES, price
            assert price.maximum is None or price.maximum >= price.per_unit, price

    def test_every_price_is_dated_or_says_that_it_is_not(self, priced: PricedRoom) -> None:
        odd = {
            price.as_of
            for price in priced.all_prices()
            if not earliest(price.as_of) and not UNDATED.fullmatch(price.as_of)
        }

        assert odd == set()

    def test_every_machine_price_is_dated(self, priced: PricedRoom) -> None:
        modes = set(priced.modes())

        assert modes <= MODES
        assert [
            price
            for price in priced.all_prices()
            if price.mode in modes and earliest(price.as_of) is None
        ] == []

    def test_what_is_priced_is_there(self, priced_cloud: str, priced: PricedRoom) -> None:
        types = {machine.type for machine in priced.machines()}
        regions = set(priced.regions()) | WIDER.get(priced_cloud, set())
        services = set(priced.service_items())

        for price in priced.all_prices():
            assert price.item in (services if price.mode == "list" else types), price
            assert price.region in regions, price

    def test_every_row_is_found_by_its_item_region_and_mode(self, priced: PricedRoom) -> None:
        rows = defaultdict(list)
        for price in priced.all_prices():
            rows[price.item, price.region, price.mode].append(price)

        for key, found in rows.items():
            assert priced.prices(*key) == tuple(found)

    def test_a_regional_price_stands_once(self, priced: PricedRoom) -> None:
        keys = Counter(
            (price.item, price.region, price.mode, price.currency)
            for price in priced.all_prices()
            if price.zone is None
        )

        assert [key for key, count in keys.items() if count > 1] == []

    def test_spot_is_below_on_demand_or_says_that_it_is_not(self, priced: PricedRoom) -> None:
        for price in priced.all_prices():
            if price.mode != "spot":
                continue
            for listed in priced.prices(price.item, price.region, "on-demand"):
                if listed.zone is None and dearest(price) >= listed.per_unit:
                    assert "spot >= on-demand" in price.notes, price

    def test_a_longer_commitment_costs_no_more(self, priced: PricedRoom) -> None:
        longer = [mode for mode in priced.modes() if mode.endswith("-3y")]
        for machine, region in product(priced.machines(), priced.regions()):
            for mode in longer:
                short = priced.prices(machine.type, region, mode.replace("-3y", "-1y"))
                most = min((price.per_unit for price in short), default=None)
                for price in priced.prices(machine.type, region, mode):
                    assert most is None or price.per_unit <= most, price

    def test_what_commits_to_a_term_is_called_as_its_cloud_does(
        self, priced_cloud: str, priced: PricedRoom
    ) -> None:
        """Google's word is committed use: https://cloud.google.com/compute/docs/cuds-overview."""
        kinds = {mode.rpartition("-")[0] for mode in priced.modes() if term(mode) is not None}

        assert kinds <= {"gcp": {"committed"}}.get(priced_cloud, {"reserved", "subscription"})

    def test_a_commitment_is_below_on_demand_or_says_why_not(self, priced: PricedRoom) -> None:
        for price in priced.all_prices():
            if term(price.mode) is None:
                continue
            for listed in priced.prices(price.item, price.region, "on-demand"):
                if listed.zone == price.zone and listed.currency == price.currency:
                    assert price.per_unit < listed.per_unit or "STALE" in price.notes, price

    def test_interruptions_are_shares_of_known_machines(self, priced: PricedRoom) -> None:
        for machine in priced.machines():
            for region in priced.regions():
                found = priced.interruption(machine.type, region)
                if found is not None:
                    assert 0 <= found.low < (found.high or 1) <= 1
                    assert found.source
                    assert earliest(found.as_of)
                    assert (found.machine, found.region) == (machine.type, region)


def test_what_the_room_can_do_is_there(cloud: str, known: Room) -> None:
    assert known.can - {"blocks"} == {"prices", "build", "observe"}
    assert (block_lead(cloud, "p5.48xlarge") > 0) is ("blocks" in known.can)
    assert callable(part(cloud, "observe").observe)


@pytest.mark.parametrize("purpose", ["training", "inference"])
def test_a_public_image_serves_some_machines_and_not_all(known: Room, purpose) -> None:
    served = {known.has_image(machine, purpose) for machine in known.machines()}

    assert served == {True, False}


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


def test_an_unknown_cloud_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError) as caught:
        room("gpc")

    assert caught.value.problems[0].allowed == ", ".join(CLOUDS)

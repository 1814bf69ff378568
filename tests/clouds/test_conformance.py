"""What every cloud's room has to keep; a cloud is judged by being listed in PRICED or CLOUDS."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from decimal import Decimal
from itertools import product
from typing import get_args

import pytest

from gpuinfra.catalog import earliest, gpu
from gpuinfra.catalog.commitment_terms import term
from gpuinfra.catalog.price_book import ceiling
from gpuinfra.clouds import CLOUDS, PRICED_CLOUDS, priced_cloud_of, provider_of
from gpuinfra.clouds.aws import interfaces
from gpuinfra.clouds.gcp import network
from gpuinfra.clouds.provider import CloudProvider, PricedCloud
from gpuinfra.errors import InputError
from gpuinfra.model import Machine
from gpuinfra.specs import unsupported_words
from gpuinfra.specs.values import Cloud

UNDATED = re.compile(r"undated.*|\d{4} \(undated\)")
CURRENCIES = {"USD", "CNY"}
MODES = {
    *("on-demand", "spot", "reserved-1y", "reserved-3y", "capacity-block"),
    *(
        "savings-1y",
        "savings-3y",
        "committed-1y",
        "committed-3y",
        "flex-start",
        "calendar",
        "subscription-1mo",
    ),
}
ARCHITECTURES = {"x86_64", "arm64"}
FABRICS = {
    *("efa", "gpudirect-tcpx", "gpudirect-tcpxo", "roce", "infiniband"),
    *("erdma", "rdma"),
}
WIDER = {"gcp": {"asia", "asia1", "eur4", "europe", "global", "nam4", "us"}}
"""What services are priced for besides regions: the whole cloud, or several regions at once."""

FABRIC_NICS: dict[str, Callable[[Machine], int]] = {
    "aws": lambda machine: sum(
        nic.kind == "efa-only" for nic in interfaces.nic_layout(machine, fabric=True)
    ),
    "gcp": lambda machine: (
        len(network.nic_layout(machine, fabric=True))
        - network.fabric_layout(machine).host_networks
    ),
}
"""How many interfaces the layout of a room declares for the fabric of a machine."""


def test_the_grammar_knows_the_clouds_of_the_list() -> None:
    literal, _ = get_args(Cloud)

    assert get_args(literal) == (*CLOUDS, "any")
    assert set(unsupported_words.CLOUDS) == set(PRICED_CLOUDS) - set(CLOUDS)


@pytest.fixture(params=CLOUDS)
def cloud(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def known(cloud: str) -> CloudProvider:
    return provider_of(cloud)


@pytest.fixture(params=PRICED_CLOUDS)
def priced_cloud(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def sold(priced_cloud: str) -> PricedCloud:
    return priced_cloud_of(priced_cloud)


def base(type_: str) -> str:
    """A type without the GPUs that are attached to it."""
    return type_.partition("+")[0]


class TestMachines:
    def test_every_type_is_there_once_and_looks_like_one(self, priced_cloud, sold) -> None:
        machines = sold.machines.all_machines()
        counts = Counter(row["type"] for row in sold.tables.rows("machines"))

        assert [name for name, count in counts.items() if count > 1] == []
        assert [machine.type for machine in machines] == list(counts)
        assert {machine.cloud for machine in machines} == {priced_cloud}
        assert all(sold.machines.get(machine.type) is machine for machine in machines)
        assert [type_ for type_ in counts if not sold.machines.form.fullmatch(base(type_))] == []
        assert [
            machine.gpu for machine in machines if sold.machines.form.fullmatch(machine.gpu)
        ] == []

    def test_every_machine_has_a_known_gpu_with_memory(self, sold: PricedCloud) -> None:
        for machine in sold.machines.all_machines():
            whole = gpu(machine.gpu)

            assert whole is not None, machine.type
            assert whole.memory_gb, machine.type
            assert machine.gpu_count > 0, machine.type
            share = min(Decimal(1), machine.gpu_count)
            assert machine.gpu_memory_nominal_gb == whole.memory_gb * share, machine.type
            # Usable memory is less than what is sold; and one chip has two figures (GB200).
            usable = machine.gpu_memory_gib / machine.gpu_memory_nominal_gb
            assert Decimal("0.85") < usable < Decimal("1.05"), machine.type

    def test_every_machine_is_sourced_dated_and_somewhere_known(self, sold: PricedCloud) -> None:
        for machine in sold.machines.all_machines():
            assert machine.source, machine.type
            assert earliest(machine.as_of), machine.type
            assert set(machine.regions) <= set(sold.regions.all()), machine.type
            assert machine.status in {"current", "retired"}, machine.type
            assert machine.architecture in ARCHITECTURES, machine.type
            assert machine.vcpu != 0, machine.type
            assert machine.memory_gib != 0, machine.type

    def test_fabric_and_cards_agree(self, priced_cloud: str, sold: PricedCloud) -> None:
        for machine in sold.machines.all_machines():
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
            for machine in provider_of(cloud).machines.all_machines()
            if machine.fabric_interfaces
            and machine.network_cards
            and (cloud != "gcp" or network.fabric_layout(machine) is not None)
        }

        assert len(laid_out) > 2
        assert laid_out == {
            type_: provider_of(cloud).machines.get(type_).fabric_interfaces for type_ in laid_out
        }

    def test_nvlink_joins_gpus_of_the_machine_or_of_a_rack(self, sold: PricedCloud) -> None:
        for machine in sold.machines.all_machines():
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
    def test_every_price_is_positive_and_sourced(self, sold: PricedCloud) -> None:
        prices = list(sold.prices.all_rows())

        assert prices
        for price in prices:
            assert price.per_unit > 0, price
            assert price.source, price
            assert price.unit, price
            assert price.currency in CURRENCIES, price
            assert price.maximum is None or price.maximum >= price.per_unit, price

    def test_every_price_is_dated_or_says_that_it_is_not(self, sold: PricedCloud) -> None:
        odd = {
            price.as_of
            for price in sold.prices.all_rows()
            if not earliest(price.as_of) and not UNDATED.fullmatch(price.as_of)
        }

        assert odd == set()

    def test_every_machine_price_is_dated(self, sold: PricedCloud) -> None:
        modes = set(sold.prices.modes())

        assert modes <= MODES
        assert [
            price
            for price in sold.prices.all_rows()
            if price.mode in modes and earliest(price.as_of) is None
        ] == []

    def test_what_is_priced_is_there(self, priced_cloud: str, sold: PricedCloud) -> None:
        types = {machine.type for machine in sold.machines.all_machines()}
        regions = set(sold.regions.all()) | WIDER.get(priced_cloud, set())
        services = set(sold.prices.service_items())

        for price in sold.prices.all_rows():
            assert price.item in (services if price.mode == "list" else types), price
            assert price.region in regions, price

    def test_every_row_is_found_by_its_item_region_and_mode(self, sold: PricedCloud) -> None:
        rows = defaultdict(list)
        for price in sold.prices.all_rows():
            rows[price.item, price.region, price.mode].append(price)

        for key, prices in rows.items():
            assert sold.prices.rows(*key) == tuple(prices)

    def test_a_regional_price_stands_once(self, sold: PricedCloud) -> None:
        keys = Counter(
            (price.item, price.region, price.mode, price.currency)
            for price in sold.prices.all_rows()
            if price.zone is None
        )

        assert [key for key, count in keys.items() if count > 1] == []

    def test_spot_is_below_on_demand_or_says_that_it_is_not(self, sold: PricedCloud) -> None:
        for price in sold.prices.all_rows():
            if price.mode != "spot":
                continue
            for listed in sold.prices.rows(price.item, price.region, "on-demand"):
                if listed.zone is None and ceiling(price) >= listed.per_unit:
                    assert "spot >= on-demand" in price.notes, price

    def test_a_longer_commitment_costs_no_more(self, sold: PricedCloud) -> None:
        longer = [mode for mode in sold.prices.modes() if mode.endswith("-3y")]
        for machine, region in product(sold.machines.all_machines(), sold.regions.all()):
            for mode in longer:
                short = sold.prices.rows(machine.type, region, mode.replace("-3y", "-1y"))
                most = min((price.per_unit for price in short), default=None)
                for price in sold.prices.rows(machine.type, region, mode):
                    assert most is None or price.per_unit <= most, price

    def test_what_commits_to_a_term_is_called_as_its_cloud_does(
        self, priced_cloud: str, sold: PricedCloud
    ) -> None:
        """Google's word is committed use: https://cloud.google.com/compute/docs/cuds-overview.

        Savings plans are AWS's and Azure's:
        https://docs.aws.amazon.com/savingsplans/latest/userguide/
        """
        kinds = {mode.rpartition("-")[0] for mode in sold.prices.modes() if term(mode) is not None}

        words = {"gcp": {"committed"}, "aws": {"reserved", "savings"}}
        assert kinds <= words.get(priced_cloud, {"reserved", "subscription"})

    def test_a_commitment_is_below_on_demand_or_says_why_not(self, sold: PricedCloud) -> None:
        for price in sold.prices.all_rows():
            if term(price.mode) is None:
                continue
            for listed in sold.prices.rows(price.item, price.region, "on-demand"):
                if listed.zone == price.zone and listed.currency == price.currency:
                    assert price.per_unit < listed.per_unit or "STALE" in price.notes, price

    def test_interruptions_are_shares_of_known_machines(self, sold: PricedCloud) -> None:
        for machine in sold.machines.all_machines():
            for region in sold.regions.all():
                interruption = sold.prices.interruption(machine.type, region)
                if interruption is not None:
                    assert 0 <= interruption.low < (interruption.high or 1) <= 1
                    assert interruption.source
                    assert earliest(interruption.as_of)
                    assert (interruption.machine, interruption.region) == (machine.type, region)


def test_every_part_of_a_cloud_is_there(cloud: str, known: CloudProvider) -> None:
    """Types check what the parts have; here each is loaded, as it is on first use."""
    assert known.images
    assert known.fabric
    assert known.accepts
    assert known.refresh
    assert callable(known.declare.declare_training)
    assert callable(known.observe.observe)
    assert (known.block_lead("p5.48xlarge") > 0) is (cloud == "aws")


@pytest.mark.parametrize("purpose", ["training", "inference"])
def test_a_public_image_serves_some_machines_and_not_all(known: CloudProvider, purpose) -> None:
    served = {
        known.images.has_image(machine, purpose) for machine in known.machines.all_machines()
    }

    assert served == {True, False}


def test_every_region_has_zones_of_its_own_or_none(known: CloudProvider) -> None:
    every_zone = [zone for region in known.regions.all() for zone in known.regions.zones(region)]

    assert len(set(every_zone)) == len(every_zone) > 0
    for region in known.regions.all():
        zones = known.regions.zones(region)

        assert len(zones) != 1, region
        assert all(zone.startswith(region) for zone in zones), region
        for count in (1, 2):
            # Where the cloud itself places machines in a region, none is named unless wanted.
            assert known.regions.chosen(region, (), count) in ((), zones[:count])
            assert known.regions.chosen(region, zones[-1:], 1) == zones[-1:]


def test_an_unknown_cloud_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError) as caught:
        provider_of("gpc")

    assert caught.value.problems[0].allowed == ", ".join(CLOUDS)

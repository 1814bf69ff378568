import subprocess
import sys
from decimal import Decimal

import pytest

from gpuinfra.catalog.fact_age import earliest
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.clouds.cpu_prices import ON_DEMAND, CpuPrices
from gpuinfra.clouds.lambda_.provider import TABLES

REFERENCE = (
    ("aws", "t2.micro", "us-east-1", "0.0116", "2026-07-20"),
    ("aws", "t3.micro", "eu-central-1", "0.012", "2025-11-03"),
    ("aws", "m5.large", "us-gov-west-1", "0.121", "2026-07-20"),
    ("gcp", "e2-medium", "us-central1", "0.033506", "2026-08-03"),
    ("gcp", "n1-standard-1", "europe-west4", "0.052292", "2026-08-03"),
    ("azure", "Standard_A0", "eastus", "0.02", "2026-06-18"),
    ("azure", "Standard_D4s_v5", "westeurope", "0.23", "2026-06-18"),
)


@pytest.mark.parametrize(("cloud", "type_", "region", "per_hour", "as_of"), REFERENCE)
def test_reference_prices(cloud: str, type_: str, region: str, per_hour: str, as_of: str) -> None:
    prices = provider_of(cloud).prices.rows(type_, region, ON_DEMAND)

    assert [(row.per_unit, row.as_of, row.zone) for row in prices] == [
        (Decimal(per_hour), as_of, None)
    ]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_each_price_is_positive_and_has_a_source_and_a_day(cloud: str) -> None:
    prices = list(provider_of(cloud).prices.cpu.all())

    assert len(prices) > 5000
    assert len({(price.item, price.region) for price in prices}) == len(prices)
    assert not [
        price
        for price in prices
        if not 0 < price.per_unit < 300 or not price.source or earliest(price.as_of) is None
    ]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_machines_with_gpus_are_priced_by_the_other_table_alone(cloud: str) -> None:
    room = provider_of(cloud)
    types = {price.item for price in room.prices.cpu.all()}

    assert not types & {machine.type for machine in room.machines.all_machines()}
    assert not [type_ for type_ in types if type_.startswith(("g5.", "p4d.", "a2-", "Standard_N"))]


@pytest.mark.parametrize(
    ("type_", "region", "mode"),
    [
        ("t2.micro", "eu-north-1", ON_DEMAND),
        ("t2.micro", "us-east-9", ON_DEMAND),
        ("t9.micro", "us-east-1", ON_DEMAND),
        ("t2.micro", "us-east-1", "spot"),
    ],
)
def test_what_no_source_lists_has_no_price(type_: str, region: str, mode: str) -> None:
    assert provider_of("aws").prices.rows(type_, region, mode) == ()


def test_a_cloud_without_the_table_has_no_such_prices() -> None:
    assert list(CpuPrices("lambda", TABLES).all()) == []
    assert CpuPrices("lambda", TABLES).rows("t2.micro", "us-east-1") == ()


def test_the_table_is_read_only_when_a_machine_without_gpus_is_priced() -> None:
    script = (
        "from gpuinfra.clouds import digests, provider_of\n"
        "real, opened = digests.read_table, []\n"
        "digests.read_table = lambda path: opened.append(path.name) or real(path)\n"
        "rows = provider_of('aws').prices.rows\n"
        "assert rows('p5.48xlarge', 'us-east-1', 'on-demand')\n"
        "assert 'cpu_prices.json' not in opened, opened\n"
        "assert rows('t2.micro', 'us-east-1', 'on-demand')\n"
        "assert 'cpu_prices.json' in opened, opened\n"
    )

    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    ("type_", "region", "per_hour"),
    [
        ("n2-custom-6-20480", "us-central1", "0.288127"),
        ("n1-custom-6-20480", "us-central1", "0.288127"),
        ("custom-6-20480", "us-central1", "0.288127"),
        ("n2d-custom-4-20480", "us-central1", "0.192915"),
        ("e2-custom-4-8192", "us-central1", "0.116167"),
        ("n1-custom-8-30720+1xT4", "us-central1", "0.748998"),
        ("n1-custom-8-30720+4xT4", "us-central1", "1.798998"),
        ("n1-custom-8-30720", "africa-south1", None),
        ("n2-custom-6-20480", "nowhere", None),
        ("n2-custom-6-20480-ext", "us-central1", None),
        ("n4-custom-4-8192", "us-central1", None),
        ("e2-custom-small-2048", "us-central1", None),
        ("n1-custom-8-30720+1xH100", "us-central1", None),
        ("n2-custom-6-20480+1xT4", "us-central1", None),
    ],
)
def test_machines_of_ones_own_numbers_cost_their_parts(type_, region, per_hour) -> None:
    """N1 and N2 agree with the golden of infracost named in the table, before its discount."""
    prices = provider_of("gcp").prices.rows(type_, region, ON_DEMAND)

    assert [row.per_unit for row in prices] == ([Decimal(per_hour)] if per_hour else [])
    assert all("5% premium" in row.source and row.as_of == "2026-08-03" for row in prices)


def test_machines_of_ones_own_numbers_have_no_gpu() -> None:
    cpu = provider_of("gcp").prices.cpu

    assert cpu.is_in_table("n2-custom-6-20480")
    assert not cpu.is_in_table("n2-custom-6-20480-ext")
    assert not cpu.is_in_table("n1-custom-8-30720+1xT4")
    assert not provider_of("aws").prices.cpu.is_in_table("n2-custom-6-20480")

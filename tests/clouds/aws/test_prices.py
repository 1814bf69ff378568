import subprocess
import sys
from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.machines import machine
from gpuinfra.clouds.aws.tables import PRICES


@pytest.mark.parametrize(
    ("type_", "per_hour"),
    [
        ("p4d.24xlarge", "21.957642"),
        ("p5.48xlarge", "55.04"),
        ("p3.2xlarge", "3.06"),
        ("g5.xlarge", "1.006"),
        ("g4dn.xlarge", "0.526"),
        ("g6.xlarge", "0.8048"),
    ],
)
def test_reference_prices_of_us_east_1(type_: str, per_hour: str) -> None:
    regional = [row for row in PRICES.rows(type_, "us-east-1", "on-demand") if row.zone is None]

    assert [(row.per_unit, row.as_of) for row in regional] == [(Decimal(per_hour), "2026-07-20")]


def test_p4d_has_40_gb_gpus_and_g5_has_a10g() -> None:
    assert machine("p4d.24xlarge").gpu_memory_nominal_gb == 40
    assert machine("p4de.24xlarge").gpu_memory_nominal_gb == 80
    assert machine("g5.xlarge").gpu == "A10G"


def test_a_slice_of_a_gpu_has_a_slice_of_its_memory() -> None:
    assert machine("g6f.large").gpu_memory_nominal_gb == 3


def test_what_nobody_sells_somewhere_has_no_price_there() -> None:
    assert PRICES.rows("p5.48xlarge", "eu-west-3", "on-demand") == ()
    assert PRICES.rows("p9.48xlarge", "us-east-1", "on-demand") == ()
    assert PRICES.rows("p5.48xlarge", "us-east-1", "weekly") == ()
    assert PRICES.rows("nat-gateway-hour", "cn-north-1", "list") == ()


def test_a_free_row_says_why_and_where_from() -> None:
    row = PRICES.free_type_row("aws:ec2/vpc:Vpc")

    assert row is not None
    assert row.per_unit == 0
    assert row.source
    assert row.notes
    assert PRICES.free_type_row("aws:ec2/natGateway:NatGateway") is None
    assert PRICES.free_type_row("aws:budgets/budgetAction:BudgetAction") is None


def test_items_are_paid_for_by_their_resource_type() -> None:
    assert PRICES.token("nat-gateway-data") == "aws:ec2/natGateway:NatGateway"
    assert PRICES.token("data-transfer-inter-region") == ""
    assert "nat-gateway-hour" in PRICES.service_items()


def test_one_look_up_does_not_read_what_it_does_not_need() -> None:
    script = (
        "import sys\n"
        "from gpuinfra.clouds import provider_of\n"
        "provider_of('aws').prices.rows('p5.48xlarge', 'us-east-1', 'on-demand')\n"
        "heavy = {'pydantic', 'pulumi', 'ruamel', 'gpuinfra.clouds.aws.observe'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )

    subprocess.run([sys.executable, "-c", script], check=True)

"""A purchase against the rent of a stack: `gpuinfra cost --against`."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

from tests.cli.own_money.conftest import P3

PURCHASE = """\
version: 1
what: a server of eight V100
gpus: 8
price: 90000
lifetime: 1095d
residual: 10%
watts: 3500
pue: 1.5
electricity: 0.12
hosting: 400
staff: 500
"""


@pytest.fixture
def purchase(tmp_path: Path) -> Path:
    path = tmp_path / "purchase.yaml"
    path.write_text(PURCHASE)
    return path


RENTED = "prices: [{cloud: aws, machine: p3.16xlarge, region: us-east-1, per_hour: 24.48}]"
"""Eight V100 at eight times the guide's 3.06."""


def test_eight_v100_bought_against_a_year_of_renting_them(folder, gpuinfra, purchase):
    path = folder(RENTED, machine="p3.16xlarge")
    ran = gpuinfra("cost", path, "--against", purchase, "--json")
    comparison = json.loads(ran.out)["against"]

    assert ran.code == 0
    assert comparison["rented"] == pytest.approx(8 * 26805.60)
    assert comparison["owned"] == pytest.approx(27_000 + 45_990 * 0.12 + 10_800)
    assert comparison["break_even_utilisation"] == pytest.approx(37_800 / ((24.48 - 0.63) * 8760))
    assert comparison["break_even_month"] == 6


def test_rent_or_buy_is_told_in_words(folder, gpuinfra, purchase):
    path = folder(RENTED, machine="p3.16xlarge")
    ran = gpuinfra(
        "cost", "--detail", path, "--against", purchase, "--years", "2", "--utilisation", "50%"
    )

    assert (
        "rent or buy a server of eight V100: 8 GPUs for 2 years, in use 50% of the hours"
        in ran.out
    )
    assert "buying is cheaper above 18.1% of the hours" in ran.out


def test_the_parts_of_buying_add_up_as_they_are_shown(folder, gpuinfra, purchase):
    path = folder(RENTED, machine="p3.16xlarge")
    options = ("--years", "1.000001")
    ran = gpuinfra("cost", path, "--against", purchase, *options)
    table = ran.out.partition("rented")[2]
    owned = re.findall(
        r"^(?:price less|energy|hosting|together).* \$([\d,.]+)$", table, re.MULTILINE
    )

    *parts, total = (Decimal(amount.replace(",", "")) for amount in owned)
    assert len(parts) == 3
    assert sum(parts) == total


def test_the_rent_counts_for_as_many_gpus_as_are_bought(folder, gpuinfra, purchase):
    stack_folder = folder(f"prices: [{{{P3}, per_hour: 3.06}}]")
    ran = gpuinfra("cost", stack_folder, "--against", purchase, "--json")

    assert json.loads(ran.out)["against"]["rented"] == pytest.approx(8 * 26805.60)
    assert "GPUs of the stack: 1; the rent is scaled to 8" in (
        gpuinfra("cost", "--detail", stack_folder, "--against", purchase).err
    )


def test_a_reservation_is_rent_at_any_load(folder, gpuinfra, purchase):
    own = f"prices: [{{{P3}, paid: 12088.80, term: 365d, basis: reserved-1y, covers: 1}}]"
    options = ("--against", purchase, "--years", "3", "--utilisation", "10%")
    ran = gpuinfra("cost", "--detail", folder(own), *options)
    comparison = json.loads(gpuinfra("cost", folder(own), *options, "--json").out)["against"]

    assert comparison["rented"] == pytest.approx(290_131.20)
    assert comparison["prepaid"] == pytest.approx(290_131.20)
    assert comparison["rent_per_hour"] == pytest.approx(8 * 1.38)
    assert "buying is cheaper, even without use" in ran.out
    assert "290,131.20 of the rent is paid upfront, used or not" in ran.err


def test_an_ended_reservation_is_no_rent(folder, gpuinfra, purchase):
    row = P3.replace("p3.2xlarge", "g6.xlarge")
    own = f"prices: [{{{row}, paid: 4380, term: 365d, until: 2026-06-30}}]"
    path = folder(own, machine="g6.xlarge", duration="1h")
    options = ("--against", purchase, "--json", "--as-of")

    held, ended = (
        json.loads(gpuinfra("cost", path, *options, day).out)["against"]
        for day in ("2026-06-30", "2026-07-01")
    )

    assert held["prepaid"] == held["rented"] == pytest.approx(8 * 4380)
    assert (ended["prepaid"], ended["rented"]) == (0, pytest.approx(8 * 0.8048 * 8760))


def test_the_rent_counts_its_tiers(folder, gpuinfra, purchase):
    path = folder(f"prices: [{{{P3}, per_hour: 3.06, tiers: [{{after: 720h, per_hour: 1}}]}}]")
    options = ("--against", purchase, "--years", "3")
    comparison = json.loads(gpuinfra("cost", path, *options, "--json").out)["against"]

    assert comparison["rented"] == pytest.approx(222_105.60)
    assert (
        "use, the used hours count as one run" in gpuinfra("cost", "--detail", path, *options).err
    )


def test_what_never_pays_back_is_said_so(folder, gpuinfra, purchase):
    path = folder(RENTED, machine="p3.16xlarge")
    told = [
        gpuinfra("cost", path, "--against", purchase, "--utilisation", share).out
        for share in ("5%", "100%")
    ]

    assert "at this use the purchase never pays back within its service life" in told[0]
    assert "at this use the purchase pays back in month 6" in told[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--years", "0"), "--years is not accepted"),
        (("--years", "-1"), "--years is not accepted"),
        (("--years", "soon"), "--years is not accepted"),
        (("--utilisation", "0%"), "--utilisation is not accepted"),
        (("--utilisation", "60"), "did you mean '60%'?"),
    ],
)
def test_an_option_that_is_none_is_told(folder, gpuinfra, purchase, options, message):
    ran = gpuinfra(
        "cost", "--detail", folder(RENTED, machine="p3.16xlarge"), "--against", purchase, *options
    )

    assert ran.code == 2
    assert message in ran.err


def test_years_without_a_purchase_are_a_slip(folder, gpuinfra):
    ran = gpuinfra("cost", "--detail", folder(RENTED, machine="p3.16xlarge"), "--years", "2")

    assert ran.code == 2
    assert "--years and --utilisation require --against" in ran.err


def test_a_purchase_with_mistakes_is_told_at_its_line(folder, gpuinfra, purchase):
    purchase.write_text(PURCHASE.replace("watts", "wats"))
    ran = gpuinfra(
        "cost", "--detail", folder(RENTED, machine="p3.16xlarge"), "--against", purchase
    )

    assert ran.code == 2
    assert "purchase.yaml:7:1: unknown key 'wats'" in ran.err
    assert "did you mean 'watts'?" in ran.err

"""Refreshed files: joined with the shipped tables, checked by digest, replaced in one step."""

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.clouds import refreshing, tables
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.machine_list import MachineList
from gpuinfra.clouds.price_list import PriceList
from gpuinfra.clouds.refreshing import refreshed_content, user_table_files
from gpuinfra.clouds.refreshing.contract import FetchedData
from gpuinfra.model import Price

ROOT = Path(__file__).parents[3]


def price(per_hour: str, **more: Any) -> Price:
    return Price(
        **{
            "cloud": "aws",
            "item": "p5.48xlarge",
            "region": "us-east-1",
            "zone": None,
            "mode": "on-demand",
            "unit": "hour",
            "per_unit": Decimal(per_hour),
            "currency": "USD",
            "source": "https://example.org/list",
            "as_of": "2026-11-20",
            "origin": "refreshed",
            **more,
        }
    )


def write(*prices: Price, machines: tuple[dict[str, Any], ...] = ()) -> Path:
    fetched = FetchedData(
        prices=prices,
        covered=frozenset((price.mode, price.region) for price in prices),
        machines=machines,
    )
    return user_table_files.write(
        "aws", refreshed_content.merged_file("aws", fetched, user_table_files.content("aws"))
    )


def rows(item: str, region: str, mode: str) -> tuple[Price, ...]:
    return PriceList("aws", TABLES).rows(item, region, mode)


def test_refreshed_rows_join_the_shipped_ones() -> None:
    shipped = rows("p5.48xlarge", "us-east-1", "on-demand")
    fresh = price("50.01", maximum=Decimal(51), zone="use1-az2", notes="new")

    write(fresh)

    assert rows("p5.48xlarge", "us-east-1", "on-demand") == (*shipped, fresh)
    assert {row.origin for row in shipped} == {"catalog"}


def test_a_currency_stays() -> None:
    write(price("300", currency="CNY", region="cn-north-1"))

    assert rows("p5.48xlarge", "cn-north-1", "on-demand")[-1].currency == "CNY"


def test_a_mode_that_the_shipped_table_lacks_is_there() -> None:
    write(price("40", mode="flex-start"))

    assert "flex-start" in PriceList("aws", TABLES).modes()
    assert rows("p5.48xlarge", "us-east-1", "flex-start") == (price("40", mode="flex-start"),)


def test_what_was_not_fetched_anew_stays_with_its_own_date() -> None:
    write(
        price("1", region="us-west-2", as_of="2026-01-01"),
        price("2", as_of="2026-01-01"),
        price("2.5", zone="use1-az1", as_of="2026-01-01"),
        price("3", item="g5.xlarge", as_of="2026-01-01"),
    )

    write(price("4"))

    kept = {
        (price.item, price.region): (price.per_unit, price.as_of)
        for price in refreshed_content.prices("aws", user_table_files.content("aws") or {})
    }
    assert kept == {
        ("p5.48xlarge", "us-west-2"): (Decimal(1), "2026-01-01"),
        ("p5.48xlarge", "us-east-1"): (Decimal(4), "2026-11-20"),
        ("g5.xlarge", "us-east-1"): (Decimal(3), "2026-01-01"),
    }


def test_a_machine_s_cells_lie_over_the_shipped_row() -> None:
    shipped = MachineList("aws", TABLES, "").get("p5.48xlarge")
    assert shipped is not None

    write(machines=({"type": "p5.48xlarge", "vcpu": 200, "as_of": "2026-11-20"},))

    fresh = MachineList("aws", TABLES, "").get("p5.48xlarge")
    assert fresh is not None
    assert (fresh.vcpu, fresh.as_of, fresh.gpu) == (200, "2026-11-20", shipped.gpu)


def test_a_machine_that_no_table_knows_whole_is_left_out() -> None:
    write(machines=({"type": "moon9.xlarge", "vcpu": 200, "as_of": "2026-11-20"},))

    assert MachineList("aws", TABLES, "").get("moon9.xlarge") is None


def test_the_digest_over_all_counts_refreshed_rows() -> None:
    before = tables.digest()
    write(price("50"))
    refreshed = tables.digest()
    write(price("51"))

    assert len({before, refreshed, tables.digest()}) == 3


def test_there_is_no_fault_where_nothing_was_refreshed(home: Path) -> None:
    assert not home.exists()
    assert refreshing.faults() == ()
    assert user_table_files.content("aws") is None


DAMAGES = {
    "a digit changed": lambda text: text.replace(b'"50"', b'"05"'),
    "cut off": lambda text: text[:-20],
    "empty": lambda _: b"",
    "another file": lambda _: b"not ours\n",
    "JSON of another form": lambda _: b"[1, 2]\n",
    "a newer format": lambda text: text.replace(b'{"format": 1', b'{"format": 2'),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_left_out_and_named(damage: str, home: Path) -> None:
    before = tables.digest()
    place = write(price("50"))
    place.write_bytes(DAMAGES[damage](place.read_bytes()))

    (fault,) = refreshing.faults()

    assert fault.startswith("the shipped prices of aws are used instead of the refreshed ones: ")
    assert str(place) in fault
    assert fault.endswith("; run `gpuinfra catalog refresh --cloud aws` to fetch them again")
    assert not [row for row in rows("p5.48xlarge", "us-east-1", "on-demand") if row.per_unit == 50]
    assert tables.digest() == before


def test_a_file_that_can_t_be_read_is_left_out_and_named(home: Path) -> None:
    (home / "aws.jsonl").mkdir(parents=True)

    assert "aws.jsonl can't be read (Is a directory)" in refreshing.faults()[0]
    assert user_table_files.content("aws") is None


def test_a_command_goes_on_with_the_shipped_prices_and_says_so(home: Path, tmp_path: Path) -> None:
    place = write(price("50"))
    place.write_bytes(place.read_bytes()[:-1])

    done = subprocess.run(
        [sys.executable, "-m", "gpuinfra.cli", "cost", "stacks/quickstart", "--json"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )

    assert json.loads(done.stdout)["quote"]
    assert f"{place} is damaged" in " ".join(done.stderr.split())


def test_the_newest_row_is_quoted_and_its_origin_told(home: Path) -> None:
    script = """
from gpuinfra.catalog import CATALOG
found = CATALOG.on_demand("aws", "p5.48xlarge", "us-east-1")
print(found.per_unit, found.origin, found.as_of)
"""
    for as_of, expected in (
        ("2026-11-20", "50.5 refreshed 2026-11-20\n"),
        ("2019-01-01", "55.04 catalog 2026-07-20\n"),
    ):
        write(price("50.5", as_of=as_of))
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True
        )
        assert done.stdout == expected


def test_fetching_is_loaded_only_by_a_refresh() -> None:
    script = """
import contextlib, io, sys
from gpuinfra.cli import run
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    run(["check", "stacks/quickstart"])
print(sorted(name for name in sys.modules if name.startswith(("urllib3", "boto", "http.client"))
             or name.startswith("gpuinfra.clouds") and ".refresh" in name))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout == (
        "['gpuinfra.clouds.refreshing', 'gpuinfra.clouds.refreshing.user_table_files']\n"
    )

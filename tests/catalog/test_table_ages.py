import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from gpuinfra import clouds
from gpuinfra.catalog.table_ages import GPUS, UNDATED, ages
from gpuinfra.clouds import CLOUDS, PRICED_CLOUDS
from gpuinfra.model import OUTDATED_AFTER_DAYS

DAY = date(2026, 11, 21)


def test_every_row_of_a_cloud_is_counted_once() -> None:
    """Against the files themselves, which the counts never read."""
    for cloud in CLOUDS:
        data = Path(clouds.__file__).parent / cloud / "data"
        prices = json.loads((data / "prices.json").read_bytes())["items"]
        shipped = sum(len(rows) for regions in prices.values() for rows in regions.values())
        machines = len(json.loads((data / "machines.json").read_bytes())["rows"])
        counted = ages(DAY, OUTDATED_AFTER_DAYS, [cloud])

        assert sum(age.rows for age in counted if age.table == "prices") == shipped
        assert [age.rows for age in counted if age.table == "machines"] == [machines]


def test_the_years_add_up_to_the_rows() -> None:
    for age in ages(DAY, OUTDATED_AFTER_DAYS):
        assert sum(age.years.values()) == age.rows
        assert age.years.get(UNDATED, 0) == age.undated
        assert age.outdated + age.undated <= age.rows
        if age.oldest is not None:
            assert age.newest is not None
            assert age.oldest <= age.newest


def test_every_cloud_and_the_gpus_are_there() -> None:
    counted = ages(DAY, OUTDATED_AFTER_DAYS)

    assert {age.cloud for age in counted} == {*PRICED_CLOUDS, ""}
    assert counted[-1].table == GPUS


def test_old_rows_are_called_old() -> None:
    """What shipped of 2025-04 is outdated in late 2026 and wasn't a year before.

    The 53 prices of us-east-1 are of 2026-09.
    """
    (late,) = (age for age in ages(DAY, 400, ["aws"]) if age.mode == "reserved-1y")
    (early,) = (age for age in ages(date(2025, 11, 21), 400, ["aws"]) if age.mode == "reserved-1y")

    assert late.outdated == late.rows - 53
    assert (late.oldest, late.newest) == (date(2025, 4, 24), date(2026, 9, 24))
    assert early.outdated == 0


@pytest.mark.parametrize(("extra", "outdated"), [(0, False), (1, True)])
def test_a_row_is_outdated_from_the_day_after(extra: int, outdated: bool) -> None:
    day = date(2026, 7, 22) + timedelta(days=400 + extra)
    (blocks,) = (age for age in ages(day, 400, ["aws"]) if age.mode == "capacity-block")

    assert blocks.outdated == (blocks.rows if outdated else 0)

"""One price from a cold start: the shipped JSON shards against an indexed SQLite file."""

import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import gpuinfra
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of
from tests.benchmarks.cold import seconds

RUNS = 20
ASKED = ("aws", "p5.48xlarge", "us-east-1", "on-demand")
SHARD = Path(gpuinfra.__file__).parent / "clouds" / "aws" / "data" / "prices.json"
INDEXED = """
import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute(
    "select per_unit, currency, source, as_of from prices"
    " where cloud = ? and item = ? and region = ? and mode = ?", sys.argv[2:]
).fetchall()
assert rows
"""
PARSED = """
import json, sys
with open(sys.argv[1], "rb") as file:
    table = json.load(file)
assert table["items"][sys.argv[3]][sys.argv[4]]
"""
LIBRARY = """
import sys
from gpuinfra.catalog.price_book import CATALOG
assert CATALOG.listed(*sys.argv[2:])
"""
LIMITS = {"parsed": 2.0, "library": 6.0}
"""How the data is packed may cost twice an indexed file. The second bounds what our imports add:
classes, decimals and dates, which a query of a database goes without."""


def one_price() -> Iterator[tuple[str, float, float, str]]:
    """A look-up in terms of one in a database of the same rows, all cold and interleaved."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "prices.sqlite"
        count = write(database)
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        commands = {
            name: [sys.executable, "-c", code, str(file), *ASKED]
            for name, code, file in (
                ("indexed", INDEXED, database),
                ("parsed", PARSED, SHARD),
                ("library", LIBRARY, SHARD),
            )
        }
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for command in commands.values():
            seconds(command, environment)
        for _ in range(RUNS):
            for name, command in commands.items():
                taken[name].append(seconds(command, environment))
    low = min(taken["indexed"])
    for name, limit in LIMITS.items():
        high = min(taken[name])
        details = f"{high:.3f} s / {low:.3f} s of {count:,} rows"
        yield f"one price, cold, {name} shard / indexed SQLite", high / low, limit, details


def write(path: Path) -> int:
    """All prices of all clouds as a table with an index; how many there are."""
    rows = [
        (
            *(cloud, row.item, row.region, row.mode),
            *(str(row.per_unit), row.currency, row.source, row.as_of),
        )
        for cloud in PRICED_CLOUDS
        for row in priced_cloud_of(cloud).prices.all_rows()
    ]
    with sqlite3.connect(path) as database:
        database.execute(
            "create table prices (cloud, item, region, mode, per_unit, currency, source, as_of)"
        )
        database.executemany("insert into prices values (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        database.execute("create index asked on prices (cloud, item, region, mode)")
    return len(rows)

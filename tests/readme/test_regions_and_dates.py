"""README's table of clouds: how many regions price a usual stack, and how old list prices are."""

import re
from datetime import date
from pathlib import Path

import pytest

from gpuinfra import api
from gpuinfra.catalog.table_ages import ages
from gpuinfra.clouds import CLOUDS, PRICED_CLOUDS, provider_of
from gpuinfra.errors import GpuinfraError
from tests.readme.test_transcripts import README

ROW = re.compile(
    r"^\| (?P<cloud>[A-Z][A-Za-z ]+?) \|[^|]+\|[^|]+\| (?P<regions>[^|]*)\| (?P<dates>.+) \|$",
    re.MULTILINE,
)
"""A row of the table: the cloud, regions of a usual stack, and the months of list prices."""

USUAL = """\
owner: ml-platform
where: {{cloud: {cloud}, regions: [{region}]}}
training:
  tune: {{instance: "{machine}", duration: 24h, time_to_live: 30h}}
inference:
  chat:
    instance: "{machine}"
    replicas: 1..2
    scale_on: {{gpu_utilization: 70%}}
    image: vllm/vllm-openai:v0.11.0
    port: 8000
buckets:
  data: {{size: 1TB}}
"""


@pytest.fixture(scope="module")
def rows() -> dict[str, re.Match[str]]:
    """The rows of the table, by the first word of the cloud's name."""
    found = ROW.finditer(README.read_text("utf-8"))
    names = {"AWS": "aws", "Google": "gcp", "Azure": "azure"}
    return {names.get(name := row["cloud"].split()[0], name.lower()): row for row in found}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_as_many_regions_price_a_usual_stack(
    rows: dict[str, re.Match[str]], cloud: str, tmp_path: Path
) -> None:
    machines: dict[str, set[str]] = {}
    for row in provider_of(cloud).prices.all_rows():
        if row.mode == "on-demand":
            machines.setdefault(row.region, set()).add(row.item)

    priced = [
        region
        for region, there in machines.items()
        if any(_is_priced(tmp_path, cloud, region, machine) for machine in sorted(there))
    ]

    assert rows[cloud]["regions"].strip() == f"{len(priced)} of {len(machines)} regions"


def _is_priced(folder: Path, cloud: str, region: str, machine: str) -> bool:
    """Whether training, a pool and a bucket on this machine have no unknown price."""
    file = folder / "stack.yaml"
    file.write_text(USUAL.format(cloud=cloud, region=region, machine=machine), encoding="utf-8")
    try:
        return not api.quote(api.load(file)).unpriced
    except GpuinfraError:
        return False


@pytest.mark.parametrize("cloud", PRICED_CLOUDS)
def test_the_months_are_those_of_the_oldest_and_newest_price(
    rows: dict[str, re.Match[str]], cloud: str
) -> None:
    (age,) = [
        each
        for each in ages(date(2026, 11, 28), 400, [cloud])
        if (each.table, each.mode) == ("prices", "on-demand")
    ]
    months = list(dict.fromkeys(f"{day:%Y-%m}" for day in (age.oldest, age.newest) if day))

    assert rows[cloud]["dates"] == " to ".join(months)

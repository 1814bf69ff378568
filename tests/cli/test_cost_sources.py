"""Sources, other rungs and previews in `gpuinfra cost`."""

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run

Stack = Callable[..., Path]


def test_the_other_rungs_are_quoted_with_date_and_source(gpuinfra: Run, quickstart: Path) -> None:
    out = gpuinfra("cost", quickstart, "--detail").out

    row = r"trainer +on-demand@us-east-1 +on-demand g6\.8xlarge +2 +\$2\.0144 +\$4\.03 +\$16\.12"
    assert re.search(rf"{row} +2026-\S+ +\[\d\]", out)
    stands = gpuinfra("cost", quickstart, "--detail", "--rung", "trainer=on-demand").out
    assert re.search(r"trainer +spot@us-east-1 +spot g6\.8xlarge", stands)
    assert "before the active one" in stands
    assert "next in line" not in stands


def test_an_excluded_rung_says_why(gpuinfra: Run, stack: Stack) -> None:
    out = gpuinfra("cost", stack(("per_run: 20", "per_run: 14")), "--detail").out

    assert "excluded: " in out
    assert "above the cap" in " ".join(out.split())


def test_sources_are_numbered_in_the_order_in_which_they_are_met(
    gpuinfra: Run, quickstart: Path
) -> None:
    out = gpuinfra("cost", quickstart, "--detail").out
    table, _, rest = out.partition("ceiling")
    met = list(dict.fromkeys(re.findall(r"\[(\d+)\]", table)))

    assert met == sorted(met, key=int)
    listed = re.findall(r"^\[(\d+)\] ", rest, re.MULTILINE)
    assert listed == [str(number) for number in range(1, len(listed) + 1)]


def test_sources_energy_and_other_rungs_are_shown_on_request(
    gpuinfra: Run, quickstart: Path
) -> None:
    short, long = (gpuinfra("cost", quickstart, *more).out for more in ((), ("--detail",)))

    for words in ("[1] ", "kWh", "inactive rungs", "pools at minimum", "break-even", "by use"):
        assert words not in short
    for words in ("[1] ", "kWh", "inactive rungs", "pools at minimum", "by use"):
        assert words in long
    assert "8 usage-based charges not counted (-v)" in short


@pytest.mark.parametrize("verb", ["cost", "plan"])
def test_a_preview_is_priced_and_planned(gpuinfra: Run, tmp_path: Path, verb: str) -> None:
    recorded = Path(__file__).parents[1] / "pulumi_files" / "recorded" / "gpu_box"
    path = tmp_path / "own.json"
    path.write_bytes(gzip.decompress((recorded / "preview.json.gz").read_bytes()))

    ran = gpuinfra(verb, path, "--as-of", "2026-11-21")

    assert ran.code == 0
    assert "n1-standard-4+1xT4" in ran.out
    assert json.loads(gpuinfra(verb, path, "--json").out)


def test_what_goes_with_a_stack_file_alone_is_refused_of_a_preview(
    gpuinfra: Run, quickstart: Path, tmp_path: Path
) -> None:
    ran = gpuinfra("cost", quickstart, "--settings", tmp_path)

    assert ran.code == 2
    assert "--settings applies to a preview or a state; a stack file has its own" in ran.err

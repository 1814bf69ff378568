"""A development box of `init` keeps its disk, or its file and the check say that it does not."""

from pathlib import Path

import pytest

from gpuinfra.clouds import CLOUDS
from tests.cli.conftest import Run

LOST = "box is deleted, with its disk, once its GPU use was below 5% for 60 minutes"


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_development_box_says_what_becomes_of_its_disk(
    gpuinfra: Run, tmp_path: Path, cloud: str
) -> None:
    folder = tmp_path / "mine"
    assert gpuinfra("init", folder, "--what", "development", "--where", cloud).code == 0

    text = (folder / "stack.yaml").read_text()
    stops = cloud == "aws"
    assert ("all_or_nothing: true      # so that idle_stop keeps the disk" in text) is stops
    assert ("time_to_live: 72h         # it is deleted then, with its disk" in text) is not stops
    assert "with its disk" not in gpuinfra("check", folder).out
    verbose = " ".join(gpuinfra("check", folder, "-v").out.split())
    assert ("box is stopped once" in verbose and "its disk is kept" in verbose) is stops


def test_check_says_without_options_that_an_idle_box_loses_its_disk(
    gpuinfra: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    gpuinfra("init", folder, "--what", "development", "--where", "aws")
    file = folder / "stack.yaml"
    file.write_text(
        "".join(line for line in file.read_text().splitlines(True) if "all_or_nothing" not in line)
    )

    for command in ("check", "plan"):
        assert LOST in " ".join(gpuinfra(command, folder).out.split())
    assert "with its disk" not in gpuinfra("check", folder, "--quiet").out


def test_explain_says_what_an_idle_stop_does_to_the_disk(gpuinfra: Run) -> None:
    told = " ".join(gpuinfra("explain", "idle_stop").out.split())

    assert "with all_or_nothing: true keep their disks; others are deleted, with their" in told

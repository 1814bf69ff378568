"""`gpuinfra check --fix` of a program's resources says what to edit, and writes nothing."""

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import gpuinfra as gpuinfra  # noqa: PLC0414
from tests.fixes.conftest import AS_OF


@pytest.fixture
def foreign(tmp_path) -> Path:
    """A preview of a stranger's machine on Google Cloud, with a public address."""
    recorded = Path(__file__).parents[1] / "pulumi_files" / "recorded" / "gpu_box"
    path = tmp_path / "preview.json"
    path.write_bytes(gzip.decompress((recorded / "preview.json.gz").read_bytes()))
    return path


PUBLIC = "gcp:compute/instance:Instance `ml-box`: remove networkInterfaces[0].accessConfigs"


def test_a_foreign_stack_is_told_what_to_set(foreign, gpuinfra):
    ran = gpuinfra("check", foreign, *AS_OF)

    assert f"public-address: to fix it, change {PUBLIC}" in ran.out
    assert "and write them" not in ran.out


def test_a_foreign_stack_is_looked_at_closer_and_nothing_is_written(foreign, gpuinfra):
    before = foreign.read_bytes()

    ran = gpuinfra("check", foreign, "--fix", "--yes", *AS_OF)

    assert ran.code == 1
    assert foreign.read_bytes() == before
    assert "nothing was written: edit the program at the" in ran.err
    assert "no edit was found for no-cap" in ran.err
    assert "pass --settings check.yaml" in " ".join(ran.err.split()), "as the finding says"
    assert "secure-boot: to fix it, change gcp:compute/instance:Instance `ml-box`: " in ran.out


def test_a_fix_of_a_foreign_stack_in_json(foreign, gpuinfra):
    fixes = json.loads(gpuinfra("check", foreign, "--json", *AS_OF).out)["fixes"]

    (edit,) = next(fix["edits"] for fix in fixes if fix["edits"][0]["path"][0] != "budget")
    assert edit["path"] == ["networkInterfaces", 0, "accessConfigs"]
    assert edit["resource"].endswith("::ml-box")
    assert edit["type"] == "gcp:compute/instance:Instance"
    assert edit["after"] is None


def test_a_large_foreign_stack_is_looked_at_only_when_asked(foreign, gpuinfra, monkeypatch):
    monkeypatch.setattr("gpuinfra.cli.commands.check_pulumi_file.SMALL", 5)

    ran = gpuinfra("check", foreign, *AS_OF)

    assert "fixed by" not in ran.out
    assert "  look for edits that fix it: gpuinfra check " in ran.out
    assert PUBLIC in gpuinfra("check", foreign, "--fix", *AS_OF).out

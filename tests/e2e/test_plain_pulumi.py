"""Plain `pulumi up` in the shipped stacks, in the sandbox, the way the README says it."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parents[2]


def printed_environment() -> dict[str, str]:
    """What a shell has after eval "$(gpuinfra sandbox env)"."""
    lines = subprocess.run(
        [sys.executable, "-m", "gpuinfra.cli", "sandbox", "env"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    shown = subprocess.run(
        ["bash", "-c", f"{lines}\nenv -0"], check=True, capture_output=True, text=True
    ).stdout
    return dict(one.split("=", 1) for one in shown.split("\0") if one)


@pytest.mark.parametrize("name", ["quickstart", "training"])
def test_pulumi_up_in_a_shipped_stack(
    name: str,
    sandbox_home: Path,
    tmp_path: Path,
    plain_pulumi: Callable[[Path, Mapping[str, str]], Any],
) -> None:
    folder = tmp_path / name
    shutil.copytree(ROOT / "stacks" / name, folder)
    pulumi = plain_pulumi(folder, printed_environment())
    pulumi("stack", "init", "sandbox")

    made = pulumi("up", "--yes", "--skip-preview")
    again = pulumi("up", "--yes", "--skip-preview", "--json")
    exported = json.loads(pulumi("stack", "export").stdout)
    pulumi("destroy", "--yes", "--skip-preview")

    assert "created" in made.stdout
    kinds = {one["type"] for one in exported["deployment"]["resources"]}
    assert "aws:autoscaling/group:Group" in kinds
    assert "gpuinfra:index:TrainingCluster" in kinds
    assert '"create"' not in again.stdout
    left = json.loads(pulumi("stack", "export").stdout)["deployment"].get("resources", [])
    assert [one["type"] for one in left if one.get("custom")] == []


def test_a_pack_refuses_a_plain_preview(
    sandbox_home: Path, tmp_path: Path, plain_pulumi: Callable[[Path, Mapping[str, str]], Any]
) -> None:
    folder = tmp_path / "quickstart"
    shutil.copytree(ROOT / "stacks" / "quickstart", folder)
    text = (folder / "stack.yaml").read_text()
    (folder / "stack.yaml").write_text(text.replace("per_hour: 8", "per_hour: 5", 1))
    pulumi = plain_pulumi(folder, printed_environment())
    pulumi("stack", "init", "sandbox")

    refused = pulumi("preview", "--policy-pack", str(ROOT / "policies" / "budget"), check=False)

    assert refused.returncode != 0
    assert "cap-per-hour" in refused.stdout
    assert "5.00" in refused.stdout

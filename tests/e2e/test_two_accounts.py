"""A program of components in two regions and two accounts, checked from another folder."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "configuration.md"
SETTINGS = "budget: {per_hour: 20, per_month: 12000}\n"


def code_of(page: Path) -> str:
    """The page's program: its only block of Python."""
    (block,) = page.read_text().split("```python\n")[1:]
    return block.partition("```")[0]


def test_the_program_of_the_page_is_judged_in_both_accounts(tmp_path: Path) -> None:
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: multi\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").write_text("environment: [prod/gpu]\n")
    (folder / "__main__.py").write_text(code_of(PAGE))
    (folder / "check.yaml").write_text(SETTINGS)

    done = subprocess.run(
        [
            *(sys.executable, "-m", "gpuinfra.cli", "check", str(folder), "--json"),
            *("--settings", str(folder / "check.yaml")),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout, done.stderr
    report = json.loads(done.stdout)
    violated = [finding for finding in report["findings"] if finding["outcome"] == "violated"]
    assert done.returncode == 0, violated
    for region in ("us-east-1", "us-west-2"):
        assert f"its machines are offered on spot in {region}" in done.stdout
    assert any("Pulumi ESC" in note for note in report["notes"]), "what was not read is said"

"""A cap per month that only idle hours exceed says first what ends the machines after a run."""

from pathlib import Path

import pytest

from tests.cli.conftest import gpuinfra as gpuinfra  # noqa: PLC0414

TEXT = """\
budget: {{per_hour: 200, per_month: 3000}}
where: {{regions: [{region}]}}
training:
  tune: {{gpu: H100:8, duration: 24h}}
"""


def _fix(gpuinfra, tmp_path: Path, region: str) -> str:
    path = tmp_path / "stack.yaml"
    path.write_text(TEXT.format(region=region))
    lines = gpuinfra("check", path).out.splitlines()
    at = next(number for number, line in enumerate(lines) if "cap-per-month" in line)
    return next(line for line in lines[at:] if line.startswith("    fix: "))


@pytest.mark.parametrize("region", ["us-east-1", "us-central1", "eastus"])
def test_a_time_to_live_comes_first(gpuinfra, tmp_path, region):
    fix = _fix(gpuinfra, tmp_path, region)

    assert fix.startswith("    fix: end tune after its run (time_to_live: 30h), use fewer")
    assert "or raise budget.per_month to " in fix

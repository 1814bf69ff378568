"""A cap per month that only idle hours exceed says first what ends the machines after a run."""

from pathlib import Path

import pytest

from tests.cli.conftest import gpuinfra as gpuinfra  # noqa: PLC0414

TEXT = """\
budget: {{per_hour: 200, per_month: 3000{per_run}}}
where: {{regions: [{region}]}}
training:
  tune: {{gpu: H100:8, duration: 24h}}
"""


def _fix(gpuinfra, tmp_path: Path, region: str, per_run: str = "") -> str:
    path = tmp_path / "stack.yaml"
    path.write_text(TEXT.format(region=region, per_run=per_run))
    lines = gpuinfra("check", path).out.splitlines()
    at = next(number for number, line in enumerate(lines) if "cap-per-month" in line)
    return next(line for line in lines[at:] if line.startswith("    fix: "))


def test_a_time_to_live_comes_first_where_the_cloud_takes_it(gpuinfra, tmp_path):
    fix = _fix(gpuinfra, tmp_path, "us-east-1")

    assert fix.startswith("    fix: end tune after its run (time_to_live: 30h), use fewer")
    assert "or raise budget.per_month to " in fix


@pytest.mark.parametrize("per_run", ["", ", per_run: 2500"])
def test_runs_are_capped_where_no_key_ends_them(gpuinfra, tmp_path, monkeypatch, per_run):
    monkeypatch.setattr("gpuinfra.rules.run_end.accepts", lambda *_, **__: False)

    fix = _fix(gpuinfra, tmp_path, "us-central1", per_run)

    cap = "keep per_run" if per_run else "set per_run: "
    assert fix.startswith(f"    fix: cap runs instead of months (remove per_month, {cap}")
    assert ") and destroy the stack after each run of tune, use fewer" in fix

"""Judging what Pulumi wrote needs neither Pulumi nor a cloud's SDK."""

import json
import subprocess
import sys

from tests.pulumi_files.recording import recorded

RUN = """
import contextlib, io, json, sys
from gpuinfra.cli import run
with contextlib.redirect_stdout(io.StringIO()):
    assert run(["check", sys.argv[1], "--as-of", "2026-11-21"]) == 0
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""
HEAVY = {"pulumi", "pulumi_policy", "pulumi_aws", "grpc", "boto3", "moto", "rich"}


def test_a_check_of_a_state_loads_nothing_heavy(tmp_path):
    path = tmp_path / "state.json"
    path.write_text(recorded("quickstart", "state.json"))
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(path)], check=True, capture_output=True, text=True
    )
    assert set(json.loads(done.stdout)) & HEAVY == set()

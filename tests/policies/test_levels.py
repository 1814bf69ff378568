"""Levels of a stack file: `gpuinfra up` keeps to them, and a pack of somebody else's does not."""

from dataclasses import replace
from pathlib import Path

import pytest

from gpuinfra.api.targets import request
from gpuinfra.cli.source import load
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Pack
from gpuinfra.rules.waivers import short_name
from tests.policies.ground import POLICIES

pytestmark = [
    pytest.mark.e2e,
    # The SDKs' own import warnings: as errors they leave half a module behind.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pulumi_.*"),
]

STACK = """\
version: 1
name: levels
owner: ml
where: {cloud: aws, regions: [us-east-1]}
budget: {per_hour: 50}
prices: {accept_outdated: true}
training:
  alpha: {instance: g6.8xlarge, capacity: spot, duration: 4h, disk: 200GB}
  beta: {instance: g6.8xlarge, capacity: spot, duration: 4h, disk: 200GB}
rules:
  spot-checkpoints:
    level: LEVEL
    workloads: {alpha: {level: disabled}}
"""
RULE = "spot-checkpoints"


def test_a_stack_files_levels_hold_in_its_own_up_and_not_in_another_pack(
    tmp_path: Path, module_sandbox_home: Path
):
    def judged(level: str, own: bool) -> set[tuple[str, str]]:
        (tmp_path / "stack.yaml").write_text(STACK.replace("LEVEL", level))
        preview = request(load(tmp_path), "sandbox")
        if not own:
            preview = replace(preview, packs=(Pack(folder=POLICIES / "spot"),))
        outcome = lifecycle.preview(preview)
        levels = {
            (short_name(finding.urn), finding.level)
            for finding in outcome.findings
            if finding.policy == RULE
        }
        assert outcome.ok is all(of != "mandatory" for _, of in levels), outcome.reason
        return levels

    assert judged("advisory", own=True) == {("beta-group", "advisory")}
    assert judged("mandatory", own=True) == {("beta-group", "mandatory")}
    assert judged("advisory", own=False) == {
        ("alpha-group", "mandatory"),
        ("beta-group", "mandatory"),
    }

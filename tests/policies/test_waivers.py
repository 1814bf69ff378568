"""The same waivers, judged by a check of the stack file and by the packs on the real engine."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gpuinfra.api.targets import request
from gpuinfra.cli.source import load
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Pack
from gpuinfra.rules import RULES
from gpuinfra.rules.waivers import WAIVER_RULE_ID, short_name
from tests.policies.ground import POLICIES

pytestmark = pytest.mark.e2e

PACKS = ("spot", "security")
JUDGED = {WAIVER_RULE_ID} | {rule.id for rule in RULES if rule.family in PACKS}

WORKLOAD = """
  {name}:
    instance: g6.8xlarge
    nodes: {nodes}
    capacity: spot
    duration: 4h
    disk: 200GB
"""
WAIVER = """
  - {{rule: {rule}, resource: "{resource}", reason: short, owner: ml, until: {until}}}"""

UNTIL = datetime.now(UTC).date() + timedelta(days=30)

WAIVED = {"alpha": "training.alpha", "beta": "beta", "gamma": "gam*"}
"""Training on spot without checkpoints, and the words in which somebody accepts that."""


def stack_file(folder: Path) -> Path:
    """Four trainings on spot without checkpoints, of which three are waived."""
    names = (*WAIVED, "delta")
    waivers = [("spot-checkpoints", resource) for resource in WAIVED.values()]
    waivers.append(("disk-encrypted", "alpha"))
    path = folder / "stack.yaml"
    path.write_text(
        "version: 1\nname: waived\nowner: ml\nwhere: {cloud: aws, regions: [us-east-1]}\n"
        "training:"
        + "".join(WORKLOAD.format(name=name, nodes=1 + (name == "beta")) for name in names)
        + "waivers:"
        + "".join(
            WAIVER.format(rule=rule, resource=resource, until=UNTIL) for rule, resource in waivers
        )
    )
    return path


def test_a_check_and_the_packs_agree_on_waivers(sandbox_environment, tmp_path):
    loaded = load(stack_file(tmp_path))
    waived = {finding.subject for finding in loaded.verdict.waived}
    assert waived == {f"training.{name}" for name in WAIVED}
    refused = {
        finding
        for finding in loaded.verdict.findings
        if finding.refuses and finding.rule in JUDGED
    }
    assert {(finding.rule, finding.subject) for finding in refused} == {
        ("spot-checkpoints", "training.delta"),
        (WAIVER_RULE_ID, "waivers.disk-encrypted"),
    }

    accepted = {"settings": {"loosening": "accepted"}}  # as `gpuinfra up` gives it
    packs = tuple(Pack(folder=POLICIES / name, config=accepted) for name in PACKS)
    outcome = lifecycle.preview(replace(request(loaded, "sandbox"), packs=packs))

    assert outcome.ending == "refused", outcome.reason
    refusing = [finding for finding in outcome.findings if finding.level == "mandatory"]
    assert {(finding.policy, short_name(finding.urn)) for finding in refusing} == {
        ("spot-checkpoints", "delta-group"),
        (WAIVER_RULE_ID, "waived-sandbox"),
    }
    (wrong,) = (finding for finding in refusing if finding.policy == WAIVER_RULE_ID)
    assert "matches no finding" in wrong.message

"""`policies/all` is the five packs in one process: the same rules, ids and words."""

import json
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Pack, RunRequest, Target
from gpuinfra.rules import RULES
from gpuinfra.rules.rule import Family
from tests.policies.ground import AS_OF, POLICIES
from tests.policies.programs import register
from tests.rules.cases.cluster import cluster

FIVE = get_args(Family)
LISTED = """
import json, runpy, sys
from google.protobuf import json_format
from gpuinfra.crossguard import policies
def told(analyzer):
    print(json.dumps(json_format.MessageToDict(analyzer.GetAnalyzerInfo(None, None))))
policies.serve = told
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def listed(folder: Path) -> dict[str, dict[str, object]]:
    """The policies that a pack tells the engine of, by name."""
    arguments = [sys.executable, "-c", LISTED, str(folder)]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    return {policy["name"]: policy for policy in json.loads(done.stdout)["policies"]}


SHARED = {"settings", "waiver"}
"""What every pack has."""


@pytest.mark.slow
def test_the_five_packs_together_are_all_and_each_rule_is_in_one_of_them():
    every = listed(POLICIES / "all")
    assert [name for name in every if name not in SHARED] == [rule.id for rule in RULES]
    parts = {name: listed(POLICIES / name) for name in FIVE}
    rules = [rule for part in parts.values() for rule in part if rule not in SHARED]
    assert sorted(rules) == sorted(set(every) - SHARED)
    for part in parts.values():
        assert set(part) >= SHARED
        assert {rule: every[rule] for rule in part} == part


def test_there_is_a_pack_for_each_family_and_one_for_all():
    folders = {path.name for path in POLICIES.glob("*/") if (path / "PulumiPolicy.yaml").exists()}
    assert folders == {*FIVE, "all"}


def broken() -> None:
    """A cluster on spot that nobody saves, with open metadata, and above every cap."""
    case = cluster()
    program = case.program
    program.change(
        case.template,
        instanceMarketOptions={"marketType": "spot"},
        metadataOptions={"httpTokens": "optional"},
    )
    register("broken", program)


SETTINGS = {
    "as_of": AS_OF,
    "budget": {"per_hour": 5},
    "prices": {"accept_outdated": True},
    "usage": {
        "purpose": {"broken-workers": "training"},
        "checkpoints": {"broken-workers": False},
    },
}


@pytest.mark.e2e
def test_all_and_the_five_say_the_same(environment: dict[str, str]):
    def findings_of(*packs: str) -> set[tuple[str, str, str, str]]:
        outcome = lifecycle.preview(
            RunRequest(
                project="all-or-five",
                program=broken,
                target=Target(name="sandbox", environment=environment),
                packs=tuple(
                    Pack(folder=POLICIES / name, config={"settings": SETTINGS}) for name in packs
                ),
            )
        )
        assert outcome.ending == "refused", outcome.reason
        return {
            (finding.policy, finding.urn, finding.level, finding.message)
            for finding in outcome.findings
        }

    together = findings_of("all")
    assert {rule for rule, *_ in together} >= {"cap-per-hour", "spot-checkpoints", "metadata-v2"}
    assert together == findings_of(*FIVE)

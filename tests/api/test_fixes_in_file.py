"""A pack's finding on a stack file gets the fix that `check` has for the file."""

from datetime import date

import pytest

from gpuinfra.api.checking import check_stack
from gpuinfra.api.fixes_in_file import with_fixes_of_file
from gpuinfra.engine.contract import Outcome, PolicyFinding
from gpuinfra.rules.rule import TO_FIX

STACK = """\
version: 1
name: lab
owner: ml-platform
budget: {per_hour: 40}
where: {cloud: aws, regions: [us-east-1]}
training:
  tune: {gpu: "L4:1", duration: 4h}
  tune-long: {gpu: "L4:1", duration: 8h}
"""
GENERAL = "give the machines a maximum run duration."


def fix_of(folder, policy, name):
    path = folder / "stack.yaml"
    path.write_text(STACK)
    urn = f"urn:pulumi:sandbox::lab::aws:autoscaling/group:Group::{name}" if name else ""
    finding = PolicyFinding(
        pack="all",
        policy=policy,
        level="advisory",
        message=f"{name}: it is wrong.{TO_FIX}{GENERAL}",
        urn=urn,
    )
    outcome = Outcome(verb="preview", ending="fine", findings=(finding,))
    (only,) = with_fixes_of_file(outcome, check_stack(path, {}, date(2026, 11, 21))).findings
    assert only.message.startswith(f"{name}: it is wrong.{TO_FIX}")
    return only.message.partition(TO_FIX)[2]


@pytest.mark.parametrize(
    ("policy", "name", "fix"),
    [
        ("time-limit", "tune-group", "add time_to_live: 5h."),
        ("time-limit", "tune-long-group", "add time_to_live: 10h."),
        ("time-limit", "another-group", GENERAL),
        ("metadata-v2", "tune-group", GENERAL),
    ],
)
def test_the_fix_is_that_of_the_file_for_the_same_rule_and_workload(tmp_path, policy, name, fix):
    assert fix_of(tmp_path, policy, name) == fix


def test_what_is_of_the_whole_stack_gets_the_fix_for_the_stack(tmp_path):
    assert fix_of(tmp_path, "cloud-budget", "") != GENERAL

"""A pack's finding on a stack file gets the place and the fix that `check` has for the file."""

from datetime import date

import pytest

from gpuinfra.api.checking import check_stack
from gpuinfra.api.findings_in_file import with_file_locations
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
STOPS = """\
name: lab
owner: ml-platform
budget: {per_hour: 40}
where: {cloud: aws, regions: [us-east-1]}
training:
  box: {gpu: "L4:1", idle_stop: {below: 5%, after: 1h}, all_or_nothing: true}
  tune: {gpu: "L4:1"}
"""
GENERAL = "give the machines a maximum run duration."


def in_file(folder, policy, name, checked=None):
    path = folder / "stack.yaml"
    path.write_text(STACK)
    checked = checked or check_stack(path, {}, date(2026, 11, 21))
    urn = f"urn:pulumi:sandbox::lab::aws:autoscaling/group:Group::{name}" if name else ""
    finding = PolicyFinding(
        pack="all",
        policy=policy,
        level="advisory",
        message=f"Rule: what is right. {name}: it is wrong.{TO_FIX}{GENERAL}",
        urn=urn,
    )
    outcome = Outcome(verb="preview", ending="fine", findings=(finding,))
    (only,) = with_file_locations(outcome, checked).findings
    return only


def fix_of(folder, policy, name, subject=""):
    message, _, fix = in_file(folder, policy, name).message.partition(TO_FIX)
    assert message == f"Rule: what is right. {subject or name}: it is wrong."
    return fix


def line_of(folder, policy, name):
    position = in_file(folder, policy, name).position
    return position and position.text.strip()


@pytest.mark.parametrize(
    ("policy", "name", "subject", "fix"),
    [
        ("time-limit", "tune-group", "training.tune", "add time_to_live: 5h."),
        ("time-limit", "tune-long-group", "training.tune-long", "add time_to_live: 10h."),
        ("time-limit", "another-group", "", GENERAL),
        ("metadata-v2", "tune-group", "", GENERAL),
    ],
)
def test_the_subject_and_the_fix_are_those_of_the_file_for_the_same_rule_and_workload(
    tmp_path, policy, name, subject, fix
):
    assert fix_of(tmp_path, policy, name, subject) == fix


def test_what_is_of_the_whole_stack_gets_the_fix_for_the_stack(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.STACK", STACK.replace("budget: {per_hour: 40}\n", ""))
    assert fix_of(tmp_path, "cloud-budget", "") != GENERAL


@pytest.mark.parametrize(
    ("policy", "level", "count"),
    [
        ("secure-boot", "advisory", 0),
        ("idle-stop", "advisory", 0),
        ("secure-boot", "mandatory", 1),
        ("time-limit", "advisory", 1),
        ("disk-encrypted", "advisory", 1),
    ],
)
def test_what_the_check_only_notes_the_preview_does_not_warn_of(tmp_path, policy, level, count):
    on_google = STACK.replace("aws, regions: [us-east-1]", "gcp, regions: [us-central1]")
    path = tmp_path / "stack.yaml"
    path.write_text(on_google.replace(", duration: 4h", ""))
    checked = check_stack(path, {}, date(2026, 11, 21))
    urn = "urn:pulumi:sandbox::lab::gcp:compute/instanceTemplate:InstanceTemplate::tune-template"
    finding = PolicyFinding(
        pack="all", policy=policy, level=level, message="tune: it is wrong", urn=urn
    )
    outcome = Outcome(verb="preview", ending="fine", findings=(finding,))

    assert len(with_file_locations(outcome, checked).findings) == count


@pytest.mark.parametrize(
    ("policy", "name", "line"),
    [
        ("time-limit", "tune-group", 'tune: {gpu: "L4:1", duration: 4h}'),
        ("time-limit", "tune-long-group", 'tune-long: {gpu: "L4:1", duration: 8h}'),
        ("metadata-v2", "tune-group", 'tune: {gpu: "L4:1", duration: 4h}'),
        ("cap-per-hour", "", "budget: {per_hour: 40}"),
        ("cap-per-hour", "another-group", "budget: {per_hour: 40}"),
        ("metadata-v2", "another-group", None),
    ],
)
def test_the_place_is_that_of_the_file_for_the_same_rule_or_workload(tmp_path, policy, name, line):
    assert line_of(tmp_path, policy, name) == line


def test_the_place_is_where_the_check_says_it_is(tmp_path):
    (tmp_path / "stack.yaml").write_text(STACK)
    checked = check_stack(tmp_path / "stack.yaml", {}, date(2026, 11, 21))
    (same,) = (
        finding
        for finding in checked.verdict.findings
        if finding.rule == "time-limit" and finding.subject == "training.tune-long"
    )

    place = in_file(tmp_path, "time-limit", "tune-long-group", checked).position

    assert place is not None
    assert place == checked.document.locate(same.path)


@pytest.mark.parametrize(
    ("policy", "name", "level", "stays"),
    [
        ("time-limit", "box-group", "advisory", False),
        ("idle-stop", "box-group", "advisory", False),
        ("time-limit", "tune-group", "advisory", True),
        ("idle-stop", "box-group", "mandatory", True),
        ("metadata-v2", "box-group", "advisory", True),
    ],
)
def test_advice_that_a_key_of_the_file_follows_is_left_out(tmp_path, policy, name, level, stays):
    (tmp_path / "stack.yaml").write_text(STOPS)
    checked = check_stack(tmp_path / "stack.yaml", {}, date(2026, 11, 21))
    urn = f"urn:pulumi:sandbox::lab::aws:autoscaling/group:Group::{name}"
    finding = PolicyFinding(pack="all", policy=policy, level=level, message="Wrong.", urn=urn)
    outcome = Outcome(verb="preview", ending="fine", findings=(finding,))

    assert bool(with_file_locations(outcome, checked).findings) is stays

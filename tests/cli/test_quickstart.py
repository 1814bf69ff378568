"""What `quickstart` says of resources that remain, and how it is called again."""

import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpuinfra import sandbox
from gpuinfra.api.checking import check_stack
from gpuinfra.cli.commands import quickstart
from gpuinfra.cli.commands.quickstart import program, refuse_left, without_shown_warnings
from gpuinfra.cli.commands.up import without_previewed_warnings
from gpuinfra.engine.contract import Outcome, PolicyFinding
from gpuinfra.errors import RefusedError

EARLIER = {"urn:pulumi:a::b::c::data 1": "data", "urn:pulumi:a::b::c::chat 1": "chat"}


def test_what_an_earlier_run_left_is_told_with_the_way_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refuse_left(EARLIER, EARLIER)

    assert capsys.readouterr().err == (
        "2 resources of an earlier run remain in the sandbox;"
        " remove everything in it: gpuinfra sandbox reset\n"
    )


def test_nothing_is_said_where_nothing_remains(capsys: pytest.CaptureFixture[str]) -> None:
    refuse_left(EARLIER, {})

    assert capsys.readouterr() == ("", "")


def test_what_this_run_made_and_left_is_refused_by_name() -> None:
    with pytest.raises(RefusedError, match=r"^not deleted: data-2$"):
        refuse_left(EARLIER, {**EARLIER, "urn:pulumi:a::b::c::data 2": "data-2"})


def test_hints_of_a_module_that_is_run_call_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/elsewhere/gpuinfra/__main__.py", "quickstart"])
    monkeypatch.setattr(sys, "executable", "/elsewhere/bin/python3")

    assert program() == "python3 -m gpuinfra"


def test_the_next_stack_is_written_into_a_new_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my-stack").mkdir()
    quickstart.finish(quickstart.StepTimer(), tmp_path / "a stack")
    assert " init my-stack\n" in capsys.readouterr().out

    (tmp_path / "my-stack/stack.yaml").touch()
    quickstart.finish(quickstart.StepTimer(), tmp_path / "a stack")
    out = capsys.readouterr().out
    assert " init my-stack-2\n" in out
    assert f" cost '{tmp_path}/a stack'\n" in out


HUNG = PolicyFinding(
    pack="all",
    policy="time-limit",
    level="advisory",
    message="trainer-group: no maximum runtime; a hung run keeps billing",
    urn="urn:pulumi:a::b::c::trainer-group",
)
"""What the pack says of a stack without a time limit, which `check` says, too."""


def test_a_warning_of_the_check_is_not_printed_again_by_what_follows(quickstart: Path) -> None:
    loaded = check_stack(quickstart, {}, date(2026, 11, 21))
    (warned,) = (each for each in loaded.verdict.findings if each.rule == "time-limit")
    hung = replace(HUNG, message=f"trainer-group: {warned.message}")
    other = replace(HUNG, message="chat-group: something else")
    refused = replace(HUNG, level="mandatory")
    outcome = Outcome(verb="up", ending="fine", reason="", findings=(hung, other, refused))

    assert [each.message for each in without_shown_warnings(outcome, loaded).findings] == [
        other.message,
        refused.message.replace("trainer-group", "training.trainer"),
    ]


def test_a_warning_of_the_preview_that_was_confirmed_is_not_printed_again() -> None:
    refused = replace(HUNG, level="mandatory")
    outcome = Outcome(verb="up", ending="fine", reason="", findings=(HUNG, refused))

    assert without_previewed_warnings(outcome, [HUNG]).findings == (refused,)
    assert without_previewed_warnings(outcome, []).findings == (HUNG, refused)


def test_a_resource_whose_id_begins_with_its_name_is_named_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def kept(kind: str, name: str, id_: str) -> SimpleNamespace:
        urn = f"urn:pulumi:sandbox::shop::{kind}::{name}"
        return SimpleNamespace(backend="ledger", urn=urn, type=kind, name=name, id=id_)

    group = kept("aws:ec2/placementGroup:PlacementGroup", "place", "place-ba8ca7c")
    disk = kept("gcp:compute/disk:Disk", "disk", "projects/p/disk")
    monkeypatch.setattr(sandbox, "existing_resources", lambda: [group, disk])
    stack = SimpleNamespace(plan=SimpleNamespace(groups=[]), stack=SimpleNamespace(name="shop"))

    assert list(quickstart.deployed_resources(stack)) == [
        ("aws:ec2:PlacementGroup", "place-ba8ca7c", ""),
        ("gcp:compute:Disk", "disk", "projects/p/disk"),
    ]


def test_what_is_deployed_on_aws_is_told_by_the_types_of_pulumi(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = {"InstanceType": "g6.xlarge"}
    scaling_group = {"AutoScalingGroupName": "chat-group-1", "Instances": [machine, machine]}
    client = SimpleNamespace(
        describe_auto_scaling_groups=lambda: {"AutoScalingGroups": [scaling_group]},
        list_buckets=lambda: {"Buckets": [{"Name": "data-1"}]},
        get_bucket_versioning=lambda **_: {"Status": "Enabled"},
    )
    monkeypatch.setattr("boto3.client", lambda *_, **__: client)
    monkeypatch.setattr(sandbox, "start", lambda: SimpleNamespace(endpoint="http://x"))

    assert list(quickstart.look_with_boto3("us-east-1")) == [
        ("aws:autoscaling:Group", "chat-group-1", "2 × g6.xlarge"),
        ("aws:s3:Bucket", "data-1", "versioning Enabled"),
    ]

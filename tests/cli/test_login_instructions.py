"""What `up` and `status` say of reaching the machines of a stack in a cloud."""

from dataclasses import replace
from pathlib import Path

import pytest

from gpuinfra import api
from gpuinfra.api.checking import StackCheck
from gpuinfra.cli.commands import status, up
from gpuinfra.cli.views.login_instructions import login_instructions
from gpuinfra.engine.contract import Outcome
from tests.cli.test_status import STANDS

WAYS = {
    "aws": ("us-east-1", "log in by Session Manager: aws ssm start-session --target INSTANCE_ID"),
    "gcp": ("us-central1", "gcloud compute ssh MACHINE --zone us-central1-a --tunnel-through-iap"),
    "azure": ("eastus", "there is no shell; Run Command returns the output of a script"),
}
OUTPUTS = {"training": {"tune": {"groupName": "tune-group-7daf453", "imageId": "ami-1"}}}


@pytest.fixture(params=WAYS)
def checked(request: pytest.FixtureRequest, tmp_path: Path) -> StackCheck:
    cloud = request.param
    (tmp_path / "stack.yaml").write_text(
        f"name: held\nowner: ml\nwhere: {{cloud: {cloud}, regions: [{WAYS[cloud][0]}]}}\n"
        "training: {tune: {gpu: T4, duration: 24h}}\n"
    )
    found = api.check(tmp_path)
    assert isinstance(found, StackCheck)
    return found


def test_each_workload_names_its_machines_and_the_way_in(checked: StackCheck) -> None:
    first, page = login_instructions(checked.plan.groups, OUTPUTS)

    assert first.startswith("tune: machines of tune-group-7daf453; ")
    way = WAYS[checked.plan.groups[0].cloud][1]
    assert first.endswith(way.replace("us-central1-a", _zone(checked)))
    assert page == "how to find and reach a machine: docs/how-to/log-in.md"
    assert (Path(__file__).parents[2] / page.rpartition(": ")[2]).exists()


def _zone(checked: StackCheck) -> str:
    zones = checked.plan.groups[0].rung.zones
    return zones[0] if len(zones) == 1 else "ZONE"


def test_nothing_is_said_of_machines_that_no_output_names(checked: StackCheck) -> None:
    assert (
        list(login_instructions(checked.plan.groups, {"training": {"other": {}}, "inference": 1}))
        == []
    )


@pytest.mark.parametrize("target", ["cloud", "sandbox"])
def test_up_and_status_say_it_of_the_cloud(
    checked: StackCheck, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = Outcome(verb="up", ending="fine", reason="", outputs=OUTPUTS)
    up._show_next_steps(done, checked, target, "normal")
    after = capsys.readouterr().out
    standing = replace(STANDS, target=target, outputs=OUTPUTS)
    plan, quote = checked.plan, checked.quote
    status.show(standing, lambda name: name, plan, quote, plan.caps, "normal")

    for text in (after, capsys.readouterr().out):
        assert ("machines of tune-group-7daf453" in " ".join(text.split())) is (target == "cloud")

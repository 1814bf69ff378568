import json
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import boto3
import pytest

from tests.cli.conftest import Run

pytestmark = [
    pytest.mark.e2e,
    # SDKs warn of their own old names when they are imported.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
Stack = Callable[..., Path]


def test_the_whole_path_of_a_stack(gpuinfra: Run, stack: Stack, sandbox_home: Path) -> None:
    path = stack()

    up = gpuinfra("up", path, "--target", "sandbox")
    assert up.code == 0, up.out + up.err
    again = gpuinfra("up", path, "--target", "sandbox", "--json")
    status = gpuinfra("status", path, "--target", "sandbox", "--json")
    changes = json.loads(again.out)["changes"]
    assert set(changes) <= {"same"}, changes
    standing = json.loads(status.out)
    assert len(standing["plan"]["groups"]) == 2
    assert standing["quote"]["per_hour"]["ceiling"] > 0

    drift(sandbox_home)
    seen = gpuinfra("refresh", path, "--target", "sandbox")
    assert seen.code == 0
    assert "Group" in seen.out

    gone = gpuinfra("destroy", path, "--target", "sandbox")
    assert gone.code == 0, gone.out + gone.err
    left = gpuinfra("sandbox", "ls", "--json")
    assert json.loads(left.out) == []


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["table", "json"])
def test_a_destroy_of_nothing_starts_no_server(
    gpuinfra: Run, stack: Stack, sandbox_home: Path, options: tuple[str, ...]
) -> None:
    from gpuinfra import sandbox

    ran = gpuinfra("destroy", stack(), "--target", "sandbox", *options)

    assert ran.code == 0, ran.err
    assert options or "nothing to destroy" in ran.out
    assert not sandbox.status().running


def drift(home: Path) -> None:
    """Change a group's maximum behind Pulumi's back."""
    from gpuinfra import sandbox

    client = boto3.client(
        "autoscaling",
        region_name="us-east-1",
        endpoint_url=sandbox.start().endpoint,
        aws_access_key_id="sandbox",
        aws_secret_access_key="sandbox",
    )
    groups = client.describe_auto_scaling_groups()["AutoScalingGroups"]
    client.update_auto_scaling_group(
        AutoScalingGroupName=groups[0]["AutoScalingGroupName"], MaxSize=groups[0]["MaxSize"] + 1
    )


def test_a_violated_cap_stops_an_up_before_it_starts(
    gpuinfra: Run, stack: Stack, sandbox_home: Path
) -> None:
    path = stack(("per_hour: 8", "per_hour: 1"))

    ran = gpuinfra("up", path, "--target", "sandbox")

    assert ran.code == 1
    assert "cap-per-hour" in ran.out
    assert json.loads(gpuinfra("sandbox", "ls", "--json").out) == []


def test_no_capacity_is_an_answer_with_the_next_rung(
    gpuinfra: Run, stack: Stack, sandbox_home: Path
) -> None:
    path = stack()
    gpuinfra(
        "sandbox", "fault", "add", "no-capacity", "--machine", "g6.8xlarge", "--capacity", "spot"
    )

    refused = gpuinfra("up", path, "--target", "sandbox")
    left = gpuinfra("status", path, "--target", "sandbox", "--json")
    stepped = gpuinfra("up", path, "--target", "sandbox", "--rung", "trainer=on-demand@us-east-1")
    status = gpuinfra("status", path, "--target", "sandbox", "--json")
    kept = gpuinfra("up", path, "--target", "sandbox", "--json")
    gpuinfra("destroy", path, "--target", "sandbox")

    assert refused.code == 3
    assert "InsufficientInstanceCapacity" in refused.err
    assert "fix:" in refused.err
    assert "--rung trainer=on-demand@us-east-1" in refused.err
    assert "Traceback" not in refused.err
    last = refused.out.splitlines()[-1]
    assert re.match(r"up \[sandbox] failed: AWS refused trainer-group; \d\d created in", last)
    (total,) = [line.split() for line in refused.out.splitlines() if line.startswith("total")]
    # How much of the rest was made by then is the engine's order of the day.
    per_hour = json.loads(left.out)["quote"]["per_hour"]["ceiling"]
    assert "new cost; nothing was deployed before" in refused.out
    assert float(total[1].removeprefix("$")) == pytest.approx(per_hour, rel=0.01)
    assert 0 < per_hour < 8
    assert stepped.code == 0, stepped.out + stepped.err
    standing = json.loads(status.out)
    (trainer,) = (
        group for group in standing["plan"]["groups"] if group["name"] == "trainer-group"
    )
    assert trainer["rungs"][0]["capacity"] == "on-demand"
    assert standing["standing"]["rungs"] == {"trainer": "on-demand@us-east-1"}
    assert set(json.loads(kept.out)["changes"]) == {"same"}


def test_what_is_lost_or_another_s_is_never_passed_over(
    gpuinfra: Run, stack: Stack, sandbox_home: Path, tmp_path: Path
) -> None:
    from gpuinfra import sandbox

    path = stack()
    twin = tmp_path / "twin" / "stack.yaml"
    twin.parent.mkdir()
    twin.write_text(path.read_text())
    assert gpuinfra("up", path, "--target", "sandbox", "--skip-preview").code == 0

    over = gpuinfra("up", twin, "--target", "sandbox")
    pid = sandbox.status().pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    status = gpuinfra("status", path, "--target", "sandbox")
    again = gpuinfra("up", path, "--target", "sandbox")
    forgotten = gpuinfra("refresh", path, "--target", "sandbox")
    gone = gpuinfra("destroy", path, "--target", "sandbox")

    assert over.code == 2
    assert "another stack file with this name is deployed" in over.err
    assert (status.code, again.code) == (3, 3)
    assert "server ended, and no longer exist" in status.err
    assert "gpuinfra refresh" in again.err
    assert (forgotten.code, gone.code) == (0, 0)


@pytest.mark.parametrize("cloud", ["gcp", "azure"])
def test_the_starter_of_each_cloud_comes_up_is_shown_and_goes(
    gpuinfra: Run, tmp_path: Path, sandbox_home: Path, cloud: str
) -> None:
    path = tmp_path / "mine"
    gpuinfra("init", path, "--cloud", cloud, "--what", "everything")

    up = gpuinfra("up", path, "--target", "sandbox", "--skip-preview")
    assert up.code == 0, up.out + up.err
    again = gpuinfra("up", path, "--target", "sandbox", "--skip-preview", "--json")
    status = json.loads(gpuinfra("status", path, "--target", "sandbox", "--json").out)
    listed = gpuinfra("sandbox", "ls", "mine")
    gone = gpuinfra("destroy", path, "--target", "sandbox")

    assert set(json.loads(again.out)["changes"]) == {"same"}
    assert {group["cloud"] for group in status["plan"]["groups"]} == {cloud}
    assert status["plan"]["not_judged"] == []
    assert {"trainer-group", "chat-group", "data-bucket"} <= set(listed.out.split())
    assert gone.code == 0, gone.out + gone.err
    assert ("deletes these buckets with all their objects" in gone.err) is (cloud == "azure")
    assert json.loads(gpuinfra("sandbox", "ls", "--json").out) == []

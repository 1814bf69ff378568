"""What an up, a status, a refresh and a destroy say of money, on the real engine."""

import json
from pathlib import Path

import boto3
import pytest

from gpuinfra import sandbox
from gpuinfra.cli import run

pytestmark = pytest.mark.e2e
STACK = Path(__file__).parents[2] / "stacks" / "quickstart" / "stack.yaml"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, module_sandbox_home: Path) -> Path:
    file = tmp_path_factory.mktemp("money") / "stack.yaml"
    file.write_text(STACK.read_text())
    return file


def said(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> str:
    got = run([str(one) for one in (*words, "--target", "sandbox")])
    captured = capsys.readouterr()
    assert got == code, captured.err
    return captured.out


def change_behind_the_back(most: int) -> None:
    groups = boto3.client(
        "autoscaling",
        region_name="us-east-1",
        endpoint_url=sandbox.start().endpoint,
        aws_access_key_id="any",
        aws_secret_access_key="any",
    )
    names = [
        one["AutoScalingGroupName"]
        for one in groups.describe_auto_scaling_groups()["AutoScalingGroups"]
    ]
    (name,) = [one for one in names if one.startswith("trainer-")]
    groups.update_auto_scaling_group(AutoScalingGroupName=name, MaxSize=most)


def test_every_difference_is_told_in_dollars(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = said(capsys, "destroy", path)
    made = said(capsys, "up", path)
    again = said(capsys, "preview", path)
    status = said(capsys, "status", path)
    unchanged = said(capsys, "refresh", path, "--preview")
    change_behind_the_back(6)
    drift = json.loads(said(capsys, "refresh", path, "--preview", "--json", code=1))["money"]
    table = said(capsys, "refresh", path)
    dear = said(capsys, "status", path)
    gone = said(capsys, "destroy", path)

    assert "no resources, nothing to destroy" in nothing
    (total,) = [line.split() for line in made.splitlines() if line.startswith("total")]
    assert (total[1], total[4]) == ("0", "0")
    assert f"cost stays at ${total[2]}/h, ${total[5]}/month" in again
    assert f"at most ${total[2]}/h (cap $8.00), ${total[5]}/month (cap $6,000.00)" in status
    assert f"cost stays at ${total[2]}/h" in unchanged
    (trainer,) = [one for one in drift["workloads"] if one["workload"] == "trainer"]
    assert trainer["after"]["per_hour"] - trainer["before"]["per_hour"] > 6
    assert [line.split()[3] for line in table.splitlines() if line.startswith("trainer ")] == [
        "+6.08"
    ]
    assert "✗ the deployed resources may cost $11.7" in dear
    assert "per hour, above the cap of $8.00" in dear
    assert [line.split()[2] for line in gone.splitlines() if line.startswith("total")] == ["0"]

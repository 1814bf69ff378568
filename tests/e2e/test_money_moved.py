"""What an up, a status, a refresh and a destroy say of money, on the real engine."""

import json
import re
from decimal import Decimal
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


def output_of(
    capsys: pytest.CaptureFixture[str], *words: object, code: int = 0, target: bool = True
) -> str:
    got = run([str(word) for word in (*words, *(("--target", "sandbox") if target else ()))])
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
        auto_scaling_group["AutoScalingGroupName"]
        for auto_scaling_group in groups.describe_auto_scaling_groups()["AutoScalingGroups"]
    ]
    (name,) = [name for name in names if name.startswith("trainer-")]
    groups.update_auto_scaling_group(AutoScalingGroupName=name, MaxSize=most)


def test_every_difference_is_told_in_dollars(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = output_of(capsys, "destroy", path)
    made = output_of(capsys, "up", path)
    again = output_of(capsys, "preview", path)
    checked = output_of(capsys, "check", path, target=False)
    status = output_of(capsys, "status", path)
    unchanged = output_of(capsys, "refresh", path, "--preview")
    change_behind_the_back(6)
    drift = json.loads(output_of(capsys, "refresh", path, "--preview", "--json", code=1))["money"]
    table = output_of(capsys, "refresh", path)
    dear = output_of(capsys, "status", path)
    gone = output_of(capsys, "destroy", path)

    assert "no resources, nothing to destroy" in nothing
    (total,) = [line.split() for line in made.splitlines() if line.startswith("total")]
    hour = f"${Decimal(total[1].removeprefix('$')):.2f}/h"
    assert "new cost; nothing was deployed before" in made
    assert f"cost stays at {hour}, {total[2]}/month" in again
    ceiling = re.search(r"at most \$.*\(cap \$20.00\)", checked)
    assert ceiling
    for shown in (made, again):
        assert f"with trainer on on-demand@us-east-1: {ceiling[0]}\n" in shown
    assert f"at most {hour} (cap $8.00), {total[2]}/month (cap $6,000.00)" in status
    rows = {line.split()[0]: line.split() for line in made.splitlines() if "$" in line}
    for workload in ("trainer", "chat", "data"):
        (stands,) = [line for line in status.splitlines() if line.startswith(f"{workload} ")]
        assert rows[workload][1] in stands.split()
    assert f"cost stays at {hour}" in unchanged
    (trainer,) = [workload for workload in drift["workloads"] if workload["workload"] == "trainer"]
    assert trainer["after"]["per_hour"] - trainer["before"]["per_hour"] > 6
    assert [line.split()[4] for line in table.splitlines() if line.startswith("trainer ")] == [
        "(+$6.08)"
    ]
    assert "✗ the deployed resources may cost $11.7" in dear
    assert "per hour, above the cap of $8.00" in dear
    assert "cost that ends; nothing remains deployed" in gone


def test_a_preview_refuses_what_an_up_refuses(
    tmp_path: Path, sandbox_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "stack.yaml"
    text = STACK.read_text().replace("replicas: 1..3", "replicas: 1..6")
    path.write_text(text.replace("per_month: 6000", "per_month: 3000"))
    checked = output_of(capsys, "check", path, code=1, target=False)

    shown = output_of(capsys, "preview", path, code=1)
    document = json.loads(output_of(capsys, "preview", path, "--json", code=1))
    quiet = output_of(capsys, "preview", path, "--quiet", code=1)

    findings = [line for line in checked.splitlines() if line.startswith("✗")]
    assert len(findings) == 2
    assert [line for line in shown.splitlines() if line.startswith("✗")] == findings
    fix = f"gpuinfra check {path} --fix"
    for text, hint in (
        (checked, "look further for edits, and write them"),
        (shown, "look for edits that fix it"),
    ):
        _, _, after = text.partition("\nFAIL, 2 errors\n")
        assert after.splitlines()[-1] == f"  {hint}: {fix}"
    assert shown.splitlines()[-2] == "FAIL, 2 errors"
    (total,) = [line.split() for line in shown.splitlines() if line.startswith("total")]
    assert total[:2] == ["total", "$8.132"]
    assert (document["verb"], document["ending"]) == ("preview", "refused")
    assert document["check"]["ok"] is False
    assert document["money"]["total"]["after"]["per_hour"] > 8
    assert [line for line in quiet.splitlines() if line.startswith("✗")] == findings
    assert "total" not in quiet

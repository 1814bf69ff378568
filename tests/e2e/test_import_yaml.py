"""Components in programs in YAML: the whole life on the real engine, with the packs on."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuinfra import sandbox
from gpuinfra.engine.program_preview import yaml_host
from gpuinfra.engine.versions import cache_folder

pytestmark = pytest.mark.e2e

PROGRAMS = Path(__file__).parents[2] / "stacks" / "import-yaml"
POLICIES = PROGRAMS.parents[1] / "policies"
HOST = shutil.which(yaml_host.NAME) or next(map(str, cache_folder().glob("yaml-*/bin/*")), None)
"""The user's host of YAML programs, looked for before anything is isolated."""

JUDGED = ("--policy-pack", str(POLICIES / "all"))
JUDGED += ("--policy-pack-config", str(PROGRAMS / "config.json"))
SECRET = "hunter2"


@pytest.fixture
def program(folder: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Plain `pulumi` in a copy of a shipped program, with the host of YAML on PATH."""
    if HOST is None:
        pytest.skip(f"no {yaml_host.NAME}: gpuinfra engine install --yaml")
    path = os.pathsep.join([os.environ["PATH"], str(Path(HOST).parent)])
    monkeypatch.setenv("PATH", path)
    return lambda cloud: folder(f"import-yaml/{cloud}")


@pytest.mark.parametrize(
    ("cloud", "old", "new", "updated"),
    [
        ("aws", "size: 1TB}", "size: 1TB, keepNoncurrent: 14d}", "data-lifecycle"),
        ("gcp", "size: 1TB}", "size: 1TB, keepNoncurrent: 14d}", "data-bucket"),
        ("azure", "size: 1TB}", "size: 1TB, tags: {team: research}}", "data-account"),
    ],
)
def test_a_program_in_yaml_lives(
    cloud: str, old: str, new: str, updated: str, program: Callable[[str], Any]
) -> None:
    pulumi = program(cloud)

    pulumi("preview", *JUDGED)
    pulumi("up", "--yes", "--skip-preview", *JUDGED)
    made = {record.name for record in sandbox.existing_resources()}
    outputs = json.loads(pulumi("stack", "output", "--json").stdout)
    pulumi("preview", "--expect-no-changes", *JUDGED)
    file = pulumi.folder / "Pulumi.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    changes = json.loads(pulumi("preview", "--json").stdout)["steps"]
    pulumi("up", "--yes", "--skip-preview", *JUDGED)
    pulumi("preview", "--expect-no-changes")
    pulumi("destroy", "--yes", "--skip-preview")

    assert {"trainer-group", updated} <= made
    assert outputs["bucketName"]
    assert outputs["groupName"]
    changed = {change["urn"].rpartition("::")[2] for change in changes if change["op"] != "same"}
    assert updated in changed
    assert not {change["op"] for change in changes} & {"replace", "delete", "create"}
    assert sandbox.existing_resources() == []


def test_the_program_s_own_provider_is_the_components(program: Callable[[str], Any]) -> None:
    pulumi = program("aws")

    steps = json.loads(pulumi("preview", "--json").stdout)["steps"]

    (template,) = [
        step["newState"] for step in steps if step["urn"].endswith("::trainer-launch-template")
    ]
    assert "::platform::" in template["provider"]
    assert template["inputs"]["tags"]["cost-center"] == "4711"


def test_alarms_notify_the_topic_of_the_program(program: Callable[[str], Any]) -> None:
    pulumi = program("aws")

    pulumi("up", "--yes", "--skip-preview")
    state = json.loads(pulumi("stack", "export").stdout)["deployment"]["resources"]
    pulumi("destroy", "--yes", "--skip-preview")

    outputs = {each["urn"].rpartition("::")[2]: each.get("outputs", {}) for each in state}
    actions = {
        name: alarm["alarmActions"] for name, alarm in outputs.items() if "alarmActions" in alarm
    }
    told = {name for name, topics in actions.items() if topics == [outputs["ops"]["arn"]]}
    assert {"trainer-idle", "trainer-interrupted", "chat-idle", "chat-unhealthy"} <= told


def test_a_mistake_is_said_without_a_traceback_and_a_secret(program: Callable[[str], Any]) -> None:
    pulumi = program("aws")
    file = pulumi.folder / "Pulumi.yaml"
    text = file.read_text()

    def message_for(old: str, new: str) -> str:
        assert old in text
        file.write_text(text.replace(old, new, 1))
        done = pulumi("preview", check=False)
        output: str = done.stdout + done.stderr
        assert done.returncode != 0
        assert not any(word in output for word in ("Traceback", 'File "', SECRET)), output
        return output

    assert "did you mean g6.8xlarge?" in message_for("g6.8xlarge", "g6.8xlrage")
    late = message_for("capacity: spot", f"capacity: {{'fn::secret': {SECRET}}}")
    assert "capacity is needed before anything is built" in late
    network = f"{{vpcId: vpc-1, subnetIds: {{'fn::secret': [{SECRET}, {SECRET}]}}}}"
    assert "the network has 2 subnets" in message_for(
        "nodes: 2", f"nodes: 2\n      network: {network}"
    )
    mail = f"notify: [{{'fn::secret': {SECRET}@example.com}}]"
    told = message_for('notify: ["${ops.arn}"] #', f"{mail} #")
    assert "trainer: notify does not accept the value of its output; allowed" in told
    assert "ProgramError" not in told
    assert "Property node does not exist" in message_for("nodes: 2", "node: 2")

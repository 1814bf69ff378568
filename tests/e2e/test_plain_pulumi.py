"""Plain `pulumi up` in the shipped stacks, in the sandbox, the way the README says it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.e2e
STACKS = Path(__file__).parents[2] / "stacks"
POLICIES = STACKS.parent / "policies"

MACHINES = {
    "aws:autoscaling/group:Group",
    "gcp:compute/instanceGroupManager:InstanceGroupManager",
    "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager",
    "azure-native:compute:VirtualMachineScaleSet",
}


# One stack for each cloud: to plain Pulumi all of them are the same three-line program, and
# test_every_stack builds each of them.
@pytest.mark.parametrize("name", ["quickstart", "startup-gcp", "startup-azure"])
def test_a_shipped_stack_comes_up_stays_and_goes(folder: Callable[[str], Any], name: str) -> None:
    pulumi = folder(name)

    pulumi("up", "--yes", "--skip-preview")
    exported = json.loads(pulumi("stack", "export").stdout)
    pulumi("preview", "--expect-no-changes")
    pulumi("destroy", "--yes", "--skip-preview")
    left = json.loads(pulumi("stack", "export").stdout)["deployment"].get("resources", [])

    kinds = {resource["type"] for resource in exported["deployment"]["resources"]}
    assert MACHINES & kinds
    assert {"gpuinfra:index:Stack", "gpuinfra:index:DataBucket"} <= kinds
    assert [resource["type"] for resource in left if resource.get("custom")] == []


def test_config_arrives_from_any_folder_as_an_environment_s_would(
    folder: Callable[[str], Any], tmp_path: Path
) -> None:
    """The engine hands on the `pulumiConfig` of an environment (Pulumi ESC) like `--config`."""
    pulumi = folder("quickstart")
    other = tmp_path / "other"
    other.mkdir()
    elsewhere = replace(pulumi, folder=other)

    def market(*config: str) -> bool:
        place = ("--cwd", str(pulumi.folder), "--stack", "sandbox")
        steps = json.loads(elsewhere("preview", *place, "--json", *config).stdout)["steps"]
        (template,) = [each for each in steps if each["urn"].endswith("trainer-launch-template")]
        return "instanceMarketOptions" in template["newState"]["inputs"]

    assert market()
    assert not market("--config", "gpuinfra:rung.trainer=on-demand")


def test_a_broken_file_ends_without_a_traceback(folder: Callable[[str], Any]) -> None:
    pulumi = folder("quickstart")
    file = pulumi.folder / "stack.yaml"
    file.write_text(file.read_text().replace("g6.8xlarge #", "g6.8xlrage #"))

    done = pulumi("preview", check=False)

    assert done.returncode != 0
    assert "did you mean g6.8xlarge?" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_a_pack_refuses_a_plain_preview(folder: Callable[[str], Any]) -> None:
    pulumi = folder("quickstart")
    file = pulumi.folder / "stack.yaml"
    file.write_text(file.read_text().replace("per_hour: 8", "per_hour: 5", 1))

    refused = pulumi("preview", "--policy-pack", str(POLICIES / "budget"), check=False)

    assert refused.returncode != 0
    assert "cap-per-hour" in refused.stdout
    assert "5.00" in refused.stdout

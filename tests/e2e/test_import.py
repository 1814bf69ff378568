"""Components in an ordinary Pulumi program, and a second stack that builds on its outputs."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from gpuinfra import sandbox

pytestmark = pytest.mark.e2e


def standing() -> dict[str, sandbox.SandboxResource]:
    """What stands, by kind and name: Subnet private."""
    return {
        f"{record.type.rpartition(':')[2]} {record.name}": record
        for record in sandbox.existing_resources()
    }


def outputs(pulumi: Any) -> dict[str, Any]:
    return json.loads(pulumi("stack", "output", "--json").stdout)


def test_components_in_a_program_and_a_stack_that_reads_their_outputs(
    folder: Callable[[str], Any],
) -> None:
    first = folder("import-components")
    first("up", "--yes", "--skip-preview")
    first("preview", "--expect-no-changes")
    shown = outputs(first)
    made = standing()

    second = folder("import-consumer")
    second("up", "--yes", "--skip-preview")
    second("preview", "--expect-no-changes")
    read = outputs(second)
    rights = standing()["RolePolicy read-evaluations"]

    second("destroy", "--yes", "--skip-preview")
    first("destroy", "--yes", "--skip-preview")

    assert "Vpc trainer-vpc" not in made, "the program brings its own network"
    group = made["Group trainer-group"].properties
    assert group["vpcZoneIdentifiers"] == [made["Subnet private"].id]
    assert made["Vpc shared"].id == shown["networkId"]
    described = made["SecurityGroup trainer-security-group"].properties["description"]
    assert described == "Managed by the platform team's program", "the transform was heard"
    tags = made["LaunchTemplate trainer-launch-template"].properties["tagsAll"]
    assert (tags["cost-center"], tags["team"]) == ("4711", "platform"), "tag and provider"
    assert made["LaunchTemplate trainer-launch-template"].properties["ebsOptimized"] == "true"
    assert read["trainedFrom"] == shown["bucketName"]
    assert read["trainedBy"] == shown["groupName"]
    assert rights.properties["role"] == shown["machineRole"]
    assert standing() == {}


def test_the_consumer_says_what_is_missing_without_the_first_stack(
    folder: Callable[[str], Any],
) -> None:
    pulumi = folder("import-consumer")

    done = pulumi("preview", check=False)

    assert done.returncode != 0
    assert "import-components" in done.stdout + done.stderr

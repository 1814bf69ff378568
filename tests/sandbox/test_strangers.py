"""Programs written the way strangers write them come up, change, go unchanged and go away."""

import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pulumi import automation

from gpuinfra import sandbox

pytestmark = [
    pytest.mark.e2e,
    # pulumi_aws warns of its own old names when it is imported.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

FOLDER = Path(__file__).parent / "strangers"


def drop_tag(client: Callable[[str], Any], outputs: dict[str, Any]) -> None:
    vpcs = client("ec2").describe_vpcs(Filters=[{"Name": "tag:Name", "Values": ["web-vpc"]}])
    client("ec2").delete_tags(Resources=[vpcs["Vpcs"][0]["VpcId"]], Tags=[{"Key": "Name"}])


def lower_maximum(client: Callable[[str], Any], outputs: dict[str, Any]) -> None:
    groups = client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    client("autoscaling").update_auto_scaling_group(
        AutoScalingGroupName=groups[0]["AutoScalingGroupName"], MaxSize=9
    )


def suspend_versions(client: Callable[[str], Any], outputs: dict[str, Any]) -> None:
    client("s3").put_bucket_versioning(
        Bucket=outputs["bucket"], VersioningConfiguration={"Status": "Suspended"}
    )


def add_label(client: Callable[[str], Any], outputs: dict[str, Any]) -> None:
    sandbox.change("ml-box", {"labels.owner": "somebody"})


def lower_fleet(client: Callable[[str], Any], outputs: dict[str, Any]) -> None:
    [scaler] = [
        record
        for record in sandbox.existing_resources()
        if record.type.endswith(":RegionAutoscaler")
    ]
    sandbox.change(scaler.urn, {"autoscalingPolicy.maxReplicas": 9})


@pytest.fixture
def client(sandbox_home: Path) -> Iterator[Callable[[str], Any]]:
    import boto3

    made = []

    def make(service: str) -> Any:
        made.append(
            boto3.client(
                service,
                region_name="us-east-1",
                endpoint_url=sandbox.start().endpoint,
                aws_access_key_id="x",
                aws_secret_access_key="x",
            )
        )
        return made[-1]

    yield make
    for client_ in made:
        client_.close()


@pytest.mark.parametrize(
    ("program", "setting", "drift"),
    [
        ("web_server", {"town:instanceType": "t3.small"}, drop_tag),
        ("scaled_site", {"town:max": "5"}, lower_maximum),
        ("data_intake", {"town:days": "60"}, suspend_versions),
        ("gpu_box", {"town:machineType": "n1-standard-8"}, add_label),
        ("web_fleet", {"town:most": "6"}, lower_fleet),
    ],
)
def test_a_strangers_program_lives_and_goes(
    program: str,
    setting: dict[str, str],
    drift: Callable[..., None],
    stack: Callable[..., automation.Stack],
    client: Callable[[str], Any],
) -> None:
    def run() -> None:
        runpy.run_path(str(FOLDER / f"{program}.py"))

    town = stack(run)
    up = town.up()
    outputs = {key: value.value for key, value in up.outputs.items()}
    assert changes(up) == {"create"}
    assert changes(town.up()) == {"same"}
    assert changes(town.refresh()) == {"same"}

    for key, value in setting.items():
        town.set_config(key, automation.ConfigValue(value))
    assert "update" in changes(town.up())

    drift(client, outputs)
    assert changes(town.refresh()) == {"same", "update"}
    mended = town.up()
    assert mended.summary.resource_changes["update"] == 1
    assert changes(town.refresh()) == {"same"}

    town.destroy()
    assert sandbox.existing_resources() == []


def changes(result: Any) -> set[str]:
    return set(result.summary.resource_changes)

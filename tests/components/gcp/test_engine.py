"""The components under the real engine, in the sandbox: up, unchanged, changed, gone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pulumi.automation.errors import CommandError

from gpuinfra import sandbox
from gpuinfra.components.args import BucketArgs, Checkpoints, Mount, PoolArgs, TrainingArgs
from gpuinfra.components.bucket import DataBucket
from gpuinfra.components.inference import InferencePool
from gpuinfra.components.training import TrainingCluster, TrainingNode
from gpuinfra.engine.contract import Engine
from gpuinfra.sandbox import faults
from gpuinfra.sandbox.faults import InjectedFault
from tests.inline import Stacks, stacks

pytestmark = pytest.mark.e2e

REGION = "us-central1"
GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"
POOL = "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager"
TEMPLATE = "gcp:compute/instanceTemplate:InstanceTemplate"


@pytest.fixture
def stack(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox_home: Path
) -> Iterator[Stacks]:
    """Makes a stack of a program whose engine works in the test's own sandbox."""
    yield from stacks(engine, tmp_path, monkeypatch, region=REGION, project="lab")


def changes(result: Any) -> dict[str, int]:
    return dict(result.summary.resource_changes)


def standing(kind: str) -> list[Any]:
    return [record for record in sandbox.existing_resources() if record.type == kind]


def cluster(machine: str, **args: Any) -> TrainingCluster:
    data = DataBucket("data", BucketArgs(cloud="gcp", region=REGION))
    given = TrainingArgs(
        cloud="gcp",
        region=REGION,
        instance=machine,
        nodes=2,
        data=[Mount(bucket="data", prefix="tokens/")],
        checkpoints=Checkpoints(bucket="data"),
        **args,
    )
    return TrainingCluster("trainer", given, buckets={"data": data})


def lab() -> None:
    """One of each component."""
    cluster("a3-ultragpu-8g", capacity="spot")
    TrainingNode("dev", TrainingArgs(cloud="gcp", region=REGION, gpu="T4:2"))
    InferencePool(
        "chat",
        PoolArgs(
            cloud="gcp",
            region=REGION,
            gpu="L4:1",
            replicas="2..4",
            capacity={"on_demand_base": 1, "above": "spot"},
            scale_on={"gpu_utilization": "70%"},
            image="us-docker.pkg.dev/models/serving/vllm:1",
            port=8000,
        ),
    )


def test_every_component_comes_up_stays_and_goes(stack: Stacks) -> None:
    town = stack(lab)
    town.up()
    kinds = {record.type for record in sandbox.existing_resources()}
    again, refreshed = changes(town.up()), changes(town.refresh())
    town.destroy()

    assert {GROUP, POOL, "gcp:storage/bucket:Bucket"} <= kinds
    assert set(again) == set(refreshed) == {"same"}
    assert sandbox.existing_resources() == []


def test_no_capacity_leaves_a_group_that_waits_and_goes(stack: Stacks) -> None:
    machine = "a3-megagpu-8g"
    faults.add(InjectedFault(kind="no-capacity", instance_type=machine, times=1))
    town = stack(lambda: cluster(machine, capacity="spot"))

    with pytest.raises(CommandError, match="timeout while waiting for state to become 'created'"):
        town.up()
    (group,) = standing(GROUP)
    town.up()
    (waited,) = standing(GROUP)
    town.destroy()

    assert waited.id == group.id
    assert standing(GROUP) == []


def test_a_change_of_the_template_leaves_the_group_and_another_market_makes_it_anew(
    stack: Stacks,
) -> None:
    args: dict[str, Any] = {"capacity": "spot", "command": "true"}
    town = stack(lambda: cluster("g2-standard-4", fabric="none", **args))
    town.up()
    (before,) = standing(GROUP)
    args["command"] = "false"
    town.up()
    (changed,) = standing(GROUP)
    args["capacity"] = "on-demand"
    town.up()
    (bought,) = standing(GROUP)

    assert changed.id == before.id
    assert changed.properties["versions"] != before.properties["versions"]
    assert bought.id != before.id
    assert len(standing(TEMPLATE)) == 1

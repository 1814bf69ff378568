"""A real training run, ended by the agent in each way, resumes as if nothing had happened."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.clouds.aws.agent.install import LIFECYCLE_HOOK, block_leads

TRAIN = Path(__file__).with_name("train.py")
STEPS = 120


def train(
    folder: Path, holds: dict[int, str] | None = None, **more: str
) -> subprocess.Popen[bytes]:
    """The job as its unit runs it: a shell, and the program in it."""
    command = folder / "command"
    command.parent.mkdir(parents=True, exist_ok=True)
    command.write_text(f"{sys.executable} {TRAIN}\nexit $?\n")
    environment = {
        **os.environ,
        "CHECKPOINT_DIR": str(folder / "checkpoints"),
        "GPUINFRA_SAVED": str(folder / "run" / "saved"),
        "HEARD": str(folder / "heard"),
        "HOLDS": json.dumps(holds or {}),
        "OPENBLAS_NUM_THREADS": "1",
        **more,
    }
    return subprocess.Popen(["bash", str(command)], env=environment, start_new_session=True)


def losses(folder: Path) -> list[float]:
    newest = max(folder.glob("step-*.json"))
    return json.loads(newest.read_text())["losses"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[float]:
    folder = tmp_path_factory.mktemp("undisturbed")
    assert train(folder).wait(120) == 0
    return losses(folder / "checkpoints")


@pytest.fixture
def bucket(request: pytest.FixtureRequest, moto: Callable[[str], Any]) -> str:
    name = f"runs-{abs(hash(request.node.name)):x}"
    moto("s3").create_bucket(Bucket=name)
    return name


def objects(moto: Callable[[str], Any], bucket: str) -> dict[str, bytes]:
    listed = moto("s3").list_objects_v2(Bucket=bucket).get("Contents", [])
    return {
        listed_object["Key"]: moto("s3")
        .get_object(Bucket=bucket, Key=listed_object["Key"])["Body"]
        .read()
        for listed_object in listed
    }


def mark(moto: Callable[[str], Any], bucket: str, instance: str) -> dict[str, Any]:
    return json.loads(objects(moto, bucket)[f"llm/interrupted/{instance}.json"])


def resumed(moto: Callable[[str], Any], bucket: str, folder: Path) -> tuple[int, list[float]]:
    """Where another machine begins, and its whole curve; the bucket is all that it has."""
    kept = folder / "checkpoints"
    kept.mkdir(parents=True)
    for key, body in objects(moto, bucket).items():
        if key.startswith("llm/step-"):
            (kept / key.removeprefix("llm/")).write_bytes(body)
    begun = len(losses(kept))
    assert train(folder).wait(120) == 0
    return begun, losses(kept)


def heard(host: Any) -> list[str]:
    return (host.folder / "heard").read_text().split()


def training(host: Any) -> bool:
    return any((host.folder / "checkpoints").glob("step-000050.json"))


def commands(host: Any) -> list[str]:
    return [name for name, _ in host.cli.calls]


def iso(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def test_a_spot_notice_after_advice_with_an_agent_that_is_killed_in_between(
    host: Any, moto: Any, bucket: str, undisturbed: list[float]
) -> None:
    host.told |= {
        "checkpoints": f"s3://{bucket}/llm/",
        "local": str(host.folder / "checkpoints"),
        "lifecycle_hook": "",
    }
    release = host.folder / "release"
    host.systemd.job = train(host.folder, {60: "save", 80: "end"}, RELEASE=str(release))
    agent = host.start_agent()
    host.until(partial(training, host))

    host.imds.says["events/recommendations/rebalance"] = json.dumps({"noticeTime": "now"})
    host.until(lambda: "sync" in commands(host))  # the advice: saved, copied, and it goes on
    assert heard(host) == ["SIGUSR1"]
    assert host.systemd.job.poll() is None
    host.imds.says["spot/instance-action"] = json.dumps(
        {"action": "terminate", "time": iso(time.time() + 110)}
    )
    host.until(lambda: "SIGTERM" in heard(host) and host.state().get("phase") == "waiting")
    agent.kill()
    agent.wait()
    host.start_agent()
    release.touch()
    host.until(lambda: host.state().get("phase") == "gone")

    assert heard(host) == ["SIGUSR1", "SIGTERM"]
    assert host.systemd.job.poll() == 75
    assert host.systemd.calls[-1] == ["stop", "gpuinfra-job.service"]
    begun, curve = resumed(moto, bucket, host.folder / "next")
    written = mark(moto, bucket, host.imds.says["instance-id"])
    assert (begun, len(curve)) == (80, STEPS)
    assert curve == undisturbed
    assert (written["reasons"], written["trainer"]) == (["spot-interruption"], "saved")
    assert (written["step"], written["uploaded"], written["verified"]) == (begun, True, True)


def test_the_end_of_a_capacity_block_with_checkpoints_in_a_mounted_bucket(
    host: Any, moto: Any, bucket: str, undisturbed: list[float]
) -> None:
    leads = block_leads(ultraserver=False)
    place = f"{moto('s3').meta.endpoint_url}/{bucket}/llm/"
    host.systemd.job = train(host.folder, {70: "end"}, CHECKPOINT_PUT=place, SILENT="yes")
    host.until(partial(training, host))
    ends = iso(time.time() + leads["checkpoint_starts"] * 60)
    host.told |= {
        "checkpoints": f"s3://{bucket}/llm",
        "block": {"ends": ends, **leads},
        "lifecycle_hook": "",
    }
    host.start_agent()
    host.until(lambda: host.state().get("phase") == "gone")

    begun, curve = resumed(moto, bucket, host.folder / "next")
    written = mark(moto, bucket, host.imds.says["instance-id"])
    assert heard(host) == ["SIGTERM"]
    assert (begun, curve) == (70, undisturbed)
    assert (written["reasons"], written["step"]) == (["capacity-block-end"], None)
    assert (written["trainer"], written["uploaded"], written["verified"]) == ("exited", None, True)
    assert "sync" not in commands(host)


@pytest.fixture
def group(moto: Callable[[str], Any]) -> dict[str, str]:
    """A scaling group of one machine."""
    scaling = moto("autoscaling")
    name = "trainer-1f2e3d"
    scaling.create_launch_configuration(
        LaunchConfigurationName=name, ImageId="ami-12c6146b", InstanceType="t3.micro"
    )
    scaling.create_auto_scaling_group(
        AutoScalingGroupName=name,
        LaunchConfigurationName=name,
        MinSize=1,
        MaxSize=1,
        AvailabilityZones=["us-east-1a"],
    )
    scaling.put_lifecycle_hook(
        AutoScalingGroupName=name,
        LifecycleHookName=LIFECYCLE_HOOK,
        LifecycleTransition="autoscaling:EC2_INSTANCE_TERMINATING",
    )
    (instance,) = scaling.describe_auto_scaling_instances()["AutoScalingInstances"]
    return {"name": name, "instance": instance["InstanceId"]}


def test_a_group_that_ends_its_machine_waits_even_for_a_trainer_that_hears_nothing(
    host: Any, moto: Any, bucket: str, group: dict[str, str], undisturbed: list[float]
) -> None:
    host.imds.says["instance-id"] = group["instance"]
    host.imds.says["autoscaling/target-lifecycle-state"] = "InService"
    host.told |= {
        "checkpoints": f"s3://{bucket}/llm/",
        "local": str(host.folder / "checkpoints"),
        "lifecycle_budget": 600,
        "reserve": 300,
        "heartbeat": 0.1,
    }
    host.systemd.job = train(host.folder, {60: "more"}, STUBBORN="yes")
    host.start_agent(clock=True)
    host.until(partial(training, host))

    host.imds.says["autoscaling/target-lifecycle-state"] = "Terminated"
    host.until(lambda: commands(host).count("record-lifecycle-action-heartbeat") >= 2)
    assert heard(host) == ["SIGTERM"]
    assert host.state()["phase"] == "waiting"
    host.pass_time(310)
    host.until(lambda: host.state().get("phase") == "gone")

    begun, curve = resumed(moto, bucket, host.folder / "next")
    written = mark(moto, bucket, group["instance"])
    run = commands(host)
    whose = {
        "AutoScalingGroupName": group["name"],
        "LifecycleHookName": LIFECYCLE_HOOK,
        "InstanceId": group["instance"],
    }
    assert heard(host) == ["SIGTERM"]
    assert host.systemd.job.poll() is not None
    assert (begun, curve) == (50, undisturbed)
    assert (written["trainer"], written["step"]) == ("killed", None)
    assert run[-1] == "complete-lifecycle-action"
    assert host.cli.calls[-1][1] == {**whose, "LifecycleActionResult": "CONTINUE"}
    assert run.index("sync") < run.index("put-object")
    assert dict(host.cli.calls)["record-lifecycle-action-heartbeat"] == whose
    metrics = moto("cloudwatch").get_metric_statistics(
        Namespace="gpuinfra",
        MetricName="Interruption",
        Dimensions=[{"Name": "Stack", "Value": "dev"}, {"Name": "Workload", "Value": "trainer"}],
        StartTime=time.time() - 600,
        EndTime=time.time() + 600,
        Period=3600,
        Statistics=["Sum"],
    )
    assert metrics["Datapoints"][0]["Sum"] >= 1
    assert signal.SIGKILL.name not in heard(host)

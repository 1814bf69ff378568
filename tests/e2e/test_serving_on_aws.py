"""The life of pools of several types, on a queue and by HTTPS, on the real engine."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.cli import run
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import EXIT_CODES
from tests.clouds.startup_scripts import unpacked
from tests.e2e.lives import aws, changed, edit, fine, left, request_of, standing, up

pytestmark = pytest.mark.e2e

TEXT = """\
version: 1
name: serve
owner: ml-platform
budget: {per_hour: 30, per_month: 20000}
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1]}
inference:
  work:
    instance: g6.xlarge
    mixed: [g5.xlarge]
    replicas: 0..4
    capacity: {on_demand_base: 1, above: spot}
    image: 123456789012.dkr.ecr.us-east-1.amazonaws.com/team/worker:v3
    port: 8080
    scale_on: {queue: {messages_per_machine: 10}}
  web:
    instance: g6.xlarge
    replicas: 1..2
    image: a/b:1
    port: 80
    scale_on: {requests_per_target: 500}
    certificate: CERTIFICATE
"""
OLD, NEW = (f"sha256:{letter * 64}" for letter in "ab")


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, module_sandbox_home: Path) -> Path:
    """The stack file, in an account that has the image, the certificate and a queue of its own."""
    pushed("v3", OLD)
    certificate = aws("acm").request_certificate(DomainName="chat.example.com")
    aws("sqs").create_queue(QueueName="jobs")
    path = tmp_path_factory.mktemp("stack") / "stack.yaml"
    path.write_text(TEXT.replace("CERTIFICATE", certificate["CertificateArn"]))
    return path


def pushed(tag: str, digest: str) -> None:
    """Push an image under a tag."""
    client, mediatype = aws("ecr"), "application/vnd.docker.distribution.manifest.v2+json"
    if not client.describe_repositories()["repositories"]:
        client.create_repository(repositoryName="team/worker")
    manifest = {"schemaVersion": 2, "mediaType": mediatype, "config": {"digest": digest}}
    client.put_image(
        repositoryName="team/worker",
        imageManifest=json.dumps(manifest),
        imageTag=tag,
        imageDigest=digest,
    )


def group(name: str) -> dict[str, Any]:
    """A pool's scaling group as AWS shows it."""
    (only,) = aws("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[standing()[f"{name}-group"].id]
    )["AutoScalingGroups"]
    assert isinstance(only, dict)
    return only


def test_the_pools_stand_and_stay_as_they_are(stack: Path) -> None:
    made = up(stack)
    again = up(stack, judged=False)
    seen = fine(lifecycle.refresh(request_of(stack, judged=False), preview_only=True))

    assert set(made.changes) == {"create"}
    assert set(again.changes) == {"same"}
    assert changed(seen) == {}
    assert standing()["work-queue"].id in json.dumps(again.outputs, default=str)


def test_nothing_runs_until_messages_wait(stack: Path) -> None:
    work = group("work")
    overrides = work["MixedInstancesPolicy"]["LaunchTemplate"]["Overrides"]

    assert (work["MinSize"], work["DesiredCapacity"], work["MaxSize"]) == (0, 0, 4)
    assert work["Instances"] == []
    assert [override["InstanceType"] for override in overrides] == ["g6.xlarge", "g5.xlarge"]
    assert len(group("web")["Instances"]) == 1


def test_a_message_that_is_sent_is_there_for_the_workers(stack: Path) -> None:
    client, url = aws("sqs"), standing()["work-queue"].id
    client.send_message(QueueUrl=url, MessageBody="one more")

    (message,) = client.receive_message(QueueUrl=url)["Messages"]

    assert message["Body"] == "one more"
    attributes = client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert attributes["VisibilityTimeout"] == "900"
    assert attributes["ApproximateNumberOfMessagesNotVisible"] == "1"


def test_another_target_and_another_type_are_updated_in_place(stack: Path) -> None:
    edit(
        stack,
        ("messages_per_machine: 10", "messages_per_machine: 20"),
        ("mixed: [g5.xlarge]", "mixed: [g5.xlarge, g6.2xlarge]"),
    )

    outcome = up(stack)

    assert changed(outcome) == {
        "work-group": ("update", ("mixedInstancesPolicy.launchTemplate.overrides[2]",)),
        "work-tracking": ("update", ("targetTrackingConfiguration.targetValue",)),
    }


def test_an_image_is_kept_until_it_is_renewed(stack: Path) -> None:
    pushed("v3", NEW)

    kept = up(stack, judged=False)
    first = started()
    renewed = run(("up", str(stack), "--target", "sandbox", "--skip-preview", "--update-images"))

    assert changed(kept) == {}
    assert renewed == 0
    assert f"@{OLD}" in first
    assert f"@{NEW}" in started()


def started() -> str:
    """The script that the pool's machines would start with now."""
    (newest,) = aws("ec2").describe_launch_template_versions(
        LaunchTemplateId=standing()["work-launch-template"].id, Versions=["$Latest"]
    )["LaunchTemplateVersions"]
    return unpacked(base64.b64decode(newest["LaunchTemplateData"]["UserData"])).decode()


def test_what_somebody_changed_is_seen_and_mended(stack: Path) -> None:
    name = standing()["work-group"].id
    aws("autoscaling").update_auto_scaling_group(AutoScalingGroupName=name, MaxSize=9)
    url = standing()["work-queue"].id
    aws("sqs").set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "30"})

    seen = fine(lifecycle.refresh(request_of(stack, judged=False)))
    mended = up(stack, judged=False)

    assert {"work-group", "work-queue"} <= changed(seen).keys()
    assert changed(mended) == {
        "work-group": ("update", ("maxSize",)),
        "work-queue": ("update", ("visibilityTimeoutSeconds",)),
    }


def test_a_pool_that_keeps_a_machine_loses_its_alarm_clock(stack: Path) -> None:
    edit(stack, ("replicas: 0..4", "replicas: 1..4"))

    outcome = up(stack)

    assert changed(outcome) == {
        "work-group": ("update", ("minSize",)),
        "work-waiting": ("delete", ()),
        "work-waking": ("delete", ()),
    }


def test_a_queue_that_is_not_there_is_refused_before_anything_changes(
    stack: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = standing()
    edit(stack, ("messages_per_machine: 20", "messages_per_machine: 20, name: jbos"))

    refused = run(("up", str(stack), "--target", "sandbox", "--skip-preview"))
    message = capsys.readouterr().err

    assert refused == EXIT_CODES["cloud"]
    assert "Traceback" not in message
    assert "NonExistentQueue" in message
    assert standing() == before


def test_a_queue_that_is_there_takes_the_place_of_its_own(stack: Path) -> None:
    edit(stack, ("name: jbos", "name: jobs"))

    outcome = up(stack)

    gone = {name for name, (operation, _) in changed(outcome).items() if operation == "delete"}
    assert gone == {
        "work-queue",
        "work-queue-policy",
        "work-dead-letters",
        "work-dead-letters-policy",
    }
    assert changed(outcome)["work-messages"] == ("update", ("policy",))
    assert changed(outcome)["work-tracking"][0] == "update"


def test_destroy_leaves_nothing_but_what_was_there(stack: Path) -> None:
    fine(lifecycle.destroy(request_of(stack, judged=False)))

    assert left() == []
    urls = aws("sqs").list_queues()["QueueUrls"]
    assert [url.rpartition("/")[2] for url in urls] == ["jobs"]

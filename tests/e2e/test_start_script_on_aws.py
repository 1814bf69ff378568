"""The life of a start-up script that is too large for user data, on the real engine."""

import base64
import hashlib
import re
from pathlib import Path

import pytest

from gpuinfra.engine import lifecycle
from tests.clouds.startup_scripts import unpacked
from tests.e2e.lives import aws, changed, edit, fine, left, request_of, standing, up

pytestmark = pytest.mark.e2e

PROGRAM = hashlib.shake_256(b"a program that does not compress").hexdigest(4000)
TEXT = f"""\
version: 1
name: large
owner: ml-platform
budget: {{per_hour: 30}}
prices: {{accept_outdated: true}}
where: {{cloud: aws, regions: [us-east-1]}}
training:
  trainer:
    instance: g5.xlarge
    checkpoints: {{bucket: data}}
    command: "echo {PROGRAM}"
buckets: {{data: {{}}}}
"""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, module_sandbox_home: Path) -> Path:
    path = tmp_path_factory.mktemp("stack") / "stack.yaml"
    path.write_text(TEXT)
    return path


def fetched() -> str:
    """The script that a new machine would fetch, which has to be the one that it expects."""
    (template,) = aws("ec2").describe_launch_template_versions(Versions=["$Latest"])[
        "LaunchTemplateVersions"
    ]
    data = base64.b64decode(template["LaunchTemplateData"]["UserData"])
    told = dict(re.findall(r"^(ADDRESS|SHA256)=(.*)$", unpacked(data).decode(), re.MULTILINE))
    bucket, _, key = told["ADDRESS"].removeprefix("s3://").partition("/")
    body: bytes = aws("s3").get_object(Bucket=bucket, Key=key)["Body"].read()
    assert hashlib.sha256(body).hexdigest() == told["SHA256"]
    assert [
        content["Key"] for content in aws("s3").list_objects_v2(Bucket=bucket)["Contents"]
    ] == [key]
    return body.decode()


def test_it_is_put_into_the_bucket_and_stays_as_it_is(stack: Path) -> None:
    made = up(stack)
    again = up(stack, judged=False)
    seen = fine(lifecycle.refresh(request_of(stack, judged=False), preview_only=True))

    assert set(made.changes) == {"create"}
    assert {"trainer-start-script", "trainer-start-rights"} <= standing().keys()
    assert f"echo {PROGRAM}\n" in fetched()
    assert set(again.changes) == {"same"}
    assert changed(seen) == {}


def test_another_script_has_another_place_and_the_template_follows(stack: Path) -> None:
    edit(stack, (f"echo {PROGRAM}", f"true {PROGRAM}"))

    outcome = up(stack, judged=False)

    assert changed(outcome)["trainer-start-script"][0] == "replace"
    assert changed(outcome)["trainer-launch-template"] == ("update", ("userData",))
    assert "trainer-start-rights" not in changed(outcome)
    assert f"true {PROGRAM}\n" in fetched()


def test_without_the_need_it_goes(stack: Path) -> None:
    edit(stack, (PROGRAM, "short"))

    outcome = up(stack, judged=False)

    assert changed(outcome)["trainer-start-script"][0] == "delete"
    assert changed(outcome)["trainer-start-rights"][0] == "delete"


def test_destroy_leaves_nothing(stack: Path) -> None:
    fine(lifecycle.destroy(request_of(stack, judged=False)))

    assert left() == []

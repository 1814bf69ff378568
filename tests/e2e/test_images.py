"""A pinned image on the real engine: it stays while its parameter moves on, until asked anew."""

from dataclasses import replace
from pathlib import Path

import pytest

from gpuinfra.cli import run
from gpuinfra.components.declared import IMAGES
from gpuinfra.engine import lifecycle
from tests.e2e.lives import aws, changed, fine, request_of, standing

pytestmark = pytest.mark.e2e

PARAMETER = "/team/ami"
OLD, NEW = "ami-05a4db0000d320231", "ami-05a4db0000d420231"
TEXT = f"""\
version: 1
name: pinned
owner: ml-platform
where: {{cloud: aws, regions: [us-east-1]}}
budget: {{per_hour: 5, per_month: 2000}}
prices: {{accept_outdated: true}}
training:
  node:
    instance: g6.xlarge
    duration: 4h
    machine_image: {PARAMETER}
"""


def names(image: str) -> None:
    aws("ssm").put_parameter(Name=PARAMETER, Value=image, Type="String", Overwrite=True)


def started_from() -> str:
    """The image of the machines that the group would start now."""
    launched = standing()["node-launch-template"]
    (newest,) = aws("ec2").describe_launch_template_versions(
        LaunchTemplateId=launched.id, Versions=["$Latest"]
    )["LaunchTemplateVersions"]
    image: str = newest["LaunchTemplateData"]["ImageId"]
    return image


def test_a_pin_holds_until_an_explicit_update(tmp_path: Path, sandbox_home: Path) -> None:
    path = tmp_path / "stack.yaml"
    path.write_text(TEXT)
    up = ("up", str(path), "--target", "sandbox", "--skip-preview")
    plain = request_of(path, judged=False)
    updated = replace(plain, config={**plain.config, f"gpuinfra:{IMAGES}": "2026-11-21"})

    names(OLD)
    assert run(up) == 0
    first = started_from()
    names(NEW)
    again = fine(lifecycle.up(plain))
    kept = started_from()
    seen = fine(lifecycle.preview(updated))
    assert run((*up, "--update-images")) == 0
    renewed = started_from()
    names(OLD)
    assert run(up) == 0
    last = started_from()
    fine(lifecycle.destroy(plain))

    assert changed(again) == {}
    assert changed(seen)["node-launch-template"][0] == "update"
    assert "imageId" in changed(seen)["node-launch-template"][1]
    assert (first, kept, renewed, last) == (OLD, OLD, NEW, NEW)

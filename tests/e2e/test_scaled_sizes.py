"""A pool of Azure that autoscaling has grown, and an update of it, on the real engine."""

from pathlib import Path
from typing import Final

import pytest

from gpuinfra import sandbox
from gpuinfra.engine import lifecycle
from tests.e2e.lives import changed, edit, fine, request_of, standing, up

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pulumi_.*"),
]

TEXT: Final = """\
version: 1
name: busy
owner: ml-platform
prices: {accept_outdated: true}
where: {cloud: azure, regions: [eastus]}
inference:
  chat: {gpu: T4:1, replicas: 1..4, scale_on: {gpu_utilization: 70%}, image: "a/b:1", port: 8000}
"""


def test_an_update_keeps_the_machines_that_autoscaling_added(
    tmp_path: Path, sandbox_home: Path
) -> None:
    file = tmp_path / "stack.yaml"
    file.write_text(TEXT)
    up(file, judged=False)
    sandbox.change(standing()["chat-group"].urn, {"sku.capacity": 3})
    edit(file, ("a/b:1", "a/b:2"))

    outcome = up(file, judged=False)

    assert changed(outcome)["chat-group"][0] == "update"
    assert standing()["chat-group"].properties["sku"]["capacity"] == 3
    assert changed(up(file, judged=False)) == {}
    fine(lifecycle.destroy(request_of(file, judged=False)))
    assert sandbox.existing_resources() == []

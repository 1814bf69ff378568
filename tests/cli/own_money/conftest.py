"""A stack of one workload for a year, with prices of the user's own."""

from collections.abc import Callable
from pathlib import Path

import pytest

STACK = """\
version: 1
name: year
owner: ml
where: {{cloud: aws, regions: [{region}]}}
budget: {{per_run: 30000}}
prices: {{accept_outdated: true{prices}}}
training:
  trainer:
    instance: {machine}
    machine_image: ami-0123456789abcdef0
    duration: {duration}
    nodes: {nodes}
    fabric: none
"""

Folder = Callable[..., Path]

P3 = "cloud: aws, machine: p3.2xlarge, region: us-east-1"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder with a stack of one training workload and, where it is given, a prices.yaml."""

    def write(
        own: str = "",
        *,
        machine: str = "p3.2xlarge",
        region: str = "us-east-1",
        duration: str = "365d",
        prices: str = "",
        nodes: int = 1,
    ) -> Path:
        text = STACK.format(
            machine=machine, region=region, duration=duration, prices=prices, nodes=nodes
        )
        (tmp_path / "stack.yaml").write_text(text)
        if own:
            (tmp_path / "prices.yaml").write_text(f"version: 1\n{own}\n")
        return tmp_path

    return write

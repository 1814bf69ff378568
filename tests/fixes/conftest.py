from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from gpuinfra import source as sources
from gpuinfra import stackfile
from gpuinfra.api.checking import StackCheck
from gpuinfra.api.checking import judge as judged
from gpuinfra.errors import InputError
from gpuinfra.fixes import Proposal
from gpuinfra.fixes.stack_file_fixes import propose_stack_fixes
from gpuinfra.source import Source

DAY = date(2026, 11, 21)
AS_OF = ("--as-of", f"{DAY}")

SMALL = """\
# Two machines that train together.
version: 1
name: demo
owner: ml
budget: {per_hour: 120, per_run: 9000, per_month: 90000} # the most
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-2]}
training:
  trainer:
    instance: p5.48xlarge   # eight H100
    nodes: 2
    fabric: required
    capacity: on-demand
    duration: 72h
    checkpoints: {bucket: data}
buckets:
  data: {size: 2TB}
"""

WITHOUT_RDMA = """\
name: demo
owner: ml
budget: {per_hour: 280, per_run: 9000, per_month: 9000}
prices: {accept_outdated: true}
where: {cloud: gcp, regions: [europe-west4]}
training:
  lora: {gpu: "H100:8", nodes: 2, fabric: required, duration: 24h, time_to_live: 30h}
"""
"""Machines whose fabric is GPUDirect-TCPX."""

Text = Callable[..., str]


@pytest.fixture
def text() -> Text:
    """The small stack file with some of its text replaced."""

    def changed(*replaced: tuple[str, str]) -> str:
        edited = SMALL
        for old, new in replaced:
            assert old in edited, old
            edited = edited.replace(old, new, 1)
        return edited

    return changed


def judge(source: Source) -> StackCheck:
    """What `check` does with a source that is read."""
    return judged(source, sources.plan(source, {}), {}, DAY)


def proposed(text: str, *, thorough: bool = True) -> Proposal:
    """The fixes of a stack file's text, as `check` looks for them."""
    source = Source(document=stackfile.loads(text, "stack.yaml"))
    try:
        before = judge(source)
    except InputError as error:
        return propose_stack_fixes(source, judge, error, thorough=thorough)
    return propose_stack_fixes(source, judge, before, thorough=thorough)


@pytest.fixture
def propose() -> Callable[..., Proposal]:
    return proposed


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a stack file into a folder of its own."""

    def written(text: str) -> Path:
        path = tmp_path / "stack.yaml"
        path.write_bytes(text.encode())
        return path

    return written

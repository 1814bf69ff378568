"""What is true of several workloads is printed once, with the names of all of them."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.fixes.conftest import WITHOUT_RDMA

STACK = """\
name: shop
owner: me
where: {regions: [us-east-1]}
budget: {per_hour: 900}
training:
  a: {gpu: H100:8, nodes: 2, duration: 24h, time_to_live: 30h}
  b: {gpu: H100:8, nodes: 2, duration: 24h, time_to_live: 30h}
  c: {gpu: L4:1, duration: 24h, time_to_live: 30h}
  d: {gpu: L4:1, duration: 24h, time_to_live: 30h}
"""


@pytest.fixture
def several(tmp_path: Path) -> Path:
    (tmp_path / "stack.yaml").write_text(STACK)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "sentences"),
    [
        (
            "plan",
            [
                "each of a and b: NCCL over RDMA: yes, because ",
                "NAT gateway and address of each of c and d: $36.50 a month ",
            ],
        ),
        (
            "cost",
            [
                "each of a and b: at most $2,642.90 a run of 24 h for machines and disks; ",
                "each of c and d: at most $19.81 a run of 24 h for machines and disks; ",
                "NAT gateway and address of each of c and d: $36.50 a month ",
            ],
        ),
    ],
)
def test_a_note_on_several_workloads_is_one(
    gpuinfra: Run, several: Path, command: str, sentences: list[str]
) -> None:
    out = " ".join(gpuinfra(command, several).out.split())

    for sentence in sentences:
        rest = sentence.partition(": ")[2]
        assert sentence in out
        assert out.count(rest) == 1


@pytest.mark.parametrize("detail", [[], ["-v"]])
def test_what_a_finding_says_to_change_the_fabric_does_not_repeat(
    gpuinfra: Run, tmp_path: Path, detail: list[str]
) -> None:
    (tmp_path / "stack.yaml").write_text(WITHOUT_RDMA.replace("required", "preferred"))
    out = " ".join(gpuinfra("check", tmp_path, *detail).out.split())

    assert "lora: NCCL over GPUDirect-TCPX: no" in out
    assert out.count("name an image with the fabric driver and the NCCL plugin") == 1
    planned = " ".join(gpuinfra("plan", tmp_path).out.split())
    assert "change: name an image with the fabric driver" in planned

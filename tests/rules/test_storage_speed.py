"""The speed of a file system against the GPUs that read it."""

from decimal import Decimal

import pytest

from gpuinfra.model import UNKNOWN, FileSystem
from tests.rules.cases.file_systems import FILES, mounted
from tests.rules.cases.judging import findings, group, outcomes, plan


def test_speed_is_weighed_against_all_gpus_by_what_each_reads():
    # 4 machines with 8 GPUs at 58 MB/s read 1,856 MB/s.
    assert outcomes(mounted(throughput_mbs=Decimal(1856)), "storage-speed") == ["fine"]
    (finding,) = findings(mounted(throughput_mbs=Decimal(1855)), "storage-speed")
    assert finding.message == "it delivers 1,855 MB/s; 32 GPUs need 1,856 at 58 each"
    assert not finding.refuses
    settings = {"mb_per_gpu": 156}
    assert outcomes(mounted(throughput_mbs=Decimal(4992)), "storage-speed", settings) == ["fine"]
    assert outcomes(mounted(throughput_mbs=Decimal(4991)), "storage-speed", settings) == [
        "violated"
    ]


def test_without_known_machines_speed_is_not_knowable():
    assert outcomes(mounted(group=None), "storage-speed") == ["not-knowable"]
    nobodys = plan(group("t3.micro"), file_systems=(FILES,))
    assert outcomes(nobodys, "storage-speed") == ["not-knowable"]


def test_the_machines_with_the_most_gpus_read_the_most() -> None:
    mixed = group(machines=("p5.48xlarge", "p5.4xlarge"), maximum=4)
    files = FileSystem(
        name="f",
        subject="f",
        cloud="aws",
        kind="lustre",
        region="us-east-1",
        throughput_mbs=Decimal(1000),
        group="trainer",
    )
    (finding,) = findings(plan(mixed, file_systems=(files,)), "storage-speed")
    assert "32 GPUs need 1,856 at 58 each" in finding.message


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, "fine"),
        ({"throughput_mbs": Decimal(1000)}, "violated"),
        ({"throughput_mbs": UNKNOWN}, "not-knowable"),
    ],
    ids=str,
)
def test_a_file_system_is_as_fast_as_its_machines_read(changes, outcome):
    (finding,) = findings(mounted(**changes), "storage-speed")
    assert (finding.outcome, finding.subject) == (outcome, FILES.subject)
    assert bool(finding.fix) == (outcome != "fine")


def test_without_a_file_system_storage_speed_does_not_apply():
    assert outcomes(plan(group()), "storage-speed") == ["not-applicable"]

"""Rules about parallel file systems: what is refused, where they stand, how fast they are."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, FileSystem
from tests.rules.cases.cluster import cluster
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.static_checks import files

FILES = FileSystem(
    name="trainer-shared",
    subject="training.trainer.shared_storage",
    cloud="aws",
    kind="lustre",
    region="us-east-1",
    size_gib=4800,
    throughput_mbs=Decimal(4800),
    group="trainer",
    encrypted=True,
    one_zone=True,
)
FACTS = "shared-storage-settings", "shared-storage-zone", "storage-speed"


def judged(**changes):
    return plan(group(minimum=4, maximum=4), file_systems=(replace(FILES, **changes),))


@pytest.mark.parametrize("rule", FACTS)
def test_a_good_one_is_fine_and_none_is_nobodys_business(rule):
    assert outcomes(judged(), rule) == ["fine"]
    assert outcomes(plan(group()), rule) == ["not-applicable"]


@pytest.mark.parametrize(
    ("rule", "bad", "hidden"),
    [
        (
            "shared-storage-settings",
            {"faults": rule_faults("shared-storage-settings", ("size: too small",))},
            {"faults": rule_faults("shared-storage-settings", UNKNOWN)},
        ),
        ("shared-storage-zone", {"one_zone": False}, {"one_zone": UNKNOWN}),
        ("storage-speed", {"throughput_mbs": Decimal(1000)}, {"throughput_mbs": UNKNOWN}),
    ],
)
def test_a_bad_one_is_violated_and_a_hidden_one_not_knowable(rule, bad, hidden):
    (finding,) = findings(judged(**bad), rule)
    assert (finding.outcome, finding.subject) == ("violated", FILES.subject)
    assert finding.fix
    assert outcomes(judged(**hidden), rule) == ["not-knowable"]


def test_speed_is_weighed_against_all_gpus_by_what_each_reads():
    # 4 machines with 8 GPUs at 58 MB/s read 1,856 MB/s.
    assert outcomes(judged(throughput_mbs=Decimal(1856)), "storage-speed") == ["fine"]
    (finding,) = findings(judged(throughput_mbs=Decimal(1855)), "storage-speed")
    assert finding.message == "it delivers 1,855 MB/s; 32 GPUs need 1,856 at 58 each"
    assert not finding.refuses
    settings = {"mb_per_gpu": 156}
    assert outcomes(judged(throughput_mbs=Decimal(4992)), "storage-speed", settings) == ["fine"]
    assert outcomes(judged(throughput_mbs=Decimal(4991)), "storage-speed", settings) == [
        "violated"
    ]


def test_without_known_machines_speed_is_not_knowable():
    assert outcomes(judged(group=None), "storage-speed") == ["not-knowable"]
    nobodys = plan(group("t3.micro"), file_systems=(FILES,))
    assert outcomes(nobodys, "storage-speed") == ["not-knowable"]


@pytest.mark.parametrize("moment", ["preview", "created"])
def test_a_stranger_s_file_system_belongs_to_the_machines_in_its_subnet(moment):
    case = cluster()
    case.program.add(
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        "files",
        region="us-east-1",
        subnetIds=case.subnet.id,
        deploymentType="SCRATCH_2",
        storageCapacity=12_000,
    )
    seen = of_resources(case.program.resources(moment))

    (file_system,) = seen.file_systems
    assert (file_system.group, file_system.one_zone) == (seen.groups[0].name, True)
    assert outcomes(seen, "shared-storage-zone") == ["fine"]
    assert "2,400 MB/s" in findings(seen, "storage-speed")[0].message


def test_one_in_another_zone_is_told():
    case = cluster()
    other = case.program.add(
        "aws:ec2/subnet:Subnet", "b", availabilityZone="us-east-1b", cidrBlock="10.0.2.0/24"
    )
    case.program.add(
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        "files",
        subnetIds=other.id,
        deploymentType="SCRATCH_2",
        storageCapacity=1200,
    )

    assert outcomes(of_resources(case.program.resources()), "shared-storage-zone") == ["violated"]


def test_alone_nobody_says_which_machines_mount_it():
    seen = of_resources(files().resources())

    assert outcomes(seen, "shared-storage-settings") == ["fine"]
    assert outcomes(seen, "shared-storage-zone") == ["not-knowable"]


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

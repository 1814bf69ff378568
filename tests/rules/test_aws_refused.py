"""What AWS refuses of sizes, markets and disks, and what its price tables do not tell."""

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN, faults_of
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

WINDOWS = "resolve:ssm:/aws/service/ami-windows-latest/Windows_Server-2022-English-Full-Base"
LINUX = "resolve:ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"
OF_LINUX = "and only Linux prices are known"
OF_WINDOWS = f"its operating system is Windows, {OF_LINUX}"
OF_HOSTS = "it is on a dedicated host, which is billed as a whole, and whose price is unknown"
OF_SOFTWARE = "its image is sold in the marketplace, and the price of its software is unknown"
OF_SHARED = "and only prices of shared tenancy are known"


def machine(**inputs):
    program = Program()
    program.add("aws:ec2/instance:Instance", "m", **{"instanceType": "g5.xlarge", **inputs})
    return program


def reasons(program):
    seen = observe(program.resources())
    assert [group.machines for group in seen.groups] == [("g5.xlarge",)]
    return [row.reason for row in seen.not_judged]


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"ami": WINDOWS}, [OF_WINDOWS]),
        (
            {"ami": "ami-1", "userData": "<powershell>"},
            [OF_WINDOWS],
        ),
        ({"ami": LINUX, "userData": "#!/bin/bash"}, []),
        ({"ami": "ami-1", "tenancy": "dedicated"}, [f"its tenancy is dedicated, {OF_SHARED}"]),
        ({"ami": "ami-1", "tenancy": "host"}, [f"its tenancy is host, {OF_SHARED}"]),
        ({"ami": "ami-1", "tenancy": "default"}, []),
        (
            {"ami": "ami-1", "tenancy": UNKNOWN},
            [f"its tenancy is not known yet, {OF_SHARED}"],
        ),
        (
            {"ami": WINDOWS, "tenancy": "dedicated"},
            [f"{OF_WINDOWS}; its tenancy is dedicated, {OF_SHARED}"],
        ),
        ({"ami": "ami-1", "getPasswordData": True}, [OF_WINDOWS]),
        ({"ami": "ami-1", "getPasswordData": False}, []),
        ({"ami": "ami-1", "hostId": "h-1"}, [OF_HOSTS]),
        ({"ami": "ami-1", "hostResourceGroupArn": UNKNOWN}, [OF_HOSTS]),
        ({"ami": "resolve:ssm:/aws/service/marketplace/prod-x/latest"}, [OF_SOFTWARE]),
    ],
)
def test_a_dearer_machine_than_the_tables_know_has_no_price(inputs, expected):
    program = machine(**inputs)
    assert reasons(program) == expected
    (told, *_) = verdicts(of_resources(program.resources()), "price-unknown")
    assert told[0] == ("violated" if expected else "fine")


@both
def test_the_hardware_of_a_whole_network_may_be_its_own(moment):
    program = Program()
    vpc = program.add("aws:ec2/vpc:Vpc", "net", instanceTenancy="dedicated")
    subnet = program.add("aws:ec2/subnet:Subnet", "in", vpcId=vpc.id)
    program.add("aws:ec2/instance:Instance", "m", instanceType="g5.xlarge", subnetId=subnet.id)
    (row,) = observe(program.resources(moment)).not_judged
    assert row.reason == f"its tenancy is dedicated, {OF_SHARED}"


def test_a_template_says_where_its_machines_run():
    program = Program()
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "lt",
        imageId=WINDOWS,
        instanceType="g5.xlarge",
        placement={"tenancy": "dedicated"},
    )
    program.add("aws:autoscaling/group:Group", "g", maxSize=2, launchTemplate={"id": template.id})
    assert reasons(program) == [f"{OF_WINDOWS}; its tenancy is dedicated, {OF_SHARED}"]


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"instancePlatform": "Linux/UNIX", "tenancy": "default"}, []),
        ({"instancePlatform": "Windows"}, [OF_WINDOWS]),
        (
            {"instancePlatform": UNKNOWN},
            [f"its operating system is not known yet, {OF_LINUX}"],
        ),
        ({"tenancy": "dedicated"}, [f"its tenancy is dedicated, {OF_SHARED}"]),
    ],
)
def test_what_is_kept_is_dearer_alike(inputs, expected):
    program = Program()
    program.add(
        "aws:ec2/capacityReservation:CapacityReservation",
        "kept",
        instanceType="g5.xlarge",
        instanceCount=1,
        **inputs,
    )
    assert reasons(program) == expected


GROUP, NODES = "aws:autoscaling/group:Group", "aws:eks/nodeGroup:NodeGroup"


def sized(kind, least, most, desired):
    program = Program()
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate", "lt", imageId="ami-1", instanceType="g5.xlarge"
    )
    if kind == GROUP:
        sizes = {"minSize": least, "maxSize": most, "desiredCapacity": desired}
    else:
        said_of_it = {"minSize": least, "maxSize": most, "desiredSize": desired}
        sizes = {"scalingConfig": said_of_it}
    program.add(kind, "g", launchTemplate={"id": template.id}, **sizes)
    return faults_of(observe(program.resources()).groups[0].faults, "scaling-settings")


@pytest.mark.parametrize("kind", [GROUP, NODES])
@pytest.mark.parametrize(
    ("sizes", "count"),
    [
        ((1, 4, 4), 0),
        ((1, 4, 1), 0),
        ((0, 4, None), 0),
        ((8, 4, None), 1),
        ((8, 4, 9), 2),
        ((2, 4, 1), 1),
        ((2, 4, 5), 1),
        ((UNKNOWN, 4, 5), 1),
        ((2, UNKNOWN, 5), 0),
        ((8, 4, UNKNOWN), 1),
    ],
)
def test_sizes_that_exclude_each_other_are_refused(kind, sizes, count):
    assert len(sized(kind, *sizes)) == count


def mixed(market, share=100):
    program = Program()
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "lt",
        imageId="ami-1",
        instanceType="p5.48xlarge",
        capacityReservationSpecification={
            "capacityReservationTarget": {"capacityReservationId": "cr-1"}
        },
        **({} if market is None else {"instanceMarketOptions": {"marketType": market}}),
    )
    policy = {
        "launchTemplate": {"launchTemplateSpecification": {"launchTemplateId": template.id}},
        "instancesDistribution": {"onDemandPercentageAboveBaseCapacity": share},
    }
    program.add(GROUP, "g", maxSize=2, mixedInstancesPolicy=policy)
    return observe(program.resources()).groups[0]


def test_a_mixed_policy_takes_no_template_that_asks_for_spot():
    assert faults_of(mixed(None).faults, "spot-settings") == ()
    (fault,) = faults_of(mixed("spot").faults, "spot-settings")
    assert "the launch template of a mixed instances policy" in fault


def test_a_capacity_block_is_never_bought_on_spot():
    assert faults_of(mixed("capacity-block").faults, "capacity-block") == ()
    (fault,) = faults_of(mixed("capacity-block", 0).faults, "capacity-block")
    assert "a mixed instances policy with a capacity block" in fault


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"type": "gp3", "size": 100, "iops": 4000, "throughput": 500}, []),
        ({"type": "gp3", "size": 1000, "iops": 99000}, ["does not support 99,000 IOPS"]),
        (
            {"type": "gp3", "size": 1000, "iops": 3000, "throughput": 5000},
            ["does not support 5,000 MiB/s"],
        ),
        ({"type": "io2", "size": 100, "iops": 100_000}, []),
        ({"type": "io2", "size": 100, "iops": 100_001}, ["at most 256,000"]),
        ({"type": "io2", "size": 1000, "iops": 256_001}, ["at most 256,000"]),
        ({"type": "io2", "size": 3, "iops": 100}, ["can't have 3 GiB"]),
        ({"type": "io1", "size": 100, "iops": 5_001}, ["100 to 5,000"]),
        ({"type": "io1", "size": 100, "iops": 99}, ["100 to 5,000"]),
        ({"type": "st1", "size": 500}, []),
        ({"type": "io2", "size": UNKNOWN, "iops": 500_000}, None),
        ({"type": "gp3", "size": 100, "iops": UNKNOWN}, None),
    ],
)
def test_a_volume_of_its_own_is_within_the_limits_of_its_kind(inputs, expected):
    program = Program()
    program.add("aws:ebs/volume:Volume", "v", availabilityZone="us-east-1a", **inputs)
    (disk,) = observe(program.resources()).disks
    messages = faults_of(disk.faults, "disk-limits")
    if expected is None:
        assert messages is UNKNOWN
    else:
        assert len(messages) == len(expected)
        assert all(part in fault for part, fault in zip(expected, messages, strict=True))


def test_provisioned_disks_of_machines_are_judged_alike():
    (group,) = observe(
        machine(
            ami="ami-1",
            rootBlockDevice={"volumeType": "io2", "volumeSize": 100, "iops": 500_000},
        ).resources()
    ).groups
    (fault,) = faults_of(group.faults, "disk-limits")
    assert fault.startswith("/dev/xvda: an io2 disk of 100 GiB does not support 500,000 IOPS")


@pytest.mark.parametrize("key", ["hostId", "hostResourceGroupArn"])
def test_the_machines_of_a_template_may_be_on_hosts_of_their_own(key):
    program = Program()
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "t",
        instanceType="g5.xlarge",
        imageId="ami-1",
        placement={key: "h-0123456789abcdef0"},
    )
    program.add("aws:autoscaling/group:Group", "g", maxSize=2, launchTemplate={"id": template.id})
    assert reasons(program) == [OF_HOSTS]

"""What deletes the content of a bucket, and what machines leave behind, on resources."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Usage
from gpuinfra.today import today
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import outcome_of, verdicts

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"


def fleet(**inputs: Any) -> Program:
    program = Program()
    template = program.add(TEMPLATE, "node", imageId="ami-1", instanceType="g6.xlarge")
    spec = {"launchTemplateId": template.id, "version": "$Latest"}
    program.add(
        "aws:ec2/fleet:Fleet",
        "workers",
        launchTemplateConfigs=[{"launchTemplateSpecification": spec}],
        targetCapacitySpecification={
            "defaultTargetCapacityType": "on-demand",
            "totalTargetCapacity": 2,
        },
        **inputs,
    )
    return program


def spot_fleet(**inputs: Any) -> Program:
    program = Program()
    spec = {"ami": "ami-1", "instanceType": "g6.xlarge"}
    program.add(
        "aws:ec2/spotFleetRequest:SpotFleetRequest",
        "workers",
        targetCapacity=2,
        iamFleetRole="arn:aws:iam::1:role/fleet",
        launchSpecifications=[spec],
        **inputs,
    )
    return program


def group(disk: Any = None, policy: Any = None, **inputs: Any) -> Program:
    program = Program()
    disks = [{"deviceName": "/dev/sda1", "ebs": {"volumeSize": 9, "deleteOnTermination": disk}}]
    given = {"imageId": "ami-1", "instanceType": "g6.xlarge", "blockDeviceMappings": disks}
    template = program.add(TEMPLATE, "node", **given)
    spec = {"id": template.id, "version": "$Latest"}
    made = program.add(GROUP, "workers", minSize=1, maxSize=4, launchTemplate=spec, **inputs)
    if policy is not None:
        program.add(
            "aws:autoscaling/policy:Policy",
            "grow",
            autoscalingGroupName=made.out("name"),
            policyType="TargetTrackingScaling",
            targetTrackingConfiguration=policy,
        )
    return program


def gcp_group(mode: str | None) -> Program:
    program = GcpProgram()
    template = program.add(
        "compute/instanceTemplate:InstanceTemplate", "node", machineType="g2-standard-8"
    )
    made = program.add(
        "compute/instanceGroupManager:InstanceGroupManager",
        "workers",
        zone="us-central1-a",
        versions=[{"instanceTemplate": template.link}],
    )
    program.add(
        "compute/autoscaler:Autoscaler",
        "grow",
        zone="us-central1-a",
        target=made.link,
        autoscalingPolicy={"maxReplicas": 4, "minReplicas": 1, "mode": mode},
    )
    return program


def attached(**disk: Any) -> Program:
    program = GcpProgram()
    data = program.add("compute/disk:Disk", "data", zone="us-central1-a", size=100)
    template = program.add(
        "compute/instanceTemplate:InstanceTemplate",
        "node",
        machineType="g2-standard-8",
        disks=[{"boot": True, "sourceImage": "i"}, {"source": data.id, **disk}],
    )
    program.add(
        "compute/instanceGroupManager:InstanceGroupManager",
        "workers",
        zone="us-central1-a",
        targetSize=1,
        versions=[{"instanceTemplate": template.link}],
    )
    return program


def machine(create: str, delete: str) -> Program:
    program = AzureProgram()
    program.add(
        "azure-native:compute:VirtualMachine",
        "workers",
        hardwareProfile={"vmSize": "Standard_NC4as_T4_v3"},
        storageProfile={
            "dataDisks": [{"createOption": create, "deleteOption": delete, "lun": 0}],
        },
    )
    return program


def scale_set(option: str | None, *, disk: str = "osDisk") -> Program:
    program = AzureProgram()
    disk_inputs = {"createOption": "FromImage", "diskSizeGB": 64, "deleteOption": option}
    program.add(
        "azure-native:compute:VirtualMachineScaleSet",
        "workers",
        sku={"name": "Standard_NC4as_T4_v3", "capacity": 2},
        virtualMachineProfile={
            "storageProfile": {disk: [disk_inputs] if disk == "dataDisks" else disk_inputs},
        },
    )
    return program


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (fleet(), "set terminate_instances to true"),
        (fleet(terminateInstances=False), "set terminate_instances to true"),
        (fleet(terminateInstances=True), ""),
        (spot_fleet(), "set terminate_instances_on_delete to true"),
        (spot_fleet(terminateInstancesOnDelete="true"), ""),
        (spot_fleet(terminateInstancesWithExpiration=True), ""),
        (
            spot_fleet(terminateInstancesOnDelete="false", terminateInstancesWithExpiration=True),
            "set terminate_instances_on_delete to true",
        ),
        (group("false"), "the disk /dev/sda1 of each machine is kept when the machine is deleted"),
        (group("true"), ""),
        (group(), ""),
        (group(suspendedProcesses=["AZRebalance"]), ""),
        (group(suspendedProcesses=["Terminate"]), "remove Terminate from suspended_processes"),
        (group(policy={"disableScaleIn": True}), "the scaling policy grow adds machines"),
        (group(policy={"disableScaleIn": False}), ""),
        (gcp_group("ONLY_SCALE_OUT"), "the autoscaler grow adds machines"),
        (gcp_group("ONLY_UP"), "the autoscaler grow adds machines"),
        (gcp_group("ON"), ""),
        (attached(autoDelete=True), "a standalone disk is deleted"),
        (attached(), "a standalone disk is deleted"),
        (attached(autoDelete=False), ""),
        (attached(mode="READ_ONLY"), ""),
        (machine("Attach", "Delete"), "a standalone disk is deleted"),
        (machine("Attach", "Detach"), ""),
        (machine("Empty", "Delete"), ""),
        (scale_set("Detach"), "deleted: 1 a machine"),
        (scale_set("Detach", disk="dataDisks"), "deleted: 1 a machine"),
        (scale_set("Delete"), ""),
    ],
)
def test_machines_that_go_leave_nothing_behind(program: Program, words: str) -> None:
    messages = [
        message
        for outcome, message in verdicts(of_resources(program.resources()), "machine-upkeep")
        if outcome == "violated"
    ]
    text = "; ".join(messages)
    assert words in text
    assert words or "stay" not in text
    assert words or "run on" not in text
    assert words or "never removes one" not in text
    assert words or "stands by itself" not in text


REPLACED = (
    "its machines are replaced after at most {} h, before its run of 72 h ends: raise "
    "max_instance_lifetime, or set it to 0"
)


@pytest.mark.parametrize(
    ("inputs", "hours", "expected"),
    [
        ({"maxInstanceLifetime": 86400}, 72, ("violated", REPLACED.format("24"))),
        ({"maxInstanceLifetime": "100000"}, 72, ("violated", REPLACED.format("27.8"))),
        ({"maxInstanceLifetime": 259200}, 72, None),
        ({"maxInstanceLifetime": 86400}, None, None),
        ({"maxInstanceLifetime": 86400, "protectFromScaleIn": True}, 72, None),
        ({"maxInstanceLifetime": 0}, 72, None),
        ({"maxInstanceLifetime": UNKNOWN}, 72, None),
        ({}, 72, None),
    ],
)
def test_machines_are_not_replaced_before_their_run_ends(
    inputs: dict[str, Any], hours: int | None, expected: tuple[str, str] | None
) -> None:
    usage = Usage(hours={} if hours is None else {"workers": Decimal(hours)})
    judged = of_resources(group(**inputs).resources(), usage=usage)
    found = [row for row in verdicts(judged, "machine-upkeep") if row[0] != "fine"]
    assert found == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("program", "wrong"),
    [
        (fleet(excessCapacityTerminationPolicy="no-termination"), True),
        (fleet(excessCapacityTerminationPolicy="termination"), False),
        (fleet(), False),
        (spot_fleet(excessCapacityTerminationPolicy="NoTermination"), True),
        (spot_fleet(excessCapacityTerminationPolicy="Default"), False),
    ],
)
def test_machines_beyond_a_lowered_target_are_counted_by_no_cap(
    program: Program, wrong: bool
) -> None:
    assert (outcome_of(program, "pool-maximum") == "violated") == wrong


FAR, GONE = "2099-01-01T00:00:00Z", "2020-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ({"recurrence": "0 20 * * *"}, "fine"),
        ({"recurrence": "0 20 * * *", "startTime": GONE}, "fine"),
        ({"recurrence": "0 20 * * *", "startTime": FAR}, "violated"),
        ({"recurrence": "0 20 * * *", "endTime": GONE}, "violated"),
        ({"startTime": f"{today()}T23:59:00Z"}, "fine"),
        ({"startTime": GONE}, "violated"),
        ({"startTime": FAR}, "violated"),
    ],
)
def test_a_schedule_that_comes_after_any_run_is_no_end(
    when: dict[str, str], expected: str
) -> None:
    assert scheduled(group(), **when) == expected


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({}, "fine"),
        ({"suspendedProcesses": ["AZRebalance"]}, "fine"),
        ({"suspendedProcesses": ["Terminate"]}, "violated"),
        ({"suspendedProcesses": ["ScheduledActions"]}, "violated"),
        ({"protectFromScaleIn": True}, "violated"),
    ],
)
def test_a_schedule_of_a_group_that_ends_no_machine_is_no_end(
    inputs: dict[str, Any], expected: str
) -> None:
    assert scheduled(group(**inputs), recurrence="0 20 * * *") == expected


def scheduled(program: Program, **when: str) -> str:
    (made,) = [handle for handle in program.handles.values() if handle.type == GROUP]
    program.add(
        "aws:autoscaling/schedule:Schedule",
        "night",
        scheduledActionName="night",
        autoscalingGroupName=made.out("name"),
        minSize=0,
        maxSize=0,
        desiredCapacity=0,
        **when,
    )
    usage = Usage(purpose={"workers": "training"})
    judged = of_resources(program.resources(), usage=usage)
    return findings(judged, "time-limit")[0].outcome

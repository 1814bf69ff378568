"""What deletes the content of a bucket, and what machines leave behind, on resources."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Usage
from gpuinfra.today import today
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.program import Program

LIFECYCLE = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
DAY = {"expiration": {"days": 1}}


def told(program: Program, rule: str) -> list[tuple[str, str]]:
    judged = findings(of_resources(program.resources()), rule)
    return [(finding.outcome, finding.message) for finding in judged]


def outcome(program: Program, rule: str) -> str:
    return told(program, rule)[0][0]


def s3(rule: Any, *, inline: bool = False) -> Program:
    program = Program()
    if inline:
        program.add("aws:s3/bucket:Bucket", "data", lifecycleRules=[{"enabled": True, **rule}])
        return program
    bucket = program.add("aws:s3/bucket:Bucket", "data")
    program.add(LIFECYCLE, "rules", bucket=bucket.id, rules=[{"status": "Enabled", **rule}])
    return program


def gcs(kind: str = "Delete", **condition: Any) -> Program:
    program = GcpProgram()
    rule = {"action": {"type": kind}, "condition": condition}
    program.add("storage/bucket:Bucket", "data", location="US", lifecycleRules=[rule])
    return program


def blobs(delete: Any, *, enabled: bool = True, **filters: Any) -> Program:
    program = AzureProgram()
    account = program.add(
        "azure-native:storage:StorageAccount",
        "data",
        kind="StorageV2",
        sku={"name": "Standard_LRS"},
    )
    actions = {"baseBlob": {"delete": delete}}
    rule = {
        "enabled": enabled,
        "definition": {"actions": actions, "filters": {"blobTypes": ["blockBlob"], **filters}},
    }
    program.add(
        "azure-native:storage:ManagementPolicy",
        "rules",
        accountName=account.out("name"),
        policy={"rules": [rule]},
    )
    return program


@pytest.mark.parametrize(
    ("program", "wrong"),
    [
        (s3(DAY), True),
        (s3(DAY, inline=True), True),
        (s3({**DAY, "filter": {"prefix": ""}}), True),
        (s3({**DAY, "filter": {"objectSizeGreaterThan": 1}}), True),
        (s3({"expiration": {"date": "2026-12-01T00:00:00Z"}}), True),
        (s3({**DAY, "filter": {"prefix": "tmp/"}}), False),
        (s3({**DAY, "filter": {"and": {"prefix": "tmp/"}}}), False),
        (s3({**DAY, "filter": {"tag": {"key": "tmp", "value": "1"}}}), False),
        (s3({**DAY, "filter": UNKNOWN}), False),
        (s3({**DAY, "status": "Disabled"}), False),
        (s3({**DAY, "enabled": False}, inline=True), False),
        (s3({"expiration": {"days": 7}}), False),
        (s3({"expiration": {"expiredObjectDeleteMarker": True}}), False),
        (s3({"noncurrentVersionExpiration": {"noncurrentDays": 1}}), False),
        (gcs(age=1), True),
        (gcs(age=1, withState="ANY"), True),
        (gcs(age=7), False),
        (gcs("SetStorageClass", age=1), False),
        (gcs(age=1, matchesPrefixes=["tmp/"]), False),
        (gcs(age=1, withState="ARCHIVED"), False),
        (gcs(daysSinceNoncurrentTime=1), False),
        (gcs(age=0, numNewerVersions=3), False),
        (blobs({"daysAfterModificationGreaterThan": 1}), True),
        (blobs({"daysAfterCreationGreaterThan": 6.0}), True),
        (blobs({"daysAfterLastAccessTimeGreaterThan": 7}), False),
        (blobs({"daysAfterModificationGreaterThan": 1}, enabled=False), False),
        (blobs({"daysAfterModificationGreaterThan": 1}, prefixMatch=["data/tmp"]), False),
    ],
)
def test_a_bucket_keeps_what_a_run_goes_on_from(program: Program, wrong: bool) -> None:
    assert outcome(program, "bucket-safeguards") == ("violated" if wrong else "fine")


@pytest.mark.parametrize(
    ("force", "expected"), [(True, "violated"), (None, "fine"), (UNKNOWN, "not-knowable")]
)
def test_a_bucket_of_aws_that_holds_anything_stays(force: object, expected: str) -> None:
    program = Program()
    program.add("aws:s3/bucket:Bucket", "data", forceDestroy=force)
    assert outcome(program, "force-destroy") == expected


def test_a_bucket_that_takes_the_logs_of_others_may_go_with_them() -> None:
    program = Program()
    data = program.add("aws:s3/bucket:Bucket", "data")
    logs = program.add("aws:s3/bucket:Bucket", "logs", forceDestroy=True)
    program.add("aws:s3/bucketLogging:BucketLogging", "log", bucket=data.id, targetBucket=logs.id)
    assert [outcome for outcome, _ in told(program, "force-destroy")] == ["fine", "not-applicable"]


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
        message for outcome, message in told(program, "machine-upkeep") if outcome == "violated"
    ]
    text = "; ".join(messages)
    assert words in text
    assert words or "stay" not in text
    assert words or "run on" not in text
    assert words or "never removes one" not in text
    assert words or "stands by itself" not in text


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
    assert (outcome(program, "pool-maximum") == "violated") == wrong


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

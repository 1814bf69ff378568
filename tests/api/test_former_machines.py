"""What exists while a preview's update runs: former machines of groups, and replaced resources."""

import json
from collections import Counter
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from gpuinfra.api.check_settings_model import CheckSettings
from gpuinfra.api.pulumi_files import check_file
from gpuinfra.crossguard.policy_settings import PolicySettings
from gpuinfra.model import Caps, Usage

DAY = date(2026, 11, 24)
CONFIG = {
    "aws:region": "us-east-1",
    "gcp:region": "us-central1",
    "gcp:project": "p",
    "azure-native:location": "eastus",
}
AWS_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
AWS_GROUP = "aws:autoscaling/group:Group"
GCP_TEMPLATE = "gcp:compute/instanceTemplate:InstanceTemplate"
GCP_GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"
SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
LATEST = {"maxSize": 1, "minSize": 1, "launchTemplate": {"id": "lt-1", "version": "$Latest"}}


def step(kind, name, inputs, operation="same", before=None, **outputs):
    urn = f"urn:pulumi:dev::shop::{kind}::{name}"
    package = kind.partition(":")[0]
    provider = f"urn:pulumi:dev::shop::pulumi:providers:{package}::default::1"
    state = {"urn": urn, "custom": True, "type": kind, "provider": provider, "inputs": inputs}
    made = {"op": operation, "urn": urn, "newState": {**state, "outputs": outputs}}
    if operation != "create":
        old = inputs if before is None else before
        made["oldState"] = {
            **state,
            "id": outputs.get("id", "x"),
            "inputs": old,
            "outputs": outputs,
        }
    return made


def started(machine):
    return {"name": "lt", "instanceType": machine}


def modelled(size, mode="Manual"):
    return {
        "resourceGroupName": "g",
        "location": "eastus",
        "sku": {"name": size, "capacity": 1},
        "upgradePolicy": {"mode": mode},
    }


def managed(template):
    return {
        "zone": "us-central1-a",
        "targetSize": 1,
        "versions": [{"instanceTemplate": template}],
        "updatePolicy": {"type": "OPPORTUNISTIC", "minimalAction": "REPLACE"},
    }


VERSIONS = {"id": "lt-1", "latestVersion": 1, "defaultVersion": 1}
LARGE, SMALL = "p5.48xlarge", "g6.xlarge"
CASES = {
    "aws": [
        step(AWS_TEMPLATE, "lt", started(SMALL), "update", started(LARGE), **VERSIONS),
        step(AWS_GROUP, "g", LATEST, id="g"),
    ],
    "gcp": [
        step(GCP_TEMPLATE, "new", {"name": "new", "machineType": "g2-standard-4"}, "create"),
        step(GCP_TEMPLATE, "old", {"name": "old", "machineType": "a3-highgpu-8g"}, id="old"),
        step(GCP_GROUP, "g", managed("new"), "update", managed("old"), id="g"),
    ],
    "azure": [
        step(
            SCALE_SET,
            "g",
            modelled("Standard_NC4as_T4_v3"),
            "update",
            modelled("Standard_ND96isr_H100_v5"),
            id="g",
        )
    ],
}
DEAR = {"aws": LARGE, "gcp": "a3-highgpu-8g", "azure": "Standard_ND96isr_H100_v5"}


def capped(per_hour, **more):
    return CheckSettings(
        policy=PolicySettings(caps=Caps(per_hour=Decimal(per_hour), **more), accept_outdated=True)
    )


@pytest.fixture
def checked(tmp_path):
    def check(steps, settings=None):
        path = tmp_path / "preview.json"
        summary = Counter(each["op"] for each in steps)
        path.write_text(json.dumps({"config": CONFIG, "steps": steps, "changeSummary": summary}))
        return check_file(path, settings or capped(10), DAY)

    return check


def of(check, rule):
    return [finding.outcome for finding in check.verdict.findings if finding.rule == rule]


@pytest.mark.parametrize("cloud", CASES)
def test_the_former_machines_of_a_group_that_stays_count(checked, cloud):
    check = checked(CASES[cloud])

    assert "violated" in of(check, "cap-per-hour"), check.quote.unpriced
    assert any("keeps running until it is replaced" in words for words in check.quote.warnings)
    assert [group.machines or (group.rung.machine,) for group in check.plan.groups] != [
        (DEAR[cloud],)
    ]


def test_a_group_that_gets_dearer_machines_counts_as_those(checked):
    check = checked(
        [
            step(AWS_TEMPLATE, "lt", started(LARGE), "update", started(SMALL), **VERSIONS),
            step(AWS_GROUP, "g", LATEST, id="g"),
        ]
    )

    assert "violated" in of(check, "cap-per-hour")
    assert not any("keeps running" in words for words in check.quote.warnings)


def test_a_machine_of_its_own_is_another_once_it_is_changed(checked):
    kind = "aws:ec2/instance:Instance"
    machine = {"associatePublicIpAddress": False}
    small, large = ({**machine, "instanceType": size} for size in (SMALL, LARGE))
    check = checked([step(kind, "a", small, "update", large, id="i-1")])

    assert "violated" not in of(check, "cap-per-hour")


def test_a_group_that_stays_and_started_from_elsewhere_is_not_known(checked):
    elsewhere = {**LATEST, "launchTemplate": {"id": "lt-9", "version": "$Latest"}}
    check = checked(
        [
            step(AWS_TEMPLATE, "lt", started(SMALL), **VERSIONS),
            step(AWS_GROUP, "g", LATEST, "update", elsewhere, id="g"),
        ]
    )

    assert "violated" in of(check, "price-unknown")


INSTANCE = "aws:ec2/instance:Instance"
MACHINE = {"associatePublicIpAddress": False, "instanceType": SMALL, "ami": "ami-00000001"}


def replaced(operation="replace", /, old=SMALL, new=SMALL, **marks):
    """A machine that another image replaces."""
    before = {**MACHINE, "instanceType": old}
    after = {**MACHINE, "instanceType": new, "ami": "ami-00000002"}
    made = step(INSTANCE, "trainer", after, operation, before, id="i-1")
    made["oldState"] |= marks
    return made


@pytest.mark.parametrize(
    ("marks", "cap", "outcome"),
    [
        ({"delete": True}, "1.61", "fine"),
        ({"delete": True}, "1.60", "violated"),
        ({}, "1.60", "violated"),
        ({"pendingReplacement": True}, "0.82", "fine"),
        ({"pendingReplacement": True}, "0.80", "violated"),
    ],
)
def test_what_is_replaced_counts_beside_its_replacement(checked, marks, cap, outcome):
    check = checked([replaced(**marks)], capped(cap))

    assert of(check, "cap-per-hour") == [outcome]
    assert check.quote.per_hour.ceiling < Decimal("0.82")


def test_a_cap_of_a_month_counts_it_too(checked):
    check = checked([replaced(delete=True)], capped(10, per_month=Decimal(1000)))

    assert of(check, "cap-per-month") == ["violated"]


def test_a_finding_says_what_counts_twice_and_how_to_delete_it_first(checked):
    check = checked([replaced(delete=True, old=LARGE)], capped("1.00"))

    (finding,) = (each for each in check.verdict.findings if each.rule == "cap-per-hour")
    assert "up to $55.84 per hour, above the cap of $1.00" in finding.message
    assert "trainer counts twice, since the update creates the replacement" in finding.message
    assert finding.fix.startswith("set deleteBeforeReplace on trainer, use fewer")
    assert any("under the caps beside what replaces them" in note for note in check.notes)


def test_an_old_machine_without_a_price_is_not_known(checked):
    check = checked([replaced(delete=True, old="p9.48xlarge")], capped(10))

    assert of(check, "cap-per-hour") == ["not-knowable"]


def test_an_old_group_of_an_unknown_template_is_not_known(checked):
    elsewhere = {**LATEST, "launchTemplate": {"id": "lt-9", "version": "$Latest"}}
    check = checked(
        [
            step(AWS_TEMPLATE, "lt", started(SMALL), **VERSIONS),
            step(AWS_GROUP, "g", LATEST, "replace", elsewhere, id="g"),
        ]
    )

    assert of(check, "cap-per-hour") == ["not-knowable"]


def test_what_stays_beside_a_replacement_counts_once(checked):
    stays = step(INSTANCE, "stays", MACHINE, id="i-2")

    assert of(checked([replaced(), stays], capped("2.42")), "cap-per-hour") == ["fine"]
    assert of(checked([replaced(), stays], capped("2.40")), "cap-per-hour") == ["violated"]


RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"
RESERVED = {"instanceType": LARGE, "instancePlatform": "Linux/UNIX"}
EAST_A, EAST_B = ({"availabilityZone": f"us-east-1{zone}"} for zone in "ab")


@pytest.mark.parametrize(
    ("room", "operation", "cap", "outcome"),
    [
        (2, "same", "275.31", "fine"),
        (2, "same", "275.30", "violated"),
        (1, "replace", "220.38", "fine"),
        (1, "replace", "220.37", "violated"),
    ],
)
def test_a_reservation_that_is_replaced_counts_in_full_though_a_machine_runs_in_it(
    checked, room, operation, cap, outcome
):
    """Each reservation counts, and beside them the machine, with its disk, that leaves the old."""
    kept = {**RESERVED, "instanceCount": room}
    anew = step(RESERVATION, "trainer", {**kept, **EAST_B}, "replace", kept | EAST_A, id="cr-1")
    del anew["newState"]["outputs"]
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    disk = {"volumeType": "gp3", "volumeSize": 1000}
    inputs = {**MACHINE, "instanceType": LARGE, "rootBlockDevice": disk}
    inputs["capacityReservationSpecification"] = target
    machine = step(INSTANCE, "trainer", inputs, operation, id="i-1")

    assert of(checked([anew, machine], capped(cap)), "cap-per-hour") == [outcome]


VOLUME = ("aws:ebs/volume:Volume", {"availabilityZone": "us-east-1a", "type": "gp3", "size": 1000})
BUCKET = ("aws:s3/bucket:Bucket", {})


@pytest.mark.parametrize(("resource", "below"), [(VOLUME, 159), (BUCKET, 42)])
def test_a_disk_and_what_a_bucket_holds_count_in_both(checked, resource, below):
    kind, inputs = resource
    made = step(kind, "data", inputs, "replace", id="x")
    usage = Usage(gigabytes={"data": Decimal(1000)})

    for cap, outcome in ((below, "violated"), (below + 2, "fine")):
        settings = capped(10, per_month=Decimal(cap))
        settings = replace(settings, policy=replace(settings.policy, usage=usage))
        assert of(checked([made], settings), "cap-per-month") == [outcome]


def test_what_is_deleted_for_good_counts_no_longer(checked):
    gone = step(INSTANCE, "gone", {**MACHINE, "instanceType": LARGE}, "delete", id="i-2")
    del gone["newState"]
    check = checked([replaced(pendingReplacement=True), gone], capped("1.00"))

    assert of(check, "cap-per-hour") == ["fine"]
    assert any("not counted, though they exist until" in note for note in check.notes)

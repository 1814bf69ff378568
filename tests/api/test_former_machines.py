"""A group that stays counts as what it started before a preview's update, where that is dearer."""

import json
from collections import Counter
from datetime import date
from decimal import Decimal

import pytest

from gpuinfra.api.check_settings_model import CheckSettings
from gpuinfra.api.pulumi_files import check_file
from gpuinfra.crossguard.policy_settings import PolicySettings
from gpuinfra.model import Caps

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


@pytest.fixture
def checked(tmp_path):
    def check(steps):
        path = tmp_path / "preview.json"
        summary = Counter(each["op"] for each in steps)
        path.write_text(json.dumps({"config": CONFIG, "steps": steps, "changeSummary": summary}))
        policy = PolicySettings(caps=Caps(per_hour=Decimal(10)), accept_outdated=True)
        return check_file(path, CheckSettings(policy=policy), DAY)

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

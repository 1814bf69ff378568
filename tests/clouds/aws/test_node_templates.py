"""A node group of EKS and its launch template: what counts, and what EKS refuses together."""

from base64 import b64encode

import pytest

from gpuinfra.model import UNKNOWN
from gpuinfra.model.faults import faults_of
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.program import Program

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
SCRIPT = b64encode(b"#!/bin/bash\necho hello").decode()
MIME = b64encode(b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B").decode()
SIZES = {"minSize": 0, "maxSize": 2, "desiredSize": 1}
NIC = {"deviceIndex": 0, "securityGroups": ["sg-1"]}


def plan(template, group, by="id", version="$Latest"):
    program = Program()
    made = program.add(TEMPLATE, "node", name="nodes", **template)
    spec = {by: made.id if by == "id" else "nodes", "version": version}
    program.add(
        "aws:eks/nodeGroup:NodeGroup", "pool", scalingConfig=SIZES, launchTemplate=spec, **group
    )
    return of_resources(program.resources())


def settings_faults(judged):
    (group,) = judged.groups
    return faults_of(group.faults, "launch-settings")


@pytest.mark.parametrize("by", ["id", "name"])
@pytest.mark.parametrize(
    ("template", "group", "machines"),
    [
        ({"instanceType": "p5.48xlarge"}, {}, ("p5.48xlarge",)),
        ({}, {"instanceTypes": ["g6.xlarge", "g5.xlarge"]}, ("g6.xlarge", "g5.xlarge")),
        ({}, {}, ("t3.medium",)),
        ({"imageId": "ami-1"}, {"amiType": "CUSTOM"}, ("t3.medium",)),
    ],
)
def test_the_type_is_the_groups_or_the_templates_or_the_default(template, group, machines, by):
    (seen,) = plan(template, group, by).groups

    assert seen.machines == machines
    assert settings_faults(plan(template, group, by)) == ()


@pytest.mark.parametrize(
    ("template", "group", "version"),
    [
        ({}, {"amiType": "AL2023_x86_64_NVIDIA"}, "$Latest"),
        ({"instanceType": UNKNOWN}, {}, "$Latest"),
        ({"instanceRequirements": {}}, {}, "$Latest"),
        ({"instanceRequirements": {}}, {"instanceTypes": ["g6.xlarge"]}, "$Latest"),
        ({"instanceType": "g6.xlarge"}, {}, "7"),
    ],
)
def test_a_type_that_neither_names_has_no_price(template, group, version):
    judged = plan(template, group, version=version)

    assert judged.groups == ()
    assert "violated" in outcomes(judged, "price-unknown")


@pytest.mark.parametrize(
    ("template", "group", "words"),
    [
        ({"instanceType": "g6.xlarge"}, {"instanceTypes": ["p5.48xlarge"]}, "remove one of the"),
        ({"instanceType": "g6.xlarge"}, {"diskSize": 500}, "disk_size"),
        ({"instanceType": "g6.xlarge"}, {"remoteAccess": {"ec2SshKey": "k"}}, "remote_access"),
        (
            {"instanceType": "g6.xlarge", "imageId": "ami-1"},
            {"amiType": "AL2023_x86_64_NVIDIA"},
            "ami_type",
        ),
        (
            {"instanceType": "g6.xlarge", "imageId": "ami-1"},
            {"amiType": "CUSTOM", "version": "1.33"},
            "so remove the version 1.33",
        ),
        (
            {"instanceType": "g6.xlarge", "imageId": "ami-1"},
            {"releaseVersion": "1.33.0-20260101"},
            "release_version",
        ),
        (
            {"instanceType": "g6.xlarge", "iamInstanceProfile": {"name": "p"}},
            {},
            "iam_instance_profile",
        ),
        (
            {"instanceType": "g6.xlarge", "hibernationOptions": {"configured": True}},
            {},
            "hibernation_options",
        ),
        (
            {
                "instanceType": "g6.xlarge",
                "networkInterfaces": [{**NIC, "subnetId": "subnet-1"}],
            },
            {},
            "subnet_id",
        ),
        (
            {"instanceType": "g6.xlarge", "instanceInitiatedShutdownBehavior": "terminate"},
            {},
            "instance_initiated_shutdown_behavior",
        ),
        ({"instanceType": "g6.xlarge", "userData": SCRIPT}, {}, "MIME multi-part"),
    ],
)
def test_eks_refuses_what_both_state(template, group, words):
    judged = plan(template, group)

    assert any(words in fault for fault in settings_faults(judged))
    assert "violated" in outcomes(judged, "launch-settings")


@pytest.mark.parametrize(
    ("template", "group"),
    [
        ({"instanceType": "g6.xlarge", "networkInterfaces": [NIC]}, {}),
        ({"instanceType": "g6.xlarge", "imageId": "ami-1"}, {"amiType": "CUSTOM"}),
        ({"instanceType": "g6.xlarge"}, {"amiType": "AL2023_x86_64_NVIDIA"}),
        ({"instanceType": "g6.xlarge"}, {"version": "1.33"}),
        ({"instanceType": UNKNOWN}, {"instanceTypes": ["g6.xlarge"]}),
        ({"instanceType": "g6.xlarge", "userData": MIME}, {}),
        ({"instanceType": "g6.xlarge", "userData": UNKNOWN}, {}),
        ({"instanceType": "g6.xlarge", "userData": "no base64"}, {}),
        ({"instanceType": "g6.xlarge", "userData": SCRIPT, "imageId": "ami-1"}, {}),
        ({"instanceType": "g6.xlarge", "userData": SCRIPT}, {"amiType": "BOTTLEROCKET_x86_64"}),
        ({"instanceType": "g6.xlarge"}, {"instanceTypes": []}),
        ({"instanceType": "g6.xlarge", "iamInstanceProfile": UNKNOWN}, {}),
    ],
)
def test_what_one_of_them_states_or_is_not_known_is_no_fault(template, group):
    (seen,) = plan(template, group).groups

    assert settings_faults(plan(template, group)) == ()
    assert seen.machines == ("g6.xlarge",)

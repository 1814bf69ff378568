"""What EC2 refuses of a launch template's disks and interfaces, and takes of an instance."""

import pytest

from gpuinfra.model import faults_of
from tests.clouds.aws.scaling_group import machines, only
from tests.rules.cases.program import Program


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        (
            {"blockDeviceMappings": [{"deviceName": "/dev/sda1", "ebs": {"encrypted": True}}]},
            ('the disk /dev/sda1 has encrypted: true, which must be a string: write "true"'),
        ),
        (
            {"networkInterfaces": [{"deleteOnTermination": False}]},
            "network interface 0 has delete_on_termination: false",
        ),
        (
            {
                "vpcSecurityGroupIds": ["sg-1"],
                "networkInterfaces": [{"deviceIndex": 0, "securityGroups": ["sg-1"]}],
            },
            "remove vpc_security_group_ids",
        ),
        (
            {
                "blockDeviceMappings": [
                    {
                        "deviceName": "/dev/sdb",
                        "ebs": {"encrypted": "true", "snapshotId": "snap-1"},
                    }
                ]
            },
            "with a snapshot_id",
        ),
    ],
    ids=["disk", "interface", "groups", "snapshot"],
)
def test_what_a_template_says_in_a_form_that_ec2_does_not_take(inputs, words):
    program, sound = Program(), Program()
    machines(program, 1, **inputs)
    machines(sound, 1)
    (fault,) = faults_of(only(program).faults, "launch-settings")

    assert words in fault
    assert faults_of(only(sound).faults, "launch-settings") == ()


def test_an_instance_of_its_own_takes_booleans():
    program = Program()
    program.add(
        "aws:ec2/instance:Instance",
        "one",
        instanceType="g6.xlarge",
        availabilityZone="us-east-1a",
        ebsBlockDevices=[{"deviceName": "/dev/sdb", "encrypted": True}],
    )

    assert faults_of(only(program).faults, "launch-settings") == ()

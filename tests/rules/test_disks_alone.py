"""Disks that stand by themselves against the limits of their kind, on Google Cloud and Azure."""

import pytest

from gpuinfra.clouds.azure.observe import observe as observe_azure
from gpuinfra.clouds.gcp.observe import observe as observe_gcp
from gpuinfra.model import faults_of
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram


@pytest.mark.parametrize(
    ("inputs", "faults"),
    [
        (
            {"type": "hyperdisk-balanced", "size": 10, "provisionedIops": 900_000},
            (("disk: a hyperdisk-balanced disk does not support 900,000 IOPS: 3,000 to 160,000"),),
        ),
        ({"type": "hyperdisk-balanced", "size": 10, "provisionedIops": 4_000}, ()),
        ({"type": "of-tomorrow", "size": 10**9}, ()),
    ],
)
def test_a_disk_of_google(inputs, faults):
    program = GcpProgram()
    program.add("compute/disk:Disk", "d", zone="us-central1-a", **inputs)
    (disk,) = observe_gcp(program.resources()).disks
    assert faults_of(disk.faults, "disk-limits") == faults


@pytest.mark.parametrize(
    ("inputs", "faults"),
    [
        (
            {"diskSizeGB": 99_999, "sku": {"name": "PremiumV2_LRS"}},
            ("d: 99,999 GiB exceed its limit of 65,536",),
        ),
        (
            {"diskSizeGB": 99_999},
            ("d: 99,999 GiB exceed its limit of 32,767",),
        ),
        ({"diskSizeGB": 1_024, "sku": {"name": "Premium_LRS"}}, ()),
    ],
)
def test_a_disk_of_azure(inputs, faults):
    program = AzureProgram()
    program.add("azure-native:compute:Disk", "d", **inputs)
    (disk,) = observe_azure(program.resources()).disks
    assert faults_of(disk.faults, "disk-limits") == faults

"""Disks that stand by themselves against the limits of their kind, on Google Cloud and Azure."""

import pytest

from gpuinfra.clouds.azure.observe import observe as observe_azure
from gpuinfra.clouds.gcp.observe import observe as observe_gcp
from gpuinfra.model import faults_of
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (
            {"type": "hyperdisk-balanced", "size": 10, "provisionedIops": 900_000},
            (
                "disk: a hyperdisk-balanced disk of 10 GiB does not support 900,000 IOPS: "
                "3,000 to 5,000"
            ),
        ),
        ({"type": "hyperdisk-balanced", "size": 10, "provisionedIops": 4_000}, ""),
        ({"type": "of-tomorrow", "size": 10**9}, ""),
        (
            {
                "type": "hyperdisk-balanced",
                "provisionedIops": 4_000,
                "provisionedThroughput": 1_001,
            },
            (
                "disk: a hyperdisk-balanced disk with 4,000 IOPS does not support 1,001 MiB/s: "
                "140 to 1,000"
            ),
        ),
        (
            {
                "type": "hyperdisk-balanced",
                "size": 500,
                "provisionedIops": 100_000,
                "provisionedThroughput": 200,
            },
            (
                "disk: a hyperdisk-balanced disk of 500 GiB with 100,000 IOPS does not support "
                "200 MiB/s: 391 to 2,400"
            ),
        ),
        ({"type": "hyperdisk-balanced", "size": 4, "provisionedIops": 2_000}, ""),
        (
            {"type": "hyperdisk-extreme", "size": 64, "provisionedIops": 76_801},
            "disk: a hyperdisk-extreme disk of 64 GiB does not support 76,801 IOPS: 128 to 76,800",
        ),
        ({"type": "hyperdisk-extreme", "size": 64, "provisionedIops": 76_800}, ""),
        (
            {"type": "hyperdisk-extreme", "size": 64, "provisionedThroughput": 500},
            "disk: the MiB/s of a hyperdisk-extreme disk can't be set: remove them",
        ),
        (
            {"type": "hyperdisk-ml", "size": 100, "provisionedThroughput": 100},
            "disk: a hyperdisk-ml disk of 100 GiB does not support 100 MiB/s: 400 to 2,097,152",
        ),
        (
            {"type": "hyperdisk-throughput", "size": 2_048, "provisionedThroughput": 200},
            "disk: a hyperdisk-throughput disk of 2,048 GiB does not support 200 MiB/s: 20 to 180",
        ),
        ({"type": "hyperdisk-throughput", "size": 2_048, "provisionedThroughput": 180}, ""),
        (
            {"type": "hyperdisk-throughput", "size": 100},
            "disk: a hyperdisk-throughput disk does not support 100 GiB: 2,048 to 32,768",
        ),
        (
            {"type": "pd-extreme", "size": 1_000, "provisionedIops": 9_999},
            "disk: a pd-extreme disk of 1,000 GiB does not support 9,999 IOPS: 10,000 to 120,000",
        ),
        (
            {"type": "pd-standard", "size": 100, "provisionedIops": 3_000},
            "disk: the IOPS of a pd-standard disk can't be set: remove them",
        ),
        ({"type": "pd-standard", "size": 100}, ""),
    ],
)
def test_a_disk_of_google(inputs, message):
    program = GcpProgram()
    program.add("compute/disk:Disk", "d", zone="us-central1-a", **inputs)
    (disk,) = observe_gcp(program.resources()).disks
    assert faults_of(disk.faults, "disk-limits") == ((message,) if message else ())


V2 = {"sku": {"name": "PremiumV2_LRS"}}
ULTRA = {"sku": {"name": "UltraSSD_LRS"}}


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
        ({**V2, "diskSizeGB": 6, "diskIOPSReadWrite": 3_000}, ()),
        ({**V2, "diskSizeGB": 10, "diskIOPSReadWrite": 5_000}, ()),
        (
            {**V2, "diskSizeGB": 10, "diskIOPSReadWrite": 5_001},
            ("d: 5,001 IOPS exceed its limit of 5,000",),
        ),
        ({**V2, "diskSizeGB": 64, "diskMBpsReadWrite": 750}, ()),
        (
            {**V2, "diskSizeGB": 64, "diskMBpsReadWrite": 751},
            ("d: 751 MB/s exceed its limit of 750",),
        ),
        ({**V2, "diskSizeGB": 64, "diskIOPSReadWrite": 8_000, "diskMBpsReadWrite": 2_000}, ()),
        ({**ULTRA, "diskSizeGB": 4, "diskIOPSReadWrite": 4_000, "diskMBpsReadWrite": 1_000}, ()),
        ({**ULTRA, "diskSizeGB": 4, "diskMBpsReadWrite": 9_000}, ()),
        (
            {**ULTRA, "diskSizeGB": 4, "diskIOPSReadWrite": 4_001},
            ("d: 4,001 IOPS exceed its limit of 4,000",),
        ),
    ],
)
def test_a_disk_of_azure(inputs, faults):
    program = AzureProgram()
    program.add("azure-native:compute:Disk", "d", **inputs)
    (disk,) = observe_azure(program.resources()).disks
    assert faults_of(disk.faults, "disk-limits") == faults

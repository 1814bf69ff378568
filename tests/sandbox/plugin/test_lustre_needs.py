"""Sizes, tiers and options of FSx for Lustre: what AWS takes and what it refuses."""

from typing import Any

import pytest

from gpuinfra.sandbox.plugin.aws.lustre_needs import problems
from gpuinfra.sandbox.plugin.wire import UNKNOWN

SECOND = {"deploymentType": "PERSISTENT_2", "perUnitStorageThroughput": 125}
TIERED = {
    "deploymentType": "PERSISTENT_2",
    "storageType": "INTELLIGENT_TIERING",
    "throughputCapacity": 4000,
    "dataReadCacheConfiguration": {"sizingMode": "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"},
    "metadataConfiguration": {"mode": "USER_PROVISIONED", "iops": 6000},
}
DISKS = {"deploymentType": "PERSISTENT_1", "storageType": "HDD", "driveCacheType": "NONE"}


def reasons(inputs: dict[str, Any]) -> dict[str, str]:
    return {failure.path: failure.reason for failure in problems(inputs)}


@pytest.mark.parametrize(
    "inputs",
    [
        {"storageCapacity": 1200},
        {"deploymentType": "SCRATCH_1", "storageCapacity": 7200},
        {"deploymentType": "SCRATCH_2", "storageCapacity": 2400},
        {**SECOND, "storageCapacity": 1200},
        {**SECOND, "storageCapacity": 38400, "efaEnabled": True, "metadataConfiguration": {}},
        {**SECOND, "storageCapacity": UNKNOWN},
        {
            "deploymentType": "PERSISTENT_1",
            "perUnitStorageThroughput": 200,
            "storageCapacity": 4800,
        },
        {**DISKS, "perUnitStorageThroughput": 12, "storageCapacity": 12000},
        {**DISKS, "perUnitStorageThroughput": 40, "storageCapacity": 1800},
        {**SECOND, "backupId": "backup-1"},
        TIERED,
    ],
)
def test_what_aws_takes(inputs: dict[str, Any]) -> None:
    assert reasons(inputs) == {}


@pytest.mark.parametrize(
    ("inputs", "path", "words"),
    [
        ({**SECOND, "storageCapacity": 2000}, "storageCapacity", "1200, a multiple of 2400"),
        ({"storageCapacity": 4800}, "storageCapacity", "a multiple of 3600"),
        (
            {**DISKS, "perUnitStorageThroughput": 40, "storageCapacity": 6000},
            "storageCapacity",
            "a multiple of 1800",
        ),
        (
            {"deploymentType": "PERSISTENT_2", "storageCapacity": 1200},
            "perUnitStorageThroughput",
            "PERSISTENT_2 needs perUnitStorageThroughput: 125, 250, 500, 1000",
        ),
        (
            {**SECOND, "perUnitStorageThroughput": 200, "storageCapacity": 1200},
            "perUnitStorageThroughput",
            "of 200 for PERSISTENT_2 on SSD: 125, 250, 500, 1000",
        ),
        (
            {"deploymentType": "SCRATCH_2", "perUnitStorageThroughput": 50},
            "perUnitStorageThroughput",
            "for SCRATCH_2 on SSD: none",
        ),
        ({**SECOND}, "storageCapacity", "missing required"),
        ({**SECOND, "storageType": "HDD"}, "storageType", "PERSISTENT_2 takes SSD, not HDD"),
        (
            {**DISKS, "driveCacheType": None, "perUnitStorageThroughput": 12},
            "driveCacheType",
            "NONE or READ",
        ),
        (
            {"deploymentType": "SCRATCH_2", "storageCapacity": 1200, "kmsKeyId": "k"},
            "kmsKeyId",
            "not supported for SCRATCH_2",
        ),
        (
            {**SECOND, "storageCapacity": 1200, "importPath": "s3://b"},
            "importPath",
            "not supported for PERSISTENT_2",
        ),
        (
            {**SECOND, "storageCapacity": 1200, "efaEnabled": True},
            "efaEnabled",
            "needs metadataConfiguration",
        ),
        ({**TIERED, "storageCapacity": 1200}, "storageCapacity", "must not be set"),
        ({**TIERED, "throughputCapacity": 5000}, "throughputCapacity", "a multiple of 4000"),
        (
            {**TIERED, "deploymentType": "PERSISTENT_1"},
            "storageType",
            "INTELLIGENT_TIERING needs PERSISTENT_2",
        ),
        (
            {**SECOND, "storageCapacity": 1200, "metadataConfiguration": {"iops": 1500}},
            "metadataConfiguration.iops",
            "requires mode USER_PROVISIONED",
        ),
        (
            {
                **SECOND,
                "storageCapacity": 1200,
                "metadataConfiguration": {"mode": "USER_PROVISIONED", "iops": 2000},
            },
            "metadataConfiguration.iops",
            "metadata iops of 2000: 1500, 3000, 6000, 12000",
        ),
    ],
)
def test_what_aws_refuses(inputs: dict[str, Any], path: str, words: str) -> None:
    assert words in reasons(inputs)[path]

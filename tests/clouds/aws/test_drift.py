"""The table of machines against DescribeInstanceTypes as moto ships it."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import boto3
import pytest
from moto import mock_aws

from gpuinfra.clouds.aws.machines import MACHINES, machine
from gpuinfra.model import Machine

GONE = {
    *(f"g2.{size}" for size in ("2xlarge", "8xlarge")),
    *(f"g3.{size}" for size in ("4xlarge", "8xlarge", "16xlarge")),
    *(f"g4ad.{size}" for size in ("xlarge", "2xlarge", "4xlarge", "8xlarge", "16xlarge")),
    *(f"p2.{size}" for size in ("xlarge", "8xlarge", "16xlarge")),
    *(f"p3.{size}" for size in ("2xlarge", "8xlarge", "16xlarge")),
    *("g3s.xlarge", "dl1.24xlarge"),
}
"""Retired: absent from the answers of every region since some time before 2026-10."""

NEVER_THERE = {"p6e-gb200.36xlarge", "u-p6e-gb200x36", "u-p6e-gb200x72"}
"""UltraServers and their members, which the interface does not list."""

EXCEPTIONS = {
    ("trn2.3xlarge", "gpu_memory_gib"): "512 GiB per device, which no Trainium2 has",
    ("trn2.48xlarge", "gpu_memory_gib"): "512 GiB per device, which no Trainium2 has",
    ("trn2u.48xlarge", "gpu_memory_gib"): "the answer has no devices",
    ("trn2u.48xlarge", "gpu_count"): "the answer has no devices",
}
"""Cells in which the table does not follow the interface on purpose, and what is wrong there."""

DEVICES = (
    ("GpuInfo", "Gpus"),
    ("NeuronInfo", "NeuronDevices"),
    ("InferenceAcceleratorInfo", "Accelerators"),
)
"""Where an answer tells of GPUs and the like; some machines tell the same twice."""

ALIKE = (
    *("vcpu", "memory_gib", "gpu_count", "gpu_memory_gib", "local_storage_gb"),
    *("network_cards", "fabric_interfaces"),
)

BASELINE = "BaselineBandwidthInGbps"

ROUNDING = Decimal("0.001")
"""The table has three decimals of a GiB."""


@pytest.fixture(scope="module")
def told() -> Iterator[dict[str, dict[str, Any]]]:
    with mock_aws(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        pages = boto3.client("ec2", region_name="us-east-1").get_paginator(
            "describe_instance_types"
        )
        yield {
            row["InstanceType"]: row for page in pages.paginate() for row in page["InstanceTypes"]
        }


def theirs(row: dict[str, Any]) -> dict[str, Any]:
    """The columns that both have, as the interface answers."""
    devices = next(filter(None, (row.get(info, {}).get(key) for info, key in DEVICES)), [])
    network = row["NetworkInfo"]
    return {
        "vcpu": row["VCpuInfo"]["DefaultVCpus"],
        "memory_gib": Decimal(row["MemoryInfo"]["SizeInMiB"]) / 1024,
        "gpu_count": sum((count(device) for device in devices), Decimal(0)),
        "gpu_memory_gib": next(
            (
                Decimal(device["MemoryInfo"]["SizeInMiB"]) / 1024
                for device in devices
                if "MemoryInfo" in device
            ),
            None,
        ),
        "local_storage_gb": Decimal(row.get("InstanceStorageInfo", {}).get("TotalSizeInGB", 0)),
        "network_cards": network["MaximumNetworkCards"],
        "fabric_interfaces": network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
        "interfaces": sum(card["MaximumNetworkInterfaces"] for card in network["NetworkCards"]),
        "architecture": row["ProcessorInfo"]["SupportedArchitectures"],
        "usage_classes": sorted(row["SupportedUsageClasses"]),
    }


def count(device: dict[str, Any]) -> Decimal:
    """How many GPUs a machine has, of which it may have a part of one."""
    whole = device.get("LogicalGpuCount") or device["Count"]
    return Decimal(whole) * Decimal(str(device.get("GpuPartitionSize", 1)))


def ours(row: Machine) -> dict[str, Any]:
    """The same columns, as the table has them."""
    same = {name: getattr(row, name) for name in ALIKE}
    return {
        **same,
        "interfaces": sum(row.interfaces_per_card or ()),
        "architecture": [row.architecture],
        "usage_classes": sorted(row.usage_classes),
    }


def differs(mine: Any, told: Any) -> bool:
    if isinstance(mine, Decimal) and isinstance(told, Decimal):
        return abs(mine - told) > ROUNDING
    return bool(mine != told)


def drift(told: dict[str, dict[str, Any]]) -> dict[tuple[str, str], tuple[Any, Any]]:
    differing = {}
    for row in MACHINES.all_machines():
        if row.type in told:
            mine, answered = ours(row), theirs(told[row.type])
            for name, value in answered.items():
                if differs(mine[name], value):
                    differing[row.type, name] = (mine[name], value)
    return differing


def test_no_cell_differs_but_those_that_are_known_to(told) -> None:
    assert set(drift(told)) == set(EXCEPTIONS)


def test_the_types_that_the_interface_lacks_are_those_that_are_known_to(told) -> None:
    missing = {row.type for row in MACHINES.all_machines()} - set(told)

    assert missing == GONE | NEVER_THERE
    assert {row.type for row in MACHINES.all_machines() if row.status == "retired"} == GONE


def test_no_machine_with_gpus_is_left_out(told) -> None:
    with_gpus = {name for name, row in told.items() if {info for info, _ in DEVICES} & set(row)}

    assert {name for name in with_gpus if machine(name) is None} == set()


def test_a_changed_cell_is_seen(told, monkeypatch) -> None:
    row = told["p5.48xlarge"]
    monkeypatch.setitem(row, "VCpuInfo", {**row["VCpuInfo"], "DefaultVCpus": 96})

    assert drift(told)["p5.48xlarge", "vcpu"] == (192, 96)


def test_what_a_network_carries_without_end_is_the_baseline_of_its_cards(told) -> None:
    """Unknown only where the cards don't sum up to what AWS sells: nobody says which holds."""
    bursts = 0
    for row in MACHINES.all_machines():
        if row.type not in told:
            continue
        network = told[row.type]["NetworkInfo"]
        baseline = sum(
            Decimal(str(network_card[BASELINE])) for network_card in network["NetworkCards"]
        )
        burst = network["NetworkPerformance"].startswith("Up to")
        bursts += burst
        if burst:
            assert row.network_sustained_gbps == baseline < row.network_gbps, row.type
        else:
            known = baseline if baseline == row.network_gbps else None
            assert row.network_sustained_gbps == known, row.type

    assert bursts > 20

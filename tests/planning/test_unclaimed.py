"""Machines that are declared and belong to no planned workload are priced and judged, too."""

from collections.abc import Callable
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from gpuinfra import api
from gpuinfra.clouds.aws.declare import capacity

TEXT = """\
version: 1
name: unclaimed
owner: ml-platform
budget: {{per_hour: {cap}}}
prices: {{accept_outdated: true}}
where: {{cloud: {cloud}, regions: [{region}]}}
training: {{run: {{{words}, duration: 4h}}}}
"""
SMALL = {
    "aws": ("us-east-1", "instance: g6.xlarge"),
    "gcp": ("us-central1", "instance: g2-standard-4"),
    "azure": ("eastus", "instance: Standard_NC4as_T4_v3"),
}
STRAY: dict[str, tuple[str, dict[str, Any]]] = {
    "aws": (
        "aws:ec2/instance:Instance",
        {
            "ami": "ami-1",
            "instanceType": "p5.48xlarge",
            "associatePublicIpAddress": True,
            "region": "us-east-1",
        },
    ),
    "gcp": (
        "gcp:compute/instance:Instance",
        {
            "machineType": "a3-highgpu-8g",
            "zone": "us-central1-a",
            "networkInterfaces": [{"network": "default", "accessConfigs": [{}]}],
            "bootDisk": {"initializeParams": {"image": "debian", "size": 100}},
        },
    ),
    "azure": (
        "azure-native:compute:VirtualMachine",
        {
            "location": "eastus",
            "resourceGroupName": "group",
            "hardwareProfile": {"vmSize": "Standard_ND96isr_H100_v5"},
        },
    ),
}


@pytest.fixture
def checked(tmp_path: Path) -> Callable[..., api.CheckResult]:
    def of(cloud: str, region: str, words: str, cap: int) -> api.CheckResult:
        text = TEXT.format(cloud=cloud, region=region, words=words, cap=cap)
        (tmp_path / "stack.yaml").write_text(text)
        return api.check(tmp_path)

    return of


@pytest.mark.parametrize("cloud", SMALL)
def test_a_machine_that_no_workload_asks_for(checked, cloud, monkeypatch):
    region, words = SMALL[cloud]
    before = checked(cloud, region, words, 10)
    package = import_module(f"gpuinfra.clouds.{cloud}.declare")
    declare = package.declare_training
    token, inputs = STRAY[cloud]

    def strayed(order: Any, group: Any, workload: Any, key: str, given: Any) -> Any:
        graph = declare(order, group, workload, key, given)
        beside = next(iter(graph.resources.values()))
        graph.add(
            type(beside)(key=f"{key}/stray", type=token, name="stray", inputs=inputs, parent=key)
        )
        return graph

    monkeypatch.setattr(package, "declare_training", strayed)
    after = checked(cloud, region, words, 10)

    refusing = {finding.rule for finding in after.findings if finding.refuses}
    assert before.quote.per_hour.ceiling < 10 < after.quote.per_hour.ceiling
    assert "cap-per-hour" in refusing
    assert [group.name for group in after.plan.groups] == ["run", "stray"]
    assert {group.subject for group in after.plan.groups} == {"training.run"}


def test_a_reservation_of_more_machines_than_run(checked, monkeypatch):
    words = "gpu: H100:8, nodes: 2, capacity: [{on-demand: {reserve: true}}]"
    before = checked("aws", "us-east-1", words, 130)
    reserve = capacity._reserve
    monkeypatch.setattr(
        capacity,
        "_reserve",
        lambda children, group, nodes, *more: reserve(children, group, nodes * 20, *more),
    )
    after = checked("aws", "us-east-1", words, 130)

    assert before.quote.per_hour.ceiling < Decimal(130)
    assert after.quote.per_hour.ceiling > Decimal(2000)
    assert not after.ok

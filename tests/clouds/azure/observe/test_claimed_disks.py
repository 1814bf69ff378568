"""Claims on AKS: disks of whole GiB, and shares of files that cost by content or by size."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Plan
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Program

FILES = "file.csi.azure.com"


def judged(storage: str, name: str, provisioner: str = "", parameters: Any = None) -> Plan:
    program = Program()
    program.add("azure-native:containerservice:ManagedCluster", "c", location="eastus", sku={})
    if provisioner:
        program.add(
            "kubernetes:storage.k8s.io/v1:StorageClass",
            "class",
            provisioner=provisioner,
            parameters=parameters,
            metadata={"name": name},
        )
    program.add(
        "kubernetes:core/v1:PersistentVolumeClaim",
        "it",
        spec={"storageClassName": name, "resources": {"requests": {"storage": storage}}},
    )
    return of_resources(program.resources())


def reasons(plan: Plan) -> list[str]:
    return [row.reason for row in plan.not_judged if row.type.endswith(":PersistentVolumeClaim")]


def test_a_disk_has_whole_gibibytes() -> None:
    plan = judged("100.5Gi", "fast", "disk.csi.azure.com", {"skuName": "PremiumV2_LRS"})

    assert [item.quantity for item in plan.items if item.name == "it"] == [101]


@pytest.mark.parametrize("parameters", [{}, {"protocol": "smb"}, {"skuName": "Standard_ZRS"}])
def test_a_standard_share_costs_by_its_content(parameters: Any) -> None:
    assert reasons(judged("10Ti", "share", FILES, parameters)) == []


@pytest.mark.parametrize(
    "parameters",
    [{"protocol": "nfs"}, {"fsType": "nfs"}, {"protocol": UNKNOWN}, {"skuName": "Premium_LRS"}],
)
def test_a_premium_share_costs_by_its_size(parameters: Any) -> None:
    (reason,) = reasons(judged("10Ti", "share", FILES, parameters))

    assert FILES in reason


@pytest.mark.parametrize("name", ["azurefile-premium", "azurefile-csi-premium"])
def test_the_premium_classes_of_a_cluster_are_known(name: str) -> None:
    (reason,) = reasons(judged("10Gi", name))

    assert FILES in reason


@pytest.mark.parametrize("name", ["azureblob-fuse-premium", "azureblob-nfs-premium"])
def test_a_container_of_blobs_costs_by_its_content(name: str) -> None:
    assert reasons(judged("10Ti", name)) == []


@pytest.mark.parametrize("endpoint", ["privateEndpoint", UNKNOWN])
def test_the_private_endpoint_of_blobs_has_no_price(endpoint: Any) -> None:
    parameters = {"networkEndpointType": endpoint}
    (reason,) = reasons(judged("10Gi", "private", "blob.csi.azure.com", parameters))

    assert "blob.csi.azure.com" in reason


@pytest.mark.parametrize(
    ("pools", "apart", "cluster", "item"),
    [
        ([{}], {}, {}, "disk-standard-ssd-e30"),
        ([{"availabilityZones": ["1"]}], {}, {}, "disk-standard-ssd-e30"),
        ([{"availabilityZones": ["1"]}, {}], {}, {}, "disk-standard-ssd-e30"),
        ([{"availabilityZones": ["1", "2"]}], {}, {}, "disk-standard-ssd-zrs-e30"),
        ([{"availabilityZones": ["1"]}], {"availabilityZones": ["2"]}, {}, "zrs"),
        ([{"availabilityZones": UNKNOWN}], {}, {}, "zrs"),
        ([{"availabilityZones": [UNKNOWN]}], {}, {}, "zrs"),
        (UNKNOWN, {}, {}, "zrs"),
        ([{}], {}, {"sku": {"name": "Base", "tier": "Standard"}}, "disk-standard-ssd-e30"),
        ([{}], {}, {"sku": {"name": "Automatic"}}, "zrs"),
        ([{}], {}, {"nodeProvisioningProfile": {"mode": "Auto"}}, "zrs"),
    ],
)
def test_a_built_in_class_copies_disks_in_clusters_of_several_zones(pools, apart, cluster, item):
    program = AzureProgram()
    inputs = {"agentPoolProfiles": pools, **cluster}
    made = program.add("azure-native:containerservice:ManagedCluster", "c", **inputs)
    program.add(
        "azure-native:containerservice:AgentPool", "pool", resourceName=made.out("name"), **apart
    )
    program.add(
        "kubernetes:core/v1:PersistentVolumeClaim",
        "it",
        spec={"storageClassName": "managed-csi", "resources": {"requests": {"storage": "1Ti"}}},
    )
    (row,) = (
        row for row in of_resources(program.resources()).items if row.item.startswith("disk-stand")
    )
    assert item in row.item

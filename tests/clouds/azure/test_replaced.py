from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.replacement_facts import ReplacementTable


def test_a_scale_set_moves_only_as_a_new_one() -> None:
    replacing = ReplacementTable(TABLES).replacing("azure-native:compute:VirtualMachineScaleSet")

    assert {"location", "vmScaleSetName", "resourceGroupName", "singlePlacementGroup"} <= (
        replacing.paths
    )
    assert "sku" in replacing.inputs
    assert "sku" not in replacing.paths


def test_an_update_that_azure_refuses_is_no_replacement() -> None:
    assert (
        "location"
        not in ReplacementTable(TABLES).replacing("azure-native:network:NatGateway").paths
    )
    assert "immutableStorageWithVersioning" not in (
        ReplacementTable(TABLES).replacing("azure-native:storage:BlobContainer").paths
    )


def test_paths_are_of_inputs() -> None:
    for kind in ("compute:VirtualMachineScaleSet", "containerservice:ManagedCluster"):
        replacing = ReplacementTable(TABLES).replacing(f"azure-native:{kind}")

        assert {path.partition(".")[0].rstrip("#") for path in replacing.paths} <= replacing.inputs


def test_nothing_is_known_of_a_stranger() -> None:
    assert ReplacementTable(TABLES).replacing("azure-native:web:WebApp") is None

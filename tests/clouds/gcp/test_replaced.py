import pytest

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.replacement_facts import ReplacementTable


@pytest.mark.parametrize(
    ("type_", "path"),
    [
        ("gcp:compute/instanceTemplate:InstanceTemplate", "machineType"),
        ("gcp:compute/network:Network", "networkProfile"),
        ("gcp:compute/subnetwork:Subnetwork", "region"),
        ("gcp:storage/bucket:Bucket", "location"),
    ],
)
def test_what_replaces_is_told(type_: str, path: str) -> None:
    known = ReplacementTable(TABLES).replacing(type_)

    assert path in known.inputs
    assert path in known.paths


def test_a_size_may_change_in_place() -> None:
    known = ReplacementTable(TABLES).replacing(
        "gcp:compute/instanceGroupManager:InstanceGroupManager"
    )

    assert "targetSize" in known.inputs
    assert "targetSize" not in known.paths
    assert ReplacementTable(TABLES).replacing("gcp:compute/nothing:Nothing") is None


def test_every_path_begins_with_an_input_of_its_type() -> None:
    for type_ in TABLES.table("replaced")["types"]:
        known = ReplacementTable(TABLES).replacing(type_)
        heads = {path.partition(".")[0].rstrip("[]#") for path in known.paths}

        assert heads <= known.inputs, type_

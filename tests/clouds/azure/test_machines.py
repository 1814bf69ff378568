import re

import pytest

from gpuinfra.clouds.azure.machines import MACHINES, capabilities, machine
from gpuinfra.clouds.azure.tables import TABLES


def test_the_sizes_of_the_issue_are_there() -> None:
    assert machine("Standard_NC8as_T4_v3").gpu == "T4"
    assert machine("Standard_NC96ads_A100_v4").gpu_count == 4
    assert machine("Standard_ND96amsr_A100_v4").gpu_memory_nominal_gb == 80
    joined = machine("Standard_ND96isr_H100_v5")
    assert (joined.fabric, joined.fabric_interfaces, joined.nvlink) == ("infiniband", 8, True)


def test_a_fraction_of_a_gpu_has_the_memory_that_the_machine_sees() -> None:
    assert machine("Standard_NV6ads_A10_v5").gpu_memory_gib == 4


def test_what_is_retired_or_only_a_name_is_offered_nowhere() -> None:
    assert machine("Standard_NC6s_v3").status == "retired"
    assert machine("Standard_NV12s_v3").status == "retired"
    assert machine("Standard_ND96asr_A100_v4").regions == ()
    assert not [
        row.type for row in MACHINES.all_machines() if row.status == "retired" and row.regions
    ]


def test_every_size_looks_like_one() -> None:
    assert all(MACHINES.form.fullmatch(row.type) for row in MACHINES.all_machines())
    assert not MACHINES.form.fullmatch("H100")
    assert not MACHINES.form.fullmatch("p5.48xlarge")


@pytest.mark.parametrize(
    ("size", "trusted", "encrypted"),
    [
        ("Standard_NC8as_T4_v3", True, True),
        ("Standard_NC24ads_A100_v4", True, True),
        ("Standard_ND96asr_v4", False, None),
        ("Standard_ND96isr_H100_v5", True, None),
        ("Standard_ND128isr_GB300_v6", None, None),
        ("Standard_D2s_v5", None, None),
    ],
)
def test_a_size_takes_what_its_source_says_and_else_nobody_knows(
    size: str, trusted: bool | None, encrypted: bool | None
) -> None:
    able = capabilities(size)

    assert (able.trusted_launch, able.encryption_at_host) == (trusted, encrypted)


def test_a_size_has_one_row_a_source_and_a_day() -> None:
    rows = list(TABLES.rows("capabilities"))
    sizes = [size for row in rows for size in row["sizes"]]

    assert len(sizes) == len(set(sizes))
    assert set(sizes) <= {row.type for row in MACHINES.all_machines()}
    assert all(capabilities(size).source.endswith(")") for size in sizes)


def test_only_sizes_designated_with_r_have_infiniband() -> None:
    """https://learn.microsoft.com/azure/virtual-machines/setup-infiniband, 2026-09-25."""
    for row in MACHINES.all_machines():
        features = re.fullmatch(r"Standard_[A-Z]+(?:\d+)([a-z]*)(?:_|G5_).*", row.type)

        assert features is not None, row.type
        assert (row.fabric == "infiniband") is ("r" in features[1]), row.type
        assert (row.fabric_interfaces == 0) is ("r" not in features[1]), row.type


def test_the_regions_of_a_size_are_those_of_its_price() -> None:
    assert {row.regions_are for row in MACHINES.all_machines()} == {"priced"}

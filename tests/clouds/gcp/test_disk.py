import pytest

from gpuinfra.clouds.billing import GIB
from gpuinfra.clouds.gcp.disk import (
    boot_disk,
    disk_faults,
    disk_type_fault,
    limits_of,
    local_ssd_fault,
    takes,
)
from gpuinfra.clouds.gcp.machines import MACHINES, machine
from gpuinfra.clouds.gcp.tables import TABLES


@pytest.mark.parametrize(
    ("type_", "disk"),
    [
        ("g2-standard-4", "pd-balanced"),
        ("n1-standard-8+2xT4", "pd-balanced"),
        ("a2-highgpu-8g", "pd-balanced"),
        ("a2-ultragpu-8g", "pd-ssd"),
        ("a3-highgpu-8g", "pd-ssd"),
        ("a3-megagpu-8g", "pd-ssd"),
        ("a3-ultragpu-8g", "hyperdisk-balanced"),
        ("a4-highgpu-8g", "hyperdisk-balanced"),
        ("g4-standard-48", "hyperdisk-balanced"),
    ],
)
def test_the_boot_disk_of_each_series(type_: str, disk: str) -> None:
    assert boot_disk(machine(type_)).type == disk


def test_every_machine_has_a_boot_disk_that_is_priced_somewhere() -> None:
    assert {boot_disk(machine).type for machine in MACHINES.all_machines()} == {
        "pd-balanced",
        "pd-ssd",
        "hyperdisk-balanced",
    }
    assert boot_disk() == boot_disk(machine("g2-standard-4"))


@pytest.mark.parametrize(
    ("type_", "size", "iops", "throughput", "keys"),
    [
        ("g2-standard-4", 100 * GIB, None, None, []),
        ("g2-standard-4", 9 * GIB, None, None, ["size"]),
        ("g2-standard-4", 65_537 * GIB, None, None, ["size"]),
        ("g2-standard-4", 100 * GIB, 4000, 200, ["iops", "throughput"]),
        ("a3-ultragpu-8g", 320 * GIB, 160_000, 2400, []),
        ("a3-ultragpu-8g", 100 * GIB, 50_000, 2400, []),
        ("a3-ultragpu-8g", 100 * GIB, 50_001, 2400, ["iops"]),
        ("a3-ultragpu-8g", 100 * GIB, 4_000, 1_001, ["throughput"]),
        ("a3-ultragpu-8g", 500 * GIB, 160_001, 2401, ["iops", "throughput"]),
        ("a3-ultragpu-8g", 100 * GIB, 2999, 139, ["iops", "throughput"]),
    ],
)
def test_what_a_boot_disk_refuses_is_named(
    type_: str, size: int, iops: int | None, throughput: int | None, keys: list[str]
) -> None:
    faults = list(disk_faults(size, iops, throughput, machine(type_)))

    assert [fault.key for fault in faults] == [("disk", key) for key in keys]
    assert all(boot_disk(machine(type_)).type in fault.message for fault in faults)


@pytest.mark.parametrize(
    ("machine_type", "kind", "refused"),
    [
        ("g2-standard-4", "hyperdisk-balanced", True),
        ("g2-standard-4", "hyperdisk-ml", False),
        ("g2-standard-4", "pd-balanced", False),
        ("g2-standard-4", "pd-standard", False),
        ("n1-standard-8+1xT4", "hyperdisk-balanced", True),
        ("n1-standard-8+1xT4", "pd-ssd", False),
        ("n1-standard-8", "hyperdisk-balanced", False),
        ("n1-standard-8", "hyperdisk-ml", True),
        ("a2-highgpu-1g", "hyperdisk-balanced", True),
        ("a2-ultragpu-1g", "pd-ssd", False),
        ("a3-highgpu-8g", "pd-standard", True),
        ("a3-highgpu-8g", "hyperdisk-throughput", False),
        ("a3-ultragpu-8g", "hyperdisk-throughput", True),
        ("a3-ultragpu-8g", "pd-balanced", True),
        ("a3-highgpu-8g", "hyperdisk-extreme", False),
        ("a3-highgpu-1g", "hyperdisk-extreme", True),
        ("g4-standard-48", "hyperdisk-extreme", True),
        ("g4-standard-96", "hyperdisk-extreme", False),
        ("n2-custom-64-65536", "hyperdisk-extreme", True),
        ("a4-highgpu-8g", "pd-ssd", True),
        ("a4x-highgpu-4g", "hyperdisk-throughput", True),
        ("a4x-maxgpu-4g-metal", "hyperdisk-throughput", False),
        ("c4-standard-8", "pd-balanced", True),
        ("c3-standard-8", "pd-standard", True),
        ("z9-standard-8", "pd-standard", False),
        ("a4-highgpu-8g", "of-tomorrow", False),
    ],
)
def test_the_disk_types_of_a_machine(machine_type, kind, refused):
    assert bool(list(disk_type_fault(machine_type, kind))) is refused


@pytest.mark.parametrize(
    ("machine_type", "fine", "refused"),
    [
        ("n1-standard-8+1xT4", (0, 1, 5, 24), (9, 25)),
        ("n2-standard-8", (0, 1, 24), (3,)),
        ("n2-standard-48", (8,), (1, 4)),
        ("n2d-standard-96", (8,), (4,)),
        ("n2-custom-32-65536", (4,), (1,)),
        ("c2-standard-60", (8,), (4,)),
        ("a2-highgpu-1g", (0, 1, 8), (3, 16)),
        ("a2-ultragpu-4g", (0, 4), (1, 8)),
        ("a3-highgpu-8g", (0, 16), (1, 8)),
        ("a3-ultragpu-8g", (0, 32), (16,)),
        ("g2-standard-24", (0, 2), (1, 4)),
        ("g2-standard-32", (1,), (2,)),
        ("e2-standard-4", (0,), (1,)),
        ("t2d-standard-4", (0,), (1,)),
        ("c3-standard-8", (0,), (1,)),
        ("c3-standard-8-lssd", (0, 2, 3), ()),
        ("g4-standard-48", (0, 4), ()),
        ("z9-standard-8", (0, 9), ()),
    ],
)
def test_the_numbers_of_local_ssds_of_a_machine(machine_type, fine, refused):
    assert [count for count in (*fine, *refused) if any(local_ssd_fault(machine_type, count))] == [
        *refused
    ]


def test_a_machine_without_local_ssds_is_told_to_remove_them_and_others_what_to_attach():
    assert list(local_ssd_fault("e2-standard-4", 1)) == [
        "e2-standard-4 does not support local SSDs, but 1 declared: remove them"
    ]
    assert list(local_ssd_fault("g2-standard-24", 1)) == [
        "g2-standard-24 does not support 1 local SSDs: attach 2, or none"
    ]


def test_every_gpu_machine_takes_its_boot_disk_and_every_type_of_the_table_has_limits():
    for each in MACHINES.all_machines():
        assert takes(each.type, boot_disk(each).type) is True, each.type
    for row in TABLES.rows("machine_disks"):
        assert all(limits_of(kind) for kind in (*row["supported"], *row["unverified"])), row

import pytest

from gpuinfra.clouds.billing import GIB
from gpuinfra.clouds.gcp.disk import boot_disk, disk_faults
from gpuinfra.clouds.gcp.machines import MACHINES, machine


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
        ("a3-ultragpu-8g", 100 * GIB, 160_000, 2400, []),
        ("a3-ultragpu-8g", 100 * GIB, 160_001, 2401, ["iops", "throughput"]),
        ("a3-ultragpu-8g", 100 * GIB, 2999, 139, ["iops", "throughput"]),
    ],
)
def test_what_a_boot_disk_refuses_is_named(
    type_: str, size: int, iops: int | None, throughput: int | None, keys: list[str]
) -> None:
    faults = list(disk_faults(size, iops, throughput, machine(type_)))

    assert [fault.key for fault in faults] == [("disk", key) for key in keys]
    assert all(boot_disk(machine(type_)).type in fault.message for fault in faults)

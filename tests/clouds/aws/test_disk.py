from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.disk import disk_faults
from gpuinfra.clouds.aws.machines import machine
from gpuinfra.clouds.billing import GIB, gib
from gpuinfra.model import Machine


@pytest.mark.parametrize(
    ("size", "expected"), [(1, 1), (GIB, 1), (GIB + 1, 2), (200 * 10**9, 187), (10**12, 932)]
)
def test_a_disk_holds_what_was_asked_in_whole_gib(size: int, expected: int) -> None:
    assert gib(size) == expected


@pytest.mark.parametrize(
    ("size", "iops", "throughput", "keys"),
    [
        (200 * 10**9, None, None, []),
        (200 * 10**9, 80_000, 2000, []),
        (65_537 * GIB, None, None, ["size"]),
        (200 * 10**9, 2999, None, ["iops"]),
        (200 * 10**9, 80_001, None, ["iops"]),
        (10 * GIB, 5001, None, ["iops"]),
        (200 * 10**9, None, 124, ["throughput"]),
        (200 * 10**9, 4000, 1001, ["throughput"]),
        (200 * 10**9, 80_000, 2001, ["throughput"]),
    ],
)
def test_what_gp3_refuses_is_named(
    size: int, iops: int | None, throughput: int | None, keys: list[str]
) -> None:
    assert [fault.key for fault in disk_faults(size, iops, throughput)] == [
        ("disk", key) for key in keys
    ]


@given(st.integers(1, 10**15), st.integers(1, 10**5), st.integers(1, 10**4))
def test_what_is_allowed_is_never_upside_down(size: int, iops: int, throughput: int) -> None:
    for fault in disk_faults(size, iops, throughput):
        if fault.key != ("disk", "size"):
            low, high = fault.allowed.replace(",", "").split(" (")[0].split(" to ")

            assert int(low) <= int(high)


@pytest.mark.parametrize(
    ("kind", "iops", "throughput", "keys"),
    [
        ("g6.xlarge", 20_000, 596, []),
        ("g6.xlarge", 20_001, None, ["iops"]),
        ("g6.xlarge", 20_000, 597, ["throughput"]),
        ("p5.48xlarge", 80_000, 2000, []),
        ("nobody.knows", 80_000, 2000, []),
    ],
)
def test_a_machine_carries_so_much_to_its_disks(
    kind: str, iops: int, throughput: int | None, keys: list[str]
) -> None:
    faults = [*disk_faults(200 * 10**9, iops, throughput, replace(known("g6.xlarge"), type=kind))]

    assert [fault.key for fault in faults] == [("disk", key) for key in keys]
    assert all(kind in fault.message and fault.allowed for fault in faults)


def known(type_: str) -> Machine:
    row = machine(type_)
    assert row is not None
    return row

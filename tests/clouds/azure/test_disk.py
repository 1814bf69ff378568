import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.azure.disk import disk_faults, tier_of
from gpuinfra.clouds.billing import GIB


@pytest.mark.parametrize(
    ("volume", "tier"),
    [(1, "P1"), (32, "P4"), (33, "P6"), (187, "P15"), (256, "P15"), (932, "P30"), (32_767, "P80")],
)
def test_a_disk_is_of_the_smallest_tier_that_holds_it(volume: int, tier: str) -> None:
    assert tier_of(volume).tier == tier


def test_no_tier_holds_more_than_the_largest() -> None:
    assert tier_of(32_768) is None


@pytest.mark.parametrize(
    ("size", "iops", "throughput", "keys"),
    [
        (200 * 10**9, None, None, []),
        (200 * 10**9, 1100, 125, []),
        (64 * GIB, None, None, []),
        (63 * GIB, None, None, ["size"]),
        (4095 * GIB, None, None, []),
        (4096 * GIB, None, None, ["size"]),
        (200 * 10**9, 3000, None, ["iops"]),
        (200 * 10**9, None, 200, ["throughput"]),
        (10**15, 3000, 200, ["size", "iops", "throughput"]),
    ],
)
def test_what_azure_refuses_is_named(
    size: int, iops: int | None, throughput: int | None, keys: list[str]
) -> None:
    assert [fault.key for fault in disk_faults(size, iops, throughput)] == [
        ("disk", key) for key in keys
    ]


def test_a_wish_for_other_operations_is_told_what_a_tier_has_and_which_has_more() -> None:
    (fault,) = disk_faults(200 * 10**9, 3000, None)

    assert fault.message == (
        "the size of a premium disk sets its IOPS: one of 187 GiB (P15) has 1,100"
    )
    assert fault.allowed == "1,100, or remove iops; a disk of 1024GiB (P30) has 5,000 IOPS"


@pytest.mark.parametrize("iops", [500, 100_000])
def test_fewer_than_the_tier_has_or_more_than_any_has_names_no_other_size(iops: int) -> None:
    (fault,) = disk_faults(200 * 10**9, iops, None)

    assert fault.allowed == "1,100, or remove iops"


@given(st.integers(64, 4095), st.integers(1, 20_000))
def test_the_size_that_a_fault_offers_is_itself_allowed(volume: int, iops: int) -> None:
    for fault in disk_faults(volume * GIB, iops, None):
        _, _, other = fault.allowed.partition("a disk of ")
        if other:
            offered = int(other.split("GiB")[0])

            assert list(disk_faults(offered * GIB, tier_of(offered).iops, None)) == []
            assert tier_of(offered).iops >= iops

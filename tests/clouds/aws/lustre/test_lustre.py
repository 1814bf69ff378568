"""FSx for Lustre: its tiers and steps, what is refused of them, and what they are paid by."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.lustre.file_system_faults import faults, smallest_over_efa
from gpuinfra.clouds.aws.lustre.shared_storage_faults import shared_notes
from gpuinfra.clouds.aws.lustre.tiers import (
    GIB_PER_LUSTRE_TIB,
    FileSystemRequest,
    LustreTier,
    capacity,
    tiers,
)
from gpuinfra.clouds.aws.tables import PRICES
from gpuinfra.clouds.billing import GIB
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import UNKNOWN
from gpuinfra.planning import from_stack
from gpuinfra.stackfile import loads

STACK = """\
version: 1
name: files
owner: me
prices: {{accept_outdated: true}}
where: {{cloud: aws, regions: [us-east-1, us-west-2]}}
training:
  trainer:
    instance: {machine}
    nodes: 2
    capacity: [{{on-demand: {{region: us-east-1}}}}{more}]
    shared_storage: {{{words}}}
buckets: {{data: {{}}}}
"""

SIZED = st.sampled_from([tier for tier in tiers() if tier.step is not None])


def refused(words: str, machine: str = "p4d.24xlarge", more: str = "") -> list[Problem]:
    text = STACK.format(words=words, machine=machine, more=more)
    try:
        from_stack(loads(text).stack)
    except InputError as error:
        return list(error.problems)
    return []


def only(words: str, machine: str = "p4d.24xlarge", more: str = "") -> Problem:
    (problem,) = refused(words, machine, more)
    return problem


def of(tier: LustreTier, size: int) -> FileSystemRequest:
    return FileSystemRequest(
        deployment=tier.deployment,
        storage=tier.storage,
        size=size,
        throughput=tier.throughput,
        efa=tier.efa,
    )


@given(SIZED, st.integers(1, 1_000_000))
def test_a_size_is_taken_or_its_neighbours_are(tier: LustreTier, size: int) -> None:
    of_size = [fault for fault in faults(of(tier, size), "us-east-1") if fault.key[-1] == "size"]

    assert bool(of_size) is not tier.offers_size(size)
    if of_size:
        beside = tier.nearest_sizes(size)
        assert beside
        assert all(tier.offers_size(neighbour) for neighbour in beside)
        assert beside[-1] > size
        assert all(str(neighbour) in of_size[0].allowed for neighbour in beside)
        between = range(beside[0] + 1 if len(beside) > 1 else 1, beside[-1])
        assert not any(
            tier.offers_size(candidate) for candidate in between[:: max(1, len(between) // 50)]
        )


@given(SIZED, st.integers(1, 40))
def test_a_size_is_read_as_it_is_and_as_aws_sells_it(tier: LustreTier, steps: int) -> None:
    size = (tier.step or 0) * steps
    sold = size * 1024 * GIB // GIB_PER_LUSTRE_TIB

    assert capacity(size * GIB, [tier], efa=tier.efa) == size
    read = capacity(sold, [tier], efa=tier.efa)
    assert tier.offers_size(read)
    assert read == size or read * GIB == sold


@given(SIZED)
def test_speed_grows_with_the_size(tier: LustreTier) -> None:
    size = tier.step or 0

    assert of(tier, 2 * size).total_throughput == 2 * (of(tier, size).total_throughput or 0)  # type: ignore[operator]
    assert of(tier, 1000).total_throughput == (tier.throughput or tier.carries)


@pytest.mark.parametrize(
    ("words", "size"),
    [
        ("deployment: scratch-1, size: 2400GiB", 2400),
        ("deployment: scratch-1, size: 7200GiB", 7200),
        ("deployment: scratch-2, size: 1.2TiB", 1200),
        ("deployment: persistent-1, size: 2.4TiB, throughput: 50", 2400),
        ("deployment: persistent-1, storage: hdd, size: 1800GiB, throughput: 40", 1800),
        ("size: 75TiB, throughput: 125", 76_800),
        ("storage: intelligent-tiering, throughput: 4000, metadata_iops: 12000", None),
        ("size: 38400GiB, throughput: 125, efa: true", 38_400),
    ],
)
def test_every_kind_that_there_is_is_planned(words: str, size: int | None) -> None:
    text = STACK.format(words=words, machine="p4d.24xlarge", more="")
    (files,) = from_stack(loads(text).stack).file_systems

    assert files.size_gib == size
    assert (files.group, files.region, files.faults) == ("trainer", "us-east-1", ())
    assert files.throughput_mbs


@pytest.mark.parametrize(
    ("words", "key", "message"),
    [
        ("deployment: scratch-1, size: 4800GiB", "size", "3600GiB or 7200GiB"),
        ("deployment: scratch-2, size: 1TiB", "size", "1200GiB"),
        ("size: 5TB, throughput: 250", "size", "2400GiB or 4800GiB"),
        ("throughput: 250", "size", "multiples of 2400GiB"),
        ("size: 1.2TiB", "throughput", "125, 250, 500, 1000"),
        ("size: 1.2TiB, throughput: 200", "throughput", "125, 250, 500, 1000"),
        ("deployment: persistent-1, size: 1.2TiB, throughput: 250", "throughput", "50, 100, 200"),
        ("deployment: scratch-2, size: 1.2TiB, throughput: 200", "throughput", ""),
        ("storage: hdd, size: 6000GiB, throughput: 12", "storage", "ssd, intelligent-tiering"),
        ("deployment: scratch-2, storage: hdd, size: 1.2TiB", "storage", "ssd"),
        ("storage: intelligent-tiering, throughput: 5000", "throughput", "4000 "),
        ("storage: intelligent-tiering, throughput: 4000, size: 1TiB", "size", ""),
        ("size: 1.2TiB, throughput: 125, metadata_iops: 2000", "metadata_iops", "1500, 3000"),
        ("deployment: scratch-2, size: 1.2TiB, metadata_iops: 1500", "metadata_iops", ""),
        ("deployment: persistent-1, size: 1.2TiB, throughput: 50, efa: true", "efa", ""),
        ("deployment: scratch-1, size: 1.2TiB, bucket: data", "bucket", "scratch-2"),
        ("storage: intelligent-tiering, throughput: 4000, bucket: data", "bucket", "ssd"),
        ("size: 1.2TiB, throughput: 125, export: true", "export", ""),
        ("size: 1.2TiB, throughput: 125, prefix: a/", "prefix", ""),
    ],
)
def test_what_is_refused_is_said_at_its_key(words: str, key: str, message: str) -> None:
    problem = only(words)

    assert problem.path == ("training", "trainer", "shared_storage", key)
    assert message in (problem.allowed or "")
    assert problem.allowed or problem.fix


def test_the_price_of_the_smallest_over_efa_is_told() -> None:
    problem = only("size: 1.2TiB, throughput: 125, efa: true")

    assert "38400GiB" in (problem.allowed or "")
    assert "38400GiB at throughput 125: $5,568.00 a month" in (problem.fix or "")
    assert "9600GiB at throughput 500: $3,264.00 a month" in (problem.fix or "")
    assert "9600GiB at throughput 500: its price in ca-west-1 is unknown" in (
        smallest_over_efa("ca-west-1")
    )
    assert smallest_over_efa("us-east-1").startswith("4800GiB at throughput 1000: $2,880.00")


def test_machines_without_efa_do_not_pay_for_it() -> None:
    problem = only("size: 4800GiB, throughput: 1000, efa: true", "g6.12xlarge\n    fabric: none")

    assert problem.path[-1] == "efa"
    assert "$2,880.00" in problem.message


def test_a_bucket_in_another_region_than_a_rung_is_refused() -> None:
    problem = only(
        "size: 1.2TiB, throughput: 125, bucket: data", more=", {spot: {region: us-west-2}}"
    )

    assert problem.path[-1] == "bucket"
    assert "us-west-2" in problem.message


def test_a_bucket_that_is_not_declared_is_refused() -> None:
    with pytest.raises(InputError, match="nowhere"):
        loads(
            STACK.format(
                words="size: 1.2TiB, throughput: 125, bucket: nowhere",
                machine="p4d.24xlarge",
                more="",
            )
        )


def test_each_tier_is_paid_by_an_item_of_its_own() -> None:
    known = set(PRICES.service_items())
    paid = {tier.item for tier in tiers() if tier.item in known}

    assert "fsx-lustre-persistent-ssd-1000" in paid
    assert {item: count for item, _, count in of(tiers()[0], 1200).price_items()} == {
        "fsx-lustre-scratch-ssd": Decimal(1200)
    }
    tiered = FileSystemRequest(
        deployment="PERSISTENT_2",
        storage="INTELLIGENT_TIERING",
        throughput=8000,
        metadata=6000,
        cache="PROPORTIONAL_TO_THROUGHPUT_CAPACITY",
    )
    assert [(item, count) for item, _, count in tiered.price_items()] == [
        ("fsx-lustre-intelligent-tiering-storage", None),
        ("fsx-lustre-intelligent-tiering-throughput", Decimal(8000)),
        ("fsx-lustre-intelligent-tiering-cache", Decimal(40_000)),
        ("fsx-lustre-metadata-iops", Decimal(6000)),
    ]


def test_what_is_not_known_yet_is_neither_a_fault_nor_free() -> None:
    later = FileSystemRequest(
        deployment="PERSISTENT_2", size=UNKNOWN, throughput=250, metadata=UNKNOWN
    )

    assert [*faults(later, "us-east-1")] == []
    assert later.total_throughput is UNKNOWN
    assert {count for _, _, count in later.price_items()} == {UNKNOWN}


@pytest.mark.parametrize(
    ("words", "lost"),
    [
        ("size: 2.4TiB, throughput: 250, bucket: data, export: true", "was not exported"),
        ("size: 2.4TiB, throughput: 250, bucket: data", "is lost with it, because export is off"),
        ("size: 2.4TiB, throughput: 250", "a final backup is kept and billed until"),
        ("deployment: scratch-2, size: 2.4TiB", "data in /shared is lost with it"),
    ],
)
def test_a_note_says_what_goes_with_a_file_system(words: str, lost: str) -> None:
    text = STACK.format(machine="p4d.24xlarge", words=words, more="")
    (note,) = shared_notes(loads(text).stack.training["trainer"])

    assert lost in note
    assert "is replaced" in note

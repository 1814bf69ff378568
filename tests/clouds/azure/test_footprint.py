from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.azure.footprint import (
    bucket_facts,
    bucket_items,
    fabric_facts,
    pool_items,
    training_items,
    uses_fabric,
)
from gpuinfra.clouds.azure.machines import machine
from gpuinfra.model import UNKNOWN


def amounts(items) -> dict[str, Decimal | None]:
    return {item.item: item.quantity for item in items}


def test_a_training_workload_has_disks_and_one_way_out() -> None:
    assert amounts(training_items("a", "training.a", size=200 * 10**9)) == {
        "disk-premium-p15": Decimal(1),
        "nat-gateway-hour": Decimal(1),
        "nat-gateway-data": None,
        "public-ip-standard-static-hour": Decimal(1),
    }


def test_a_pool_has_a_load_balancer_besides() -> None:
    training = amounts(training_items("a", "training.a", size=200 * 10**9))
    pool = amounts(pool_items("a", "inference.a", size=200 * 10**9))

    assert pool.keys() - training.keys() == {
        "lb-standard-first-5-rules-hour",
        "lb-standard-data",
    }


@pytest.mark.parametrize(
    ("size_gb", "expected"),
    [
        (None, {"first-50tb": None}),
        (UNKNOWN, {"first-50tb": None}),
        (Decimal("1.073741824"), {"first-50tb": Decimal(1)}),
        (Decimal(51_200) * 2**30 / 10**9, {"first-50tb": Decimal(51_200)}),
        (
            Decimal(600_000) * 2**30 / 10**9,
            {
                "first-50tb": Decimal(51_200),
                "next-450tb": Decimal(460_800),
                "over-500tb": Decimal(88_000),
            },
        ),
    ],
)
def test_a_bucket_is_billed_by_tier_in_binary_gigabytes(size_gb, expected) -> None:
    found = amounts(bucket_items("d", "buckets.d", region="eastus", size_gb=size_gb))
    storage = {
        item.removeprefix("blob-hot-lrs-"): quantity
        for item, quantity in found.items()
        if "lrs" in item
    }

    assert storage == expected
    assert found["blob-hot-write"] is found["blob-hot-read"] is None


@given(st.integers(1, 10**18))
def test_the_tiers_add_up_to_the_content(size: int) -> None:
    items = bucket_items("d", "buckets.d", region=None, size_gb=Decimal(size) / 10**9)
    total = sum(item.quantity for item in items if item.quantity is not None)

    assert abs(total - Decimal(size) / 2**30) < Decimal("1e-9")


@pytest.mark.parametrize(
    ("size", "nodes", "wish", "expected"),
    [
        ("Standard_ND96isr_H100_v5", 4, "required", True),
        ("Standard_ND96isr_H100_v5", 1, "required", True),
        ("Standard_ND96isr_H100_v5", 4, "preferred", True),
        ("Standard_ND96isr_H100_v5", 1, "preferred", False),
        ("Standard_ND96isr_H100_v5", 100, "preferred", True),
        ("Standard_ND96isr_H100_v5", 101, "preferred", False),
        ("Standard_ND96isr_H100_v5", 101, "required", True),
        ("Standard_ND96isr_H100_v5", 4, "none", False),
        ("Standard_NC96ads_A100_v4", 4, "preferred", False),
        ("Standard_NC24rs_v3", 4, "preferred", False),
    ],
)
def test_machines_share_a_placement_group_where_wished_possible_and_useful(
    size: str, nodes: int, wish, expected: bool
) -> None:
    known = machine(size)
    facts = fabric_facts(known, nodes, wish)

    assert uses_fabric(known, nodes, wish) is expected
    assert (facts is not None) is expected


def test_infiniband_comes_with_the_group_and_nothing_filters_it() -> None:
    facts = fabric_facts(machine("Standard_ND96isr_H100_v5"), 4, "required")

    assert (facts.interfaces, facts.placement) == (8, "single-placement-group")
    assert (facts.self_ingress, facts.self_egress) == (None, None)
    assert facts.one_zone is True
    assert (facts.faults, facts.set_faults) == ((), ())


def test_more_machines_than_a_placement_group_takes_are_a_fault() -> None:
    known = machine("Standard_ND96isr_H100_v5")

    assert fabric_facts(known, 100, "required").set_faults == ()
    assert fabric_facts(known, 101, "required").set_faults == (
        "101 machines: a single placement group takes 100",
    )


def test_nobody_knows_what_an_image_of_the_user_holds() -> None:
    known = machine("Standard_ND96isr_H100_v5")

    assert fabric_facts(known, 2, "required").driver_image is True
    assert fabric_facts(known, 2, "required", own_image=True).driver_image is UNKNOWN


def test_an_image_has_no_driver_for_a_machine_that_it_does_not_serve() -> None:
    facts = fabric_facts(machine("Standard_ND96isr_MI300X_v5"), 2, "required")

    assert facts.driver_image is UNKNOWN


def test_old_versions_always_expire() -> None:
    kept = bucket_facts("d", "buckets.d", region="eastus", size_gb=None, versioned=True)
    plain = bucket_facts("d", "buckets.d", region="eastus", size_gb=None, versioned=False)

    assert (kept.versioned, kept.expires_noncurrent) == (True, True)
    assert (plain.versioned, plain.expires_noncurrent) == (False, True)
    assert kept.owner_enforced is None

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.footprint import (
    bucket_facts,
    bucket_items,
    fabric_facts,
    pool_items,
    training_items,
    uses_fabric,
)
from gpuinfra.clouds.aws.interfaces import nic_layout
from gpuinfra.clouds.aws.machines import machine
from gpuinfra.model import UNKNOWN
from gpuinfra.stackfile.schema import ScaleOn


def amounts(items) -> dict[str, Decimal | None]:
    return {item.item: item.quantity for item in items}


def test_a_training_workload_has_disks_and_one_way_out() -> None:
    assert amounts(training_items("a", "training.a", size=200 * 10**9)) == {
        "ebs-gp3-storage": Decimal(187),
        "nat-gateway-hour": Decimal(1),
        "nat-gateway-data": None,
        "public-ipv4-hour": Decimal(1),
    }


def test_a_pool_has_a_load_balancer_besides() -> None:
    extra = amounts(pool_items("a", "inference.a", size=200 * 10**9)).keys() - amounts(
        training_items("a", "training.a", size=200 * 10**9)
    )

    assert extra == {"alb-hour", "alb-lcu"}


@pytest.mark.parametrize(
    ("scale_on", "alarms", "sends"),
    [
        ({"gpu_utilization": "70%"}, 2, True),
        ({"gpu_memory": "70%"}, 4, True),
        ({"requests_per_target": 100}, 2, False),
    ],
)
def test_what_a_pool_follows_has_alarms_by_the_metric(
    scale_on: dict[str, Any], alarms: int, sends: bool
) -> None:
    given = ScaleOn.model_validate(scale_on)
    found = amounts(pool_items("a", "inference.a", size=200 * 10**9, scale_on=given))

    assert found["cloudwatch-alarm-standard"] == alarms
    assert ("cloudwatch-custom-metric" in found) is sends


def test_requests_are_counted_in_the_unit_of_their_price() -> None:
    found = bucket_items(
        "b", "buckets.b", region="us-east-1", size_gb=None, reads=Decimal(10**7), writes=Decimal(0)
    )

    assert [(one.item, one.unit, one.quantity, one.monthly) for one in found] == [
        ("s3-standard-storage-first-50tb", "GB-month", None, False),
        ("s3-standard-put", "1k-requests", 0, True),
        ("s3-standard-get", "1k-requests", 10_000, True),
    ]


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
    found = amounts(bucket_items("d", "buckets.d", region="us-east-1", size_gb=size_gb))
    storage = {
        item.removeprefix("s3-standard-storage-"): quantity
        for item, quantity in found.items()
        if "storage" in item
    }

    assert storage == expected
    assert found["s3-standard-put"] is found["s3-standard-get"] is None


@given(st.integers(1, 10**18))
def test_the_tiers_add_up_to_the_content(size: int) -> None:
    items = bucket_items("d", "buckets.d", region=None, size_gb=Decimal(size) / 10**9)
    total = sum(item.quantity for item in items if item.quantity is not None)

    assert abs(total - Decimal(size) / 2**30) < Decimal("1e-9")


@pytest.mark.parametrize(
    ("type_", "nodes", "wish", "expected"),
    [
        ("p5.48xlarge", 4, "required", True),
        ("p5.48xlarge", 1, "required", True),
        ("p5.48xlarge", 4, "preferred", True),
        ("p5.48xlarge", 1, "preferred", False),
        ("p5.48xlarge", 4, "none", False),
        ("g6.xlarge", 4, "preferred", False),
    ],
)
def test_a_fabric_is_declared_where_wished_possible_and_useful(
    type_: str, nodes: int, wish, expected: bool
) -> None:
    known = machine(type_)
    facts = fabric_facts(known, nodes, wish)

    assert uses_fabric(known, nodes, wish) is expected
    assert (facts is not None) is expected
    if facts is not None:
        declared = [nic for nic in nic_layout(known, fabric=True) if nic.kind == "efa-only"]
        assert facts.interfaces == len(declared)


def test_nobody_knows_what_an_image_of_the_user_holds() -> None:
    known = machine("p5.48xlarge")

    assert fabric_facts(known, 2, "required").driver_image is True
    assert fabric_facts(known, 2, "required", own_image=True).driver_image is UNKNOWN


def test_an_image_has_no_driver_for_a_machine_that_it_does_not_serve() -> None:
    assert fabric_facts(machine("p3dn.24xlarge"), 2, "required").driver_image is UNKNOWN
    assert fabric_facts(machine("trn1.32xlarge"), 2, "required").driver_image is True


def test_old_versions_expire_where_there_are_any() -> None:
    kept = bucket_facts("d", "buckets.d", region="us-east-1", size_gb=None, versioned=True)
    plain = bucket_facts("d", "buckets.d", region="us-east-1", size_gb=None, versioned=False)

    assert (kept.versioned, kept.expires_noncurrent) == (True, True)
    assert (plain.versioned, plain.expires_noncurrent) == (False, False)

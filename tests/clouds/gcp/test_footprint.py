from decimal import Decimal

import pytest

from gpuinfra.clouds.gcp.footprint import (
    bucket_facts,
    bucket_items,
    fabric_facts,
    has_budget,
    pool_items,
    training_items,
    uses_fabric,
)
from gpuinfra.clouds.gcp.machines import machine
from gpuinfra.clouds.gcp.network import nic_layout, planes
from gpuinfra.model import UNKNOWN, Caps

SIZE = 200 * 10**9


def amounts(items) -> dict[str, Decimal | None]:
    return {item.item: item.quantity for item in items}


def test_a_training_workload_has_disks_and_one_way_out() -> None:
    items = training_items("a", "training.a", size=SIZE, machine=machine("a3-ultragpu-8g"))

    assert amounts(items) == {
        "hyperdisk-balanced-storage": Decimal(187),
        "cloud-nat-vm-hour": Decimal(1),
        "cloud-nat-data": None,
        "external-ip-in-use-hour": Decimal(1),
    }
    assert {item.item for item in items if item.per_machine} == {
        "hyperdisk-balanced-storage",
        "cloud-nat-vm-hour",
    }


def test_a_pool_has_a_load_balancer_besides() -> None:
    pool = amounts(pool_items("a", "inference.a", size=SIZE))
    extra = pool.keys() - amounts(training_items("a", "training.a", size=SIZE))

    assert extra == {"lb-forwarding-rules-first-5-hour", "lb-data-processed"}
    assert pool["pd-balanced-storage"] == Decimal(187)


@pytest.mark.parametrize(
    ("size_gb", "expected"),
    [
        (None, None),
        (UNKNOWN, None),
        (Decimal("1.073741824"), Decimal(1)),
        (Decimal(100_000), Decimal(100_000) * 10**9 / 2**30),
    ],
)
def test_a_bucket_is_billed_in_binary_gigabytes(size_gb, expected) -> None:
    found = amounts(bucket_items("d", "buckets.d", region="us-central1", size_gb=size_gb))

    assert found == {
        "gcs-standard-storage": expected,
        "gcs-standard-class-a": None,
        "gcs-standard-class-b": None,
    }


@pytest.mark.parametrize(
    ("type_", "nodes", "wish", "expected"),
    [
        ("a3-megagpu-8g", 4, "required", True),
        ("a3-megagpu-8g", 1, "required", True),
        ("a3-highgpu-8g", 4, "preferred", True),
        ("a3-highgpu-8g", 1, "preferred", False),
        ("a3-ultragpu-8g", 4, "none", False),
        ("a3-highgpu-4g", 4, "preferred", False),
        ("a2-ultragpu-8g", 4, "preferred", False),
        ("a4x-maxgpu-4g-metal", 4, "preferred", False),
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
        hosts = planes(known).host_networks
        assert facts.interfaces == len(nic_layout(known, fabric=True)) - hosts
        assert (facts.placement, facts.one_zone, facts.public_ip) == ("compact", True, False)


def test_no_firewall_stands_in_a_roce_network() -> None:
    roce = fabric_facts(machine("a3-ultragpu-8g"), 2, "required")
    tcpx = fabric_facts(machine("a3-highgpu-8g"), 2, "required")

    assert (roce.self_ingress, roce.self_egress) == (None, None)
    assert (tcpx.self_ingress, tcpx.self_egress) == (True, True)


def test_the_driver_is_claimed_only_where_the_script_installs_the_software() -> None:
    assert fabric_facts(machine("a3-ultragpu-8g"), 2, "required").driver_image is True
    assert fabric_facts(machine("a3-highgpu-8g"), 2, "required").driver_image is False
    assert fabric_facts(machine("a3-megagpu-8g"), 2, "required").driver_image is False


def test_nobody_knows_what_an_image_of_the_user_holds() -> None:
    facts = fabric_facts(machine("a3-ultragpu-8g"), 2, "required", own_image=True)

    assert facts.driver_image is UNKNOWN


def test_a_bucket_has_no_setting_for_tls_and_expires_old_versions_where_there_are_any() -> None:
    kept = bucket_facts("d", "buckets.d", region="us-central1", size_gb=None, versioned=True)
    plain = bucket_facts("d", "buckets.d", region="us-central1", size_gb=None, versioned=False)

    assert kept.tls_only is None
    assert (kept.owner_enforced, kept.public_blocked, kept.encrypted) == (True, True, True)
    assert (kept.versioned, kept.expires_noncurrent) == (True, True)
    assert (plain.versioned, plain.expires_noncurrent) == (False, False)


def test_a_budget_needs_a_billing_account() -> None:
    assert has_budget(Caps(per_month=Decimal(5), billing_account="0X0X0X-0X0X0X-0X0X0X"))
    assert not has_budget(Caps(per_month=Decimal(5)))
    assert not has_budget(Caps(billing_account="0X0X0X-0X0X0X-0X0X0X"))

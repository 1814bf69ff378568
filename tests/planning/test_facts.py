"""What workloads and buckets of a stack file come to, read from what they declare."""

from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import pytest

from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.clouds.aws.interfaces import nic_layout
from gpuinfra.clouds.aws.machines import machine
from gpuinfra.clouds.gcp import machines as gcp_machines
from gpuinfra.clouds.gcp.network import fabric_layout
from gpuinfra.clouds.gcp.network import nic_layout as gcp_layout
from gpuinfra.errors import InputError
from gpuinfra.model import UNKNOWN, Fabric, Item, Plan, Safety
from gpuinfra.planning import choices, from_stack
from gpuinfra.stackfile import loads

REGIONS = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}
SMALL = {"aws": "g6.xlarge", "gcp": "g2-standard-4", "azure": "Standard_NC4as_T4_v3"}
UNPRICED = "cloudwatch-custom-metric"
"""What machines send under a name of their own; no table has its price."""
SCALING = "{gpu_utilization: 70%}"


@cache
def planned(cloud: str, region: str, body: str) -> Plan:
    head = f"version: 1\nname: facts\nowner: me\nwhere: {{cloud: {cloud}, regions: [{region}]}}\n"
    return from_stack(loads(head + body).stack)


def plan(cloud: str, body: str, region: str = "") -> Plan:
    return planned(cloud, region or REGIONS[cloud], body)


def training(cloud: str, type_: str = "", region: str = "", **words: Any) -> Plan:
    settings = {"instance": type_ or SMALL[cloud], "disk": "200GB", **words}
    if int(words.get("nodes", 1)) > 1:
        settings["duration"] = "5h"
    listed = ", ".join(f"{key}: {value}" for key, value in settings.items())
    return plan(cloud, f"training: {{a: {{{listed}}}}}\n", region)


def pool(cloud: str, scale_on: str = SCALING) -> Plan:
    settings = f"instance: {SMALL[cloud]}, disk: 200GB, replicas: 1..2, image: a/b:1, port: 80"
    return plan(cloud, f"inference: {{a: {{{settings}, scale_on: {scale_on}}}}}\n")


def bucket(cloud: str, words: str) -> Any:
    (only,) = plan(cloud, f"buckets: {{d: {{{words}}}}}\n").buckets
    return only


def fabric(cloud: str, type_: str, nodes: int, wish: str, **more: Any) -> Fabric | None:
    last = InputError([])
    for region in provider_of(cloud).machines.get(type_).regions:  # type: ignore[union-attr]
        for capacity in ("on-demand", "spot"):
            try:
                planned = training(
                    cloud, type_, region, nodes=nodes, fabric=wish, capacity=capacity, **more
                )
            except InputError as error:
                last = error
                continue
            return planned.groups[0].fabric
    raise last


def amounts(items: tuple[Item, ...]) -> dict[str, Any]:
    return {item.item: item.quantity for item in items}


WAYS_OUT = {
    "aws": {
        "ebs-gp3-storage": Decimal(187),
        "nat-gateway-hour": Decimal(1),
        "nat-gateway-data": None,
        "public-ipv4-hour": Decimal(1),
    },
    "gcp": {
        "pd-balanced-storage": Decimal(187),
        "cloud-nat-vm-hour": Decimal(1),
        "cloud-nat-data": None,
        "external-ip-in-use-hour": Decimal(1),
    },
    "azure": {
        "disk-premium-p15": Decimal(1),
        "nat-gateway-hour": Decimal(1),
        "nat-gateway-data": None,
        "public-ip-standard-static-hour": Decimal(1),
    },
}
BALANCERS = {
    "aws": {"alb-hour", "alb-lcu", "cloudwatch-alarm-standard", "cloudwatch-custom-metric"},
    "gcp": {"lb-forwarding-rules-first-5-hour", "lb-data-processed"},
    "azure": {"lb-standard-first-5-rules-hour", "lb-standard-data"},
}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_training_workload_has_disks_and_one_way_out(cloud: str) -> None:
    assert amounts(training(cloud).items) == WAYS_OUT[cloud]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_pool_has_a_load_balancer_besides(cloud: str) -> None:
    extra = amounts(pool(cloud).items).keys() - WAYS_OUT[cloud].keys()

    assert extra == BALANCERS[cloud]


def test_what_is_paid_by_the_machine_is_said_to_be() -> None:
    items = training(
        "gcp", "a3-ultragpu-8g", "us-central1", nodes=2, fabric="none", capacity="spot"
    ).items

    assert {item.item for item in items if item.per_machine} == {
        "hyperdisk-balanced-storage",
        "cloud-nat-vm-hour",
    }


@pytest.mark.parametrize(
    ("cloud", "type_", "disk", "expected"),
    [
        ("aws", "", "{size: 1GiB, iops: 3000, throughput: 125}", {"ebs-gp3-storage": 1}),
        (
            "aws",
            "",
            "{size: 10GiB, iops: 4000, throughput: 200}",
            {"ebs-gp3-storage": 10, "ebs-gp3-iops": 1000, "ebs-gp3-throughput": 75},
        ),
        ("azure", "", "200GB", {"disk-premium-p15": 1}),
        ("gcp", "", "100GiB", {"pd-balanced-storage": 100}),
        (
            "gcp",
            "a3-ultragpu-8g",
            "{size: 100GiB, iops: 3000, throughput: 140}",
            {"hyperdisk-balanced-storage": 100},
        ),
        (
            "gcp",
            "a3-ultragpu-8g",
            "{size: 100GiB, iops: 4000, throughput: 200}",
            {
                "hyperdisk-balanced-storage": 100,
                "hyperdisk-balanced-iops": 1000,
                "hyperdisk-balanced-throughput": 60,
            },
        ),
    ],
)
def test_only_what_exceeds_the_included_figures_of_a_disk_is_billed(
    cloud: str, type_: str, disk: str, expected: dict[str, int]
) -> None:
    capacity = "spot" if type_ else "on-demand"
    items = training(cloud, type_, disk=disk, fabric="none", capacity=capacity).items
    disks = [item for item in items if item.kind == "disk"]

    assert {item.item: item.quantity for item in disks} == expected
    assert all(item.per_machine and item.group == "a" for item in disks)


@pytest.mark.parametrize(
    ("scale_on", "alarms", "sends"),
    [
        ("{gpu_utilization: 70%}", 2, True),
        ("{gpu_memory: 70%}", 4, True),
        ("{requests_per_target: 100}", 2, False),
    ],
)
def test_what_a_pool_follows_has_alarms_by_the_metric(
    scale_on: str, alarms: int, sends: bool
) -> None:
    counts = amounts(pool("aws", scale_on).items)

    assert counts["cloudwatch-alarm-standard"] == alarms
    assert ("cloudwatch-custom-metric" in counts) is sends


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_item_is_in_the_price_table(cloud: str) -> None:
    known = provider_of(cloud)
    large = plan(cloud, "buckets: {d: {size: 1PB, reads: 1M, writes: 1M}}\n")
    rows = (*training(cloud).items, *pool(cloud).items, *large.items)
    items = [item for item in rows if item.item != UNPRICED]

    assert {item.item for item in items} <= set(known.prices.service_items())
    for item in items:
        (unit,) = {
            price.unit
            for region in known.regions.all()
            for price in known.prices.rows(item.item, region, "list")
        }
        assert item.unit == unit, item.item
        assert known.prices.token(item.item), item.item


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("made", [training, pool])
def test_what_is_declared_is_safe(cloud: str, made: Any) -> None:
    safety = replace(made(cloud).groups[0].safety, host_encrypted=None)

    assert safety == Safety(
        metadata_v2=True,
        disks_encrypted=True,
        public_ip=False,
        open_login=False,
        administrator=False,
        long_lived_key=False,
        hop_limit=1 if cloud == "aws" else None,
        secrets=(),
        secure_boot=safety.secure_boot,
        measured_boot=True if cloud == "gcp" else None,
        opened_by_keys=() if cloud == "azure" else None,
    )
    assert safety.secure_boot is not UNKNOWN


@pytest.mark.parametrize(
    ("cloud", "type_", "nodes", "wish", "expected"),
    [
        ("aws", "p5.48xlarge", 4, "required", True),
        ("aws", "p5.48xlarge", 1, "required", True),
        ("aws", "p5.48xlarge", 4, "preferred", True),
        ("aws", "p5.48xlarge", 1, "preferred", False),
        ("aws", "p5.48xlarge", 4, "none", False),
        ("aws", "g6.xlarge", 4, "preferred", False),
        ("gcp", "a3-megagpu-8g", 4, "required", True),
        ("gcp", "a3-megagpu-8g", 1, "required", True),
        ("gcp", "a3-highgpu-8g", 4, "preferred", True),
        ("gcp", "a3-highgpu-8g", 1, "preferred", False),
        ("gcp", "a3-ultragpu-8g", 4, "none", False),
        ("gcp", "a3-highgpu-4g", 4, "preferred", False),
        ("gcp", "a2-ultragpu-8g", 4, "preferred", False),
        ("azure", "Standard_ND96isr_H100_v5", 4, "required", True),
        ("azure", "Standard_ND96isr_H100_v5", 1, "required", True),
        ("azure", "Standard_ND96isr_H100_v5", 4, "preferred", True),
        ("azure", "Standard_ND96isr_H100_v5", 1, "preferred", False),
        ("azure", "Standard_ND96isr_H100_v5", 100, "preferred", True),
        ("azure", "Standard_ND96isr_H100_v5", 101, "preferred", False),
        ("azure", "Standard_ND96isr_H100_v5", 4, "none", False),
        ("azure", "Standard_NC96ads_A100_v4", 4, "preferred", False),
    ],
)
def test_a_fabric_is_declared_where_wished_possible_and_useful(
    cloud: str, type_: str, nodes: int, wish: str, expected: bool
) -> None:
    known = provider_of(cloud).machines.get(type_)

    assert known is not None
    assert provider_of(cloud).fabric.uses_fabric(known, nodes, wish) is expected  # type: ignore[arg-type]
    assert (fabric(cloud, type_, nodes, wish) is not None) is expected


def test_the_declared_interfaces_are_those_of_the_layout() -> None:
    efa = fabric("aws", "p5.48xlarge", 4, "required")
    mega = fabric("gcp", "a3-megagpu-8g", 4, "required")
    known = gcp_machines.machine("a3-megagpu-8g")

    assert efa is not None
    assert mega is not None
    assert known is not None
    kinds = [nic.kind for nic in nic_layout(machine("p5.48xlarge"), fabric=True)]
    assert efa.interfaces == kinds.count("efa-only")
    assert (
        mega.interfaces == len(gcp_layout(known, fabric=True)) - fabric_layout(known).host_networks
    )
    assert (mega.placement, mega.one_zone, mega.public_ip) == ("compact", True, False)


def test_no_firewall_stands_in_a_roce_network() -> None:
    roce = fabric("gcp", "a3-ultragpu-8g", 2, "required")
    tcpx = fabric("gcp", "a3-highgpu-8g", 2, "required")

    assert roce is not None
    assert tcpx is not None
    assert (roce.self_ingress, roce.self_egress) == (None, None)
    assert (tcpx.self_ingress, tcpx.self_egress) == (True, True)


def test_infiniband_comes_with_the_group_and_nothing_filters_it() -> None:
    joined = fabric("azure", "Standard_ND96isr_H100_v5", 4, "required")

    assert joined is not None
    assert (joined.interfaces, joined.placement) == (8, "single-placement-group")
    assert (joined.self_ingress, joined.self_egress) == (None, None)
    assert joined.one_zone is True
    assert joined.faults == ()


def test_more_machines_than_a_placement_group_takes_are_refused() -> None:
    few = fabric("azure", "Standard_ND96isr_H100_v5", 100, "required")

    assert few is not None
    assert few.faults == ()
    with pytest.raises(InputError, match="only the machines of one placement group"):
        fabric("azure", "Standard_ND96isr_H100_v5", 101, "required")


@pytest.mark.parametrize(
    ("cloud", "type_", "own", "expected"),
    [
        ("aws", "p5.48xlarge", False, True),
        ("aws", "p5.48xlarge", True, UNKNOWN),
        ("aws", "p3dn.24xlarge", False, UNKNOWN),
        ("aws", "trn1.32xlarge", False, True),
        ("gcp", "a3-ultragpu-8g", False, True),
        ("gcp", "a3-ultragpu-8g", True, UNKNOWN),
        ("gcp", "a3-highgpu-8g", False, False),
        ("gcp", "a3-megagpu-8g", False, False),
        ("azure", "Standard_ND96isr_H100_v5", False, True),
        ("azure", "Standard_ND96isr_H100_v5", True, UNKNOWN),
        ("azure", "Standard_ND96isr_MI300X_v5", False, UNKNOWN),
    ],
)
def test_the_driver_is_claimed_only_of_images_that_are_known(
    cloud: str, type_: str, own: bool, expected: object
) -> None:
    known = provider_of(cloud).machines.get(type_)

    assert known is not None
    assert provider_of(cloud).fabric.driver_image(known, own_image=own) is expected


@pytest.mark.parametrize("cloud", CLOUDS)
def test_old_versions_expire_where_there_are_any(cloud: str) -> None:
    kept, plain = (bucket(cloud, f"versioned: {versioned}") for versioned in ("true", "false"))

    assert (kept.versioned, kept.expires_noncurrent) == (True, True)
    assert (plain.versioned, plain.expires_noncurrent) == (False, cloud == "azure")
    assert (kept.public_blocked, kept.encrypted) == (True, True)
    assert kept.tls_only is (None if cloud == "gcp" else True)
    assert kept.owner_enforced is (None if cloud == "azure" else True)


@pytest.mark.parametrize(
    ("cloud", "budget", "expected"),
    [
        ("aws", "per_month: 5", 5),
        ("aws", "per_hour: 5", None),
        ("azure", "per_month: 5, notify: [a@example.com]", 5),
        ("gcp", "per_month: 5, billing_account: 01ABCD-234567-89EF01", 5),
        ("gcp", "per_month: 5", None),
    ],
)
def test_the_months_cap_is_mirrored_where_the_cloud_can_keep_it(
    cloud: str, budget: str, expected: int | None
) -> None:
    assert plan(cloud, f"budget: {{{budget}}}\nbuckets: {{d: {{}}}}\n").cloud_budget == expected


def test_the_zones_keep_the_order_in_which_they_are_used() -> None:
    """Subnets are numbered by it: in another order an update would replace them."""
    head = "version: 1\nname: facts\nowner: me\n"
    head += "where: {cloud: aws, regions: [us-east-1], zones: [us-east-1c, us-east-1b]}\n"
    settings = f"instance: {SMALL['aws']}, replicas: 1..2, image: a/b:1, port: 80"
    stack = loads(f"{head}inference: {{a: {{{settings}, scale_on: {SCALING}}}}}\n").stack

    assert from_stack(stack).groups[0].rung == choices(stack).groups[0].rung
    assert from_stack(stack).groups[0].rung.zones == ("us-east-1c", "us-east-1b")


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_pool_of_fixed_size_has_nothing_that_scales_it(cloud):
    settings = (
        f"instance: {SMALL[cloud]}, replicas: 2, image: a/b:1, port: 80, scale_on: {SCALING}"
    )
    (group,) = plan(cloud, f"inference: {{a: {{{settings}}}}}\n").groups

    assert (group.minimum, group.maximum, group.lifecycle.grows) == (2, 2, None)


@pytest.mark.parametrize(("replicas", "beside"), [(2, 1), (6, 2)])
def test_the_caps_count_the_machines_that_an_update_on_azure_starts_beside_the_old_ones(
    replicas: int, beside: int
) -> None:
    settings = f"instance: {SMALL['azure']}, replicas: {replicas}, image: a/b:1, port: 80"
    body = f"inference: {{a: {{{settings}, scale_on: {SCALING}}}}}\n"
    (group,) = plan("azure", body).groups

    assert (group.lifecycle.surge, group.ceiling) == (beside, replicas + beside)

"""What Google Cloud bills besides machines, and what of it has no price."""

from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import TYPES, observe
from gpuinfra.model import NOWHERE, UNKNOWN, Resource
from tests.clouds.gcp.observe.observed import program_of
from tests.rules.cases.gcp_program import GcpProgram


def paid(token: str, **inputs: Any) -> list[tuple[str, str, str | None]]:
    items = observe(program_of(token, **inputs).resources()).items
    return [(row.item, str(row.quantity), row.region) for row in items]


def reasons(token: str, **inputs: Any) -> list[str]:
    return [row.reason for row in observe(program_of(token, **inputs).resources()).not_judged]


HERE = {"region": "us-central1"}


@pytest.mark.parametrize(
    ("token", "inputs", "expected"),
    [
        (
            "compute/address:Address",
            HERE,
            [("external-ip-unused-hour", "1", "us-central1")],
        ),
        ("compute/address:Address", {"addressType": "INTERNAL"}, []),
        ("compute/globalAddress:GlobalAddress", {"purpose": "VPC_PEERING"}, []),
        (
            "compute/globalAddress:GlobalAddress",
            {},
            [("external-ip-unused-hour", "1", "me-central2")],
        ),
        ("compute/address:Address", {}, [("external-ip-unused-hour", "1", NOWHERE)]),
        (
            "compute/globalForwardingRule:GlobalForwardingRule",
            {"loadBalancingScheme": "EXTERNAL_MANAGED"},
            [
                ("lb-forwarding-rules-first-5-hour", "1", "me-central2"),
                ("lb-data-processed", "None", "me-central2"),
            ],
        ),
        (
            "storage/bucket:Bucket",
            {"location": "US", "storageClass": "MULTI_REGIONAL"},
            [
                ("gcs-multi-region-standard-storage", "None", "us"),
                ("gcs-standard-class-a", "None", "us"),
                ("gcs-standard-class-b", "None", "us"),
            ],
        ),
        (
            "compute/routerNat:RouterNat",
            {**HERE, "natIpAllocateOption": "AUTO_ONLY"},
            [
                ("cloud-nat-data", "None", "us-central1"),
                ("external-ip-in-use-hour", "1", "us-central1"),
            ],
        ),
        (
            "compute/routerNat:RouterNat",
            {**HERE, "natIpAllocateOption": "AUTO_ONLY", "minPortsPerVm": 4096},
            [
                ("cloud-nat-data", "None", "us-central1"),
                ("external-ip-in-use-hour", "1", "us-central1"),
                ("external-ip-in-use-hour", "None", "us-central1"),
            ],
        ),
        (
            "compute/routerNat:RouterNat",
            {**HERE, "natIps": ["a"]},
            [("cloud-nat-data", "None", "us-central1")],
        ),
        (
            "compute/forwardingRule:ForwardingRule",
            HERE,
            [
                ("lb-forwarding-rules-first-5-hour", "1", "us-central1"),
                ("lb-data-processed", "None", "us-central1"),
            ],
        ),
        (
            "compute/disk:Disk",
            {"zone": "us-central1-a", "type": "pd-ssd", "size": 100},
            [("pd-ssd-storage", "100", "us-central1")],
        ),
        (
            "compute/disk:Disk",
            {"zone": "us-central1-a", "type": "pd-ssd", "image": "rocky-linux-cloud/rocky-9"},
            [("pd-ssd-storage", "20", "us-central1")],
        ),
        (
            "compute/disk:Disk",
            {"zone": "us-central1-a", "type": "pd-ssd", "image": "me/own-60tb"},
            [("pd-ssd-storage", str(UNKNOWN), "us-central1")],
        ),
        (
            "compute/disk:Disk",
            {"zone": "us-central1-a", "type": "hyperdisk-extreme", "provisionedIops": 100},
            [
                ("hyperdisk-extreme-storage", str(UNKNOWN), "us-central1"),
                ("hyperdisk-extreme-iops", "100", "us-central1"),
            ],
        ),
        (
            "compute/disk:Disk",
            {"zone": "us-central1-a", "type": "pd-extreme", "size": 500},
            [
                ("pd-extreme-storage", "500", "us-central1"),
                ("pd-extreme-iops", str(UNKNOWN), "us-central1"),
            ],
        ),
        (
            "compute/disk:Disk",
            {"zone": "us-central1-a", "type": "hyperdisk-balanced", "size": 20_000},
            [
                ("hyperdisk-balanced-storage", "20000", "us-central1"),
                ("hyperdisk-balanced-iops", str(UNKNOWN), "us-central1"),
                ("hyperdisk-balanced-throughput", str(UNKNOWN), "us-central1"),
            ],
        ),
        (
            "compute/disk:Disk",
            {
                "zone": "us-central1-a",
                "type": "hyperdisk-balanced",
                "size": 100,
                "provisionedIops": 3000,
                "provisionedThroughput": 140,
            },
            [("hyperdisk-balanced-storage", "100", "us-central1")],
        ),
        (
            "compute/disk:Disk",
            {
                "zone": "us-central1-a",
                "type": "hyperdisk-throughput",
                "size": 20_000,
                "provisionedThroughput": 600,
            },
            [
                ("hyperdisk-throughput-storage", "20000", "us-central1"),
                ("hyperdisk-throughput-throughput", "600", "us-central1"),
            ],
        ),
        (
            "compute/regionDisk:RegionDisk",
            {**HERE, "type": "pd-ssd", "size": 100},
            [("pd-ssd-regional-storage", "100", "us-central1")],
        ),
        (
            "lustre/instance:Instance",
            {
                "location": "us-central1-a",
                "capacityGib": "9000",
                "perUnitStorageThroughput": "500",
            },
            [("managed-lustre-500", "9000", "us-central1")],
        ),
        (
            "parallelstore/instance:Instance",
            {
                "location": "us-central1-a",
                "capacityGib": "12000",
                "deploymentType": "SCRATCH",
            },
            [("parallelstore-scratch", "12000", "us-central1")],
        ),
        (
            "filestore/instance:Instance",
            {"location": "us-central1-a", "tier": "BASIC_HDD", "fileShares": {"capacityGb": 1024}},
            [("filestore-basic-hdd", "1024", "us-central1")],
        ),
        (
            "filestore/instance:Instance",
            {"location": "us-central1-a", "tier": "BASIC_SSD", "fileShares": {"capacityGb": 2560}},
            [("filestore-basic-ssd", "2560", "us-central1")],
        ),
        (
            "filestore/instance:Instance",
            {"location": "us-central1-a", "tier": "ZONAL", "fileShares": {"capacityGb": 1024}},
            [("filestore-zonal", "1024", "us-central1")],
        ),
        (
            "filestore/instance:Instance",
            {"location": "us-central1", "tier": "REGIONAL", "fileShares": {"capacityGb": 1024}},
            [("filestore-regional", "1024", "us-central1")],
        ),
        (
            "storage/bucket:Bucket",
            {"location": "EUROPE-WEST4", "storageClass": "NEARLINE"},
            [
                ("gcs-nearline-storage", "None", "europe-west4"),
                ("gcs-standard-class-a", "None", "europe-west4"),
                ("gcs-standard-class-b", "None", "europe-west4"),
            ],
        ),
        (
            "storage/bucket:Bucket",
            {"location": UNKNOWN},
            [
                ("gcs-standard-storage", "None", "unknown"),
                ("gcs-standard-class-a", "None", "unknown"),
                ("gcs-standard-class-b", "None", "unknown"),
            ],
        ),
    ],
)
def test_services_are_items_of_the_price_table(token, inputs, expected):
    assert paid(token, **inputs) == expected
    assert reasons(token, **inputs) == []


@pytest.mark.parametrize(
    ("token", "inputs", "words"),
    [
        (
            "compute/futureReservation:FutureReservation",
            {},
            "it is billed from its creation on, used",
        ),
        (
            "compute/forwardingRule:ForwardingRule",
            {"target": "projects/p/regions/r/serviceAttachments/s"},
            "Private Service Connect",
        ),
        (
            "compute/forwardingRule:ForwardingRule",
            {"loadBalancingScheme": "INTERNAL_MANAGED"},
            "its proxies are billed by the hour, and",
        ),
        (
            "compute/forwardingRule:ForwardingRule",
            {"loadBalancingScheme": UNKNOWN},
            "its proxies are billed by the hour, and",
        ),
        (
            "compute/globalForwardingRule:GlobalForwardingRule",
            {"loadBalancingScheme": "INTERNAL_SELF_MANAGED"},
            "service mesh",
        ),
        ("compute/disk:Disk", {"storagePool": "p"}, "storage pool"),
        ("lustre/instance:Instance", {"capacityGib": "9000"}, "its throughput"),
        ("lustre/instance:Instance", {"perUnitStorageThroughput": UNKNOWN}, "its throughput"),
        ("parallelstore/instance:Instance", {"capacityGib": "12000"}, "its deployment type"),
        ("filestore/instance:Instance", {"tier": "ENTERPRISE"}, "price of its tier"),
        (
            "filestore/instance:Instance",
            {"tier": "ZONAL", "performanceConfig": {"fixedIops": {"maxIops": "12000"}}},
            "its provisioned IOPS",
        ),
        ("storage/bucket:Bucket", {"storageClass": "DURABLE"}, "its storage class"),
        ("sql/databaseInstance:DatabaseInstance", {}, "it is a database on servers of its own"),
        ("compute/perInstanceConfig:PerInstanceConfig", {}, "gpuinfra does not know this type"),
    ],
)
def test_what_costs_and_has_no_price_is_never_forgotten(token, inputs, words):
    (reason,) = reasons(token, **inputs)
    assert words in reason


def test_a_global_balancer_of_the_internet_is_paid_by_its_rule():
    token, scheme = "compute/globalForwardingRule:GlobalForwardingRule", "EXTERNAL_MANAGED"
    assert reasons(token, loadBalancingScheme=scheme) == []
    assert [row[0] for row in paid(token, loadBalancingScheme=scheme)] == [
        "lb-forwarding-rules-first-5-hour",
        "lb-data-processed",
    ]


def test_free_types_and_the_engine_s_own_say_nothing():
    program = GcpProgram()
    for token in ("compute/network:Network", "compute/firewall:Firewall", "pubsub/topic:Topic"):
        program.add(token, "it")
    rows = [
        *program.resources(),
        Resource(urn="p", type="pulumi:providers:gcp", name="p", inputs={}),
        Resource(urn="c", type="shop:index:Web", name="c", inputs={}, custom=False),
    ]
    assert {row.type for row in observe(rows).not_judged} <= {"gcp:pubsub/topic:Topic"}
    assert "gcp:compute/network:Network" in TYPES

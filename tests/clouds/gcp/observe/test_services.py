"""What Google Cloud bills besides machines, and basics, buckets, budgets of raw resources."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import TYPES, observe
from gpuinfra.clouds.gcp.observe.index import spelled
from gpuinfra.model import NOWHERE, UNKNOWN, Bucket, Reachability, Resource, Usage
from tests.rules.cases import gcp_stacks as stacks
from tests.rules.cases.gcp_program import GcpProgram

both = pytest.mark.parametrize("moment", ["preview", "created"])


def program_of(token: str, **inputs: Any) -> GcpProgram:
    program = GcpProgram()
    program.add(token, "it", **inputs)
    return program


def paid(token: str, **inputs: Any) -> list[tuple[str, str, str | None]]:
    items = observe(program_of(token, **inputs).resources()).items
    return [(row.item, str(row.quantity), row.region) for row in items]


def reasons(token: str, **inputs: Any) -> list[str]:
    return [row.reason for row in observe(program_of(token, **inputs).resources()).not_judged]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("net", "net"),
        ("global/networks/net", "net"),
        ("projects/p/global/networks/net", "projects/p/global/networks/net"),
        (
            "https://www.googleapis.com/compute/v1/projects/p/global/networks/net",
            "projects/p/global/networks/net",
        ),
        (
            "projects/p/global/instanceTemplates/t?uniqueId=7",
            "projects/p/global/instanceTemplates/t",
        ),
        ("serviceAccount:a@p.iam.gserviceaccount.com", "a@p.iam.gserviceaccount.com"),
        ("projects/p/serviceAccounts/a@p.iam.gserviceaccount.com", "a@p.iam.gserviceaccount.com"),
        ("gs://bucket", "bucket"),
        ("", ""),
    ],
)
def test_a_reference_has_one_spelling(written, name):
    assert spelled(written) == name


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
        ("sql/databaseInstance:DatabaseInstance", {}, "no table has its type"),
        ("compute/perInstanceConfig:PerInstanceConfig", {}, "no table has its type"),
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


@both
def test_a_tutorial_machine_leaves_every_basic_open(moment):
    seen = observe(stacks.open_machine().resources(moment))
    (group,) = seen.groups
    safety = group.safety
    assert (safety.public_ip, safety.open_login) == (True, True)
    assert (safety.administrator, safety.secure_boot) == (True, False)
    assert [key.what for key in seen.credentials] == ["a key of a service account"]
    assert (safety.metadata_v2, safety.disks_encrypted) == (True, True)


def ssh(**inputs: Any) -> GcpProgram:
    program = stacks.open_machine()
    wall = next(row for row in program.handles.values() if row.type.endswith("Firewall"))
    program.change(wall, **inputs)
    return program


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"allows": [{"protocol": "all"}]}, True),
        ({"allows": [{"protocol": "tcp"}]}, True),
        ({"allows": [{"protocol": "6", "ports": ["20-30"]}]}, True),
        ({"allows": [{"protocol": "TCP", "ports": ["3389"]}]}, True),
        ({"allows": [{"protocol": "tcp", "ports": ["443"]}]}, False),
        ({"allows": [{"protocol": "udp", "ports": ["22"]}]}, False),
        ({"allows": UNKNOWN}, UNKNOWN),
        ({"allows": [{"protocol": "tcp", "ports": [UNKNOWN]}]}, UNKNOWN),
        ({"allows": None, "denies": [{"protocol": "tcp", "ports": ["22"]}]}, False),
        ({"sourceRanges": ["::/0"]}, True),
        ({"sourceRanges": ["35.235.240.0/20"]}, False),
        ({"sourceRanges": ["everywhere"]}, UNKNOWN),
        ({"sourceRanges": [UNKNOWN]}, UNKNOWN),
        ({"sourceRanges": None}, True),
        ({"sourceRanges": None, "sourceTags": ["web"]}, False),
        ({"direction": "EGRESS"}, False),
        ({"direction": UNKNOWN}, UNKNOWN),
        ({"disabled": True}, False),
        ({"targetTags": ["web"]}, False),
        ({"targetTags": UNKNOWN}, UNKNOWN),
        ({"targetServiceAccounts": ["god@shop-1.iam.gserviceaccount.com"]}, True),
        ({"targetServiceAccounts": ["web@shop-1.iam.gserviceaccount.com"]}, False),
        ({"network": "another"}, False),
        ({"network": UNKNOWN}, UNKNOWN),
    ],
)
def test_a_login_is_open_to_the_internet_or_not(inputs, expected):
    (group,) = observe(ssh(**inputs).resources()).groups
    assert group.safety.open_login is expected


def test_a_stronger_denial_closes_the_login():
    program = ssh()
    vpc = next(row for row in program.handles.values() if row.type.endswith(":Network"))
    denies = [{"protocol": "all"}]
    wall = program.add(
        "compute/firewall:Firewall",
        "no",
        network=vpc.id,
        priority=900,
        sourceRanges=["0.0.0.0/0"],
        denies=denies,
    )
    (group,) = observe(program.resources()).groups
    assert group.safety.open_login is False
    program.change(wall, priority=1100)
    (group,) = observe(program.resources()).groups
    assert group.safety.open_login is True


def test_a_firewall_policy_on_the_network_hides_what_is_open():
    program = ssh(disabled=True)
    vpc = next(row for row in program.handles.values() if row.type.endswith(":Network"))
    program.add(
        "compute/networkFirewallPolicyAssociation:NetworkFirewallPolicyAssociation",
        "policy",
        attachmentTarget=vpc.id,
        firewallPolicy="p",
    )
    (group,) = observe(program.resources()).groups
    assert group.safety.open_login is UNKNOWN


def granted(**inputs: Any) -> Any:
    program = stacks.open_machine()
    grant = next(row for row in program.handles.values() if row.type.endswith("IAMBinding"))
    program.change(grant, **inputs)
    (group,) = observe(program.resources()).groups
    return group.safety.administrator


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"role": "roles/owner"}, True),
        ({"role": "roles/compute.admin"}, True),
        ({"role": "roles/resourcemanager.projectIamAdmin"}, True),
        ({"role": "roles/storage.objectAdmin"}, False),
        ({"role": "roles/logging.logWriter"}, False),
        ({"role": UNKNOWN}, UNKNOWN),
        ({"role": "projects/shop-1/roles/own"}, UNKNOWN),
        ({"members": ["user:a@example.com"]}, False),
        ({"members": UNKNOWN}, UNKNOWN),
        ({"role": "roles/logging.logWriter", "members": UNKNOWN}, False),
    ],
)
def test_a_powerful_role_makes_an_administrator(inputs, expected):
    assert granted(**inputs) is expected


@both
def test_a_custom_role_is_read_where_the_stack_has_it(moment):
    for permission, expected in (
        ("resourcemanager.projects.setIamPolicy", True),
        ("storage.objects.get", False),
    ):
        program = stacks.open_machine()
        role = program.add("projects/iAMCustomRole:IAMCustomRole", "own", permissions=[permission])
        grant = next(row for row in program.handles.values() if row.type.endswith("IAMBinding"))
        program.change(grant, role=role.id)
        (group,) = observe(program.resources(moment)).groups
        assert group.safety.administrator is expected


GOD, OTHER = (f"{name}@shop-1.iam.gserviceaccount.com" for name in ("god", "other"))


@pytest.mark.parametrize(
    ("account", "administrator"),
    [
        (None, False),
        (UNKNOWN, UNKNOWN),
        ({"scopes": ["cloud-platform"]}, UNKNOWN),
        ({"email": OTHER, "scopes": ["cloud-platform"]}, UNKNOWN),
        ({"email": GOD, "scopes": ["cloud-platform"]}, True),
        ({"email": GOD, "scopes": ["logging-write"]}, False),
        ({"email": GOD, "scopes": UNKNOWN}, UNKNOWN),
    ],
)
def test_what_a_machine_runs_as_decides(account, administrator):
    program = stacks.open_machine(serviceAccount=account)
    if account is None:
        vm = next(row for row in program.handles.values() if row.name == "notebook")
        program.change(vm, serviceAccount=None)
    (group,) = observe(program.resources()).groups
    assert group.safety.administrator is administrator


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"metadataStartupScript": "echo hello"}, False),
        ({"metadataStartupScript": "-----BEGIN PRIVATE KEY-----\nMII"}, True),
        ({"metadata": {"key.json": '{"private_key": "-----BEGIN PRIVATE KEY-----"}'}}, True),
        ({"metadataStartupScript": UNKNOWN}, UNKNOWN),
        ({"metadata": {"startup-script": UNKNOWN}}, UNKNOWN),
        ({"metadata": UNKNOWN}, UNKNOWN),
    ],
)
def test_a_key_file_in_the_metadata_is_a_lasting_key(inputs, expected):
    program = program_of("compute/instance:Instance", machineType="e2-micro", **inputs)
    (group,) = observe(program.resources()).groups
    assert group.safety.long_lived_key is expected


def bucket(**inputs: Any) -> Bucket:
    program, handle = stacks.good_bucket()
    program.change(handle, **inputs)
    (only,) = observe(program.resources()).buckets
    return only


@both
def test_a_good_bucket_is_good_in_every_way(moment):
    program, handle = stacks.good_bucket()
    usage = Usage(gigabytes={"tokens": Decimal(2000)})
    (bucket,) = observe(program.resources(moment), usage).buckets
    assert bucket == Bucket(
        name="tokens",
        subject=handle.urn,
        cloud="gcp",
        region="us-central1",
        size_gb=Decimal(2000),
        encrypted=True,
        public_blocked=True,
        tls_only=None,
        owner_enforced=True,
        versioned=True,
        expires_noncurrent=True,
        aborts_uploads=True,
        expires=True,
        labels=frozenset(),
        force_destroy=False,
        safeguards=Reachability(),
    )


DELETE = {"type": "Delete"}


@pytest.mark.parametrize(
    ("inputs", "fact", "expected"),
    [
        ({"publicAccessPrevention": "inherited"}, "public_blocked", False),
        ({"publicAccessPrevention": None}, "public_blocked", False),
        ({"publicAccessPrevention": UNKNOWN}, "public_blocked", UNKNOWN),
        ({"uniformBucketLevelAccess": None}, "owner_enforced", False),
        ({"uniformBucketLevelAccess": UNKNOWN}, "owner_enforced", UNKNOWN),
        ({"versioning": None}, "versioned", False),
        ({"versioning": UNKNOWN}, "versioned", UNKNOWN),
        ({"lifecycleRules": None}, "expires_noncurrent", False),
        ({"lifecycleRules": UNKNOWN}, "expires_noncurrent", UNKNOWN),
        ({"lifecycleRules": UNKNOWN}, "aborts_uploads", UNKNOWN),
        ({"lifecycleRules": [UNKNOWN]}, "aborts_uploads", UNKNOWN),
        (
            {"lifecycleRules": [{"action": DELETE, "condition": {"numNewerVersions": 3}}]},
            "expires_noncurrent",
            True,
        ),
        (
            {"lifecycleRules": [{"action": DELETE, "condition": {"age": 3}}]},
            "expires_noncurrent",
            True,
        ),
        (
            {"lifecycleRules": [{"action": DELETE, "condition": {"age": 3, "withState": "LIVE"}}]},
            "expires_noncurrent",
            False,
        ),
        (
            {
                "lifecycleRules": [
                    {"action": DELETE, "condition": {"age": 3, "matchesPrefixes": ["tmp/"]}}
                ]
            },
            "expires_noncurrent",
            False,
        ),
        (
            {"lifecycleRules": [{"action": {"type": "SetStorageClass"}, "condition": {"age": 3}}]},
            "expires_noncurrent",
            False,
        ),
        (
            {"lifecycleRules": [{"action": DELETE, "condition": UNKNOWN}]},
            "expires_noncurrent",
            UNKNOWN,
        ),
    ],
)
def test_what_a_bucket_leaves_open_is_seen(inputs, fact, expected):
    assert getattr(bucket(**inputs), fact) is expected


@both
@pytest.mark.parametrize(
    ("token", "inputs", "expected"),
    [
        ("storage/bucketIAMMember:BucketIAMMember", {"member": "allUsers"}, False),
        ("storage/bucketIAMMember:BucketIAMMember", {"member": "user:a@example.com"}, True),
        ("storage/bucketIAMMember:BucketIAMMember", {"member": UNKNOWN}, UNKNOWN),
        (
            "storage/bucketIAMBinding:BucketIAMBinding",
            {"members": ["user:a@example.com", "allAuthenticatedUsers"]},
            False,
        ),
        (
            "storage/bucketIAMPolicy:BucketIAMPolicy",
            {"policyData": '{"bindings": [{"role": "r", "members": ["allUsers"]}]}'},
            False,
        ),
        ("storage/bucketIAMPolicy:BucketIAMPolicy", {"policyData": UNKNOWN}, UNKNOWN),
        ("storage/bucketIAMPolicy:BucketIAMPolicy", {"policyData": "no json"}, UNKNOWN),
        ("storage/bucketAccessControl:BucketAccessControl", {"entity": "allUsers"}, False),
        ("storage/bucketACL:BucketACL", {"predefinedAcl": "publicRead"}, False),
        ("storage/bucketACL:BucketACL", {"roleEntities": ["READER:allUsers"]}, False),
        ("storage/bucketACL:BucketACL", {"roleEntities": ["OWNER:user-a"]}, True),
    ],
)
def test_whoever_lets_everybody_in_opens_a_bucket(moment, token, inputs, expected):
    program, handle = stacks.good_bucket()
    program.add(token, "more", bucket=handle.out("name"), **inputs)
    (bucket,) = observe(program.resources(moment)).buckets
    assert bucket.public_blocked is expected


def test_a_grant_on_a_bucket_that_nobody_knows_yet_may_open_any():
    program, _ = stacks.good_bucket()
    program.add("storage/bucketIAMMember:BucketIAMMember", "x", bucket=UNKNOWN, member="allUsers")
    (bucket,) = observe(program.resources()).buckets
    assert bucket.public_blocked is UNKNOWN


MONEY = {"specifiedAmount": {"units": "1000", "nanos": 500_000_000, "currencyCode": "USD"}}
SPENT = {"creditTypesTreatment": "EXCLUDE_ALL_CREDITS"}
TELLS = {"thresholdRules": [{"thresholdPercent": 1.0}]}


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"amount": MONEY, "budgetFilter": SPENT}, Decimal("1000.5")),
        ({"amount": MONEY, "budgetFilter": {**SPENT, "calendarPeriod": "MONTH"}}, 1000.5),
        ({"amount": MONEY, "budgetFilter": {"calendarPeriod": "YEAR"}}, None),
        ({"amount": MONEY, "budgetFilter": {"services": ["services/x"]}}, None),
        ({"amount": MONEY, "budgetFilter": {"customPeriod": {"startDate": {}}}}, None),
        ({"amount": MONEY, "budgetFilter": {**SPENT, "labels": {"team": "other"}}}, None),
        ({"amount": MONEY, "budgetFilter": {**SPENT, "labels": {"team": "ours"}}}, 1000.5),
        ({"amount": MONEY, "budgetFilter": SPENT, "thresholdRules": []}, None),
        (
            {
                "amount": MONEY,
                "budgetFilter": SPENT,
                "thresholdRules": [],
                "allUpdatesRule": {"pubsubTopic": "t"},
            },
            1000.5,
        ),
        ({"amount": MONEY}, UNKNOWN),
        ({"amount": {"lastPeriodAmount": True}}, UNKNOWN),
        ({"amount": {"specifiedAmount": {"units": "5"}}}, UNKNOWN),
        ({"amount": {"specifiedAmount": {"units": "5", "currencyCode": "EUR"}}}, UNKNOWN),
        ({"amount": UNKNOWN}, UNKNOWN),
        ({"amount": MONEY, "budgetFilter": UNKNOWN}, UNKNOWN),
    ],
)
def test_a_budget_of_the_month_in_dollars_is_the_cloud_s(inputs, expected):
    program = program_of("billing/budget:Budget", **{**TELLS, **inputs})
    program.add("storage/bucket:Bucket", "data", labels={"team": "ours"})
    cloud_budget = observe(program.resources()).cloud_budget
    assert cloud_budget == expected


def test_the_smallest_budget_counts():
    program = GcpProgram()
    for units in ("500", "200"):
        amount = {"specifiedAmount": {"units": units, "currencyCode": "USD"}}
        program.add("billing/budget:Budget", units, amount=amount, budgetFilter=SPENT, **TELLS)
    assert observe(program.resources()).cloud_budget == Decimal(200)


@both
def test_an_account_that_is_still_to_be_made_is_not_everybody(moment):
    program, handle = stacks.good_bucket()
    account = program.add("serviceaccount/account:Account", "reader", accountId="reader")
    program.add(
        "storage/bucketIAMBinding:BucketIAMBinding",
        "readers",
        bucket=handle.out("name"),
        members=[account.out("member"), "user:a@example.com"],
    )
    (bucket,) = observe(program.resources(moment)).buckets
    assert bucket.public_blocked is True

"""The plugin judges Google Cloud: missing, mistyped, misspelt, dangling, per type."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from gpuinfra.sandbox.plugin import schema
from gpuinfra.sandbox.plugin.wire import from_wire
from tests.sandbox.plugin.filling import filled

TABLES = schema.load("gcp")
ABSENT = "projects/town/global/networks/absent"
DISK = {"boot": True, "sourceImage": "debian-cloud/debian-12"}
BOOT = {"initializeParams": {"image": "debian-cloud/debian-12"}}
EXPR = {"conditionThreshold": {"comparison": "COMPARISON_GT", "duration": "60s", "filter": "x"}}


@dataclass(frozen=True)
class Case:
    """One type: inputs that stand, and how each kind of mistake is made.

    Attributes:
        inputs: values in braces are outputs of the town.
        required: an input to leave out; empty where none is required.
        mistyped: an input and a value of the wrong type or outside its list.
        broken: an input and a reference to nothing; none where the type refers to nothing.
    """

    kind: str
    inputs: dict[str, Any]
    required: str
    mistyped: tuple[str, Any]
    broken: tuple[str, Any] | None = None

    @property
    def token(self) -> str:
        module, _, noun = self.kind.partition(".")
        return f"gcp:{module}/{noun[0].lower()}{noun[1:]}:{noun}"


CASES = (
    Case(
        "billing.Budget",
        {
            "billingAccount": "000000-111111-222222",
            "amount": {"specifiedAmount": {"currencyCode": "USD", "units": "100"}},
        },
        "billingAccount",
        ("amount", {"specifiedAmount": {"units": [100]}}),
        ("allUpdatesRule", {"pubsubTopic": "projects/town/topics/absent"}),
    ),
    Case("compute.Address", {"addressType": "EXTERNAL"}, "", ("networkTier", "GOLD")),
    Case(
        "compute.Autoscaler",
        {"target": "{manager}", "autoscalingPolicy": {"minReplicas": 0, "maxReplicas": 2}},
        "target",
        ("autoscalingPolicy", {"minReplicas": 1, "maxReplicas": "two"}),
        ("target", "absent"),
    ),
    Case(
        "compute.BackendService",
        {"backends": [{"group": "{group}"}], "healthChecks": "{check}"},
        "",
        ("loadBalancingScheme", "SIDEWAYS"),
        ("healthChecks", "absent"),
    ),
    Case(
        "compute.Disk",
        {"size": 100, "type": "pd-ssd"},
        "",
        ("size", "many"),
        ("resourcePolicies", ["absent"]),
    ),
    Case(
        "compute.Firewall",
        {"network": "{network}", "allows": [{"protocol": "tcp"}], "sourceRanges": ["10.0.0.0/8"]},
        "network",
        ("direction", "SIDEWAYS"),
        ("network", ABSENT),
    ),
    Case(
        "compute.ForwardingRule",
        {
            "backendService": "{region_backend}",
            "loadBalancingScheme": "INTERNAL",
            "subnetwork": "{subnet}",
            "ports": ["80"],
        },
        "",
        ("ports", "80"),
        ("subnetwork", "absent"),
    ),
    Case("compute.GlobalAddress", {"addressType": "EXTERNAL"}, "", ("prefixLength", "many")),
    Case(
        "compute.GlobalForwardingRule",
        {"target": "{proxy}", "portRange": "80"},
        "target",
        ("loadBalancingScheme", "SIDEWAYS"),
        ("target", "absent"),
    ),
    Case("compute.HealthCheck", {"tcpHealthCheck": {"port": 80}}, "", ("timeoutSec", "many")),
    Case(
        "compute.Instance",
        {
            "machineType": "e2-small",
            "bootDisk": BOOT,
            "networkInterfaces": [{"subnetwork": "{subnet}"}],
        },
        "machineType",
        ("networkInterfaces", [{"nicType": "TOKEN_RING"}]),
        ("networkInterfaces", [{"subnetwork": "absent"}]),
    ),
    Case(
        "compute.InstanceGroupManager",
        {"baseInstanceName": "m", "versions": [{"instanceTemplate": "{template}"}]},
        "baseInstanceName",
        ("targetSize", "many"),
        ("versions", [{"instanceTemplate": "absent"}]),
    ),
    Case(
        "compute.InstanceTemplate",
        {
            "machineType": "g2-standard-4",
            "disks": [DISK],
            "scheduling": {"onHostMaintenance": "TERMINATE"},
        },
        "disks",
        ("disks", [{"boot": "yes"}]),
        ("networkInterfaces", [{"network": ABSENT}]),
    ),
    Case("compute.Network", {"autoCreateSubnetworks": False}, "", ("routingMode", "SIDEWAYS")),
    Case(
        "compute.RegionAutoscaler",
        {"target": "{region_manager}", "autoscalingPolicy": {"minReplicas": 1, "maxReplicas": 2}},
        "autoscalingPolicy",
        ("autoscalingPolicy", [{"minReplicas": 1, "maxReplicas": 2}]),
        ("target", "absent"),
    ),
    Case(
        "compute.RegionBackendService",
        {"backends": [{"group": "{region_group}"}], "healthChecks": "{region_check}"},
        "",
        ("protocol", "CARRIER_PIGEON"),
        ("backends", [{"group": "absent"}]),
    ),
    Case(
        "compute.RegionHealthCheck", {"httpHealthCheck": {"port": 80}}, "", ("httpHealthCheck", 80)
    ),
    Case(
        "compute.RegionInstanceGroupManager",
        {"baseInstanceName": "m", "versions": [{"instanceTemplate": "{template}"}]},
        "versions",
        ("distributionPolicyZones", "us-central1-a"),
        ("autoHealingPolicies", {"healthCheck": "absent", "initialDelaySec": 60}),
    ),
    Case(
        "compute.RegionInstanceTemplate",
        {"machineType": "e2-small", "disks": [DISK]},
        "machineType",
        ("canIpForward", "no"),
        ("resourcePolicies", "absent"),
    ),
    Case(
        "compute.Reservation",
        {
            "zone": "us-central1-a",
            "specificReservation": {
                "count": 1,
                "instanceProperties": {"machineType": "a2-highgpu-1g"},
            },
        },
        "specificReservation",
        ("specificReservationRequired", "yes"),
    ),
    Case(
        "compute.ResizeRequest",
        {"instanceGroupManager": "{manager_name}", "resizeBy": 2},
        "resizeBy",
        ("resizeBy", "many"),
        ("instanceGroupManager", "absent"),
    ),
    Case(
        "compute.ResourcePolicy",
        {"groupPlacementPolicy": {"collocation": "COLLOCATED"}},
        "",
        ("groupPlacementPolicy", {"collocation": "SCATTERED"}),
    ),
    Case(
        "compute.Router",
        {"network": "{network}"},
        "",
        ("bgp", {"asn": "many"}),
        ("network", ABSENT),
    ),
    Case(
        "compute.RouterNat",
        {
            "router": "{router}",
            "natIpAllocateOption": "MANUAL_ONLY",
            "natIps": ["{address}"],
            "sourceSubnetworkIpRangesToNat": "ALL_SUBNETWORKS_ALL_IP_RANGES",
        },
        "sourceSubnetworkIpRangesToNat",
        ("sourceSubnetworkIpRangesToNat", "EVERYTHING"),
        ("router", "absent"),
    ),
    Case(
        "compute.Subnetwork",
        {"network": "{network}", "ipCidrRange": "10.9.0.0/24"},
        "network",
        ("privateIpGoogleAccess", "yes"),
        ("network", ABSENT),
    ),
    Case(
        "compute.TargetHttpProxy",
        {"urlMap": "{url_map}"},
        "urlMap",
        ("proxyBind", "no"),
        ("urlMap", "absent"),
    ),
    Case(
        "compute.URLMap",
        {"defaultService": "{backend}"},
        "",
        ("hostRules", "*"),
        ("defaultService", "absent"),
    ),
    Case(
        "container.Cluster",
        {"location": "us-central1", "initialNodeCount": 1, "deletionProtection": False},
        "",
        ("initialNodeCount", "many"),
        ("subnetwork", "absent"),
    ),
    Case(
        "container.NodePool",
        {"cluster": "{cluster}", "location": "us-central1", "nodeCount": 1},
        "cluster",
        ("nodeCount", "many"),
        ("cluster", "absent"),
    ),
    Case(
        "filestore.Instance",
        {
            "tier": "ZONAL",
            "location": "us-central1-a",
            "fileShares": {"name": "share", "capacityGb": 1024},
            "networks": [{"network": "{network}", "modes": ["MODE_IPV4"]}],
        },
        "tier",
        ("fileShares", [{"name": "share"}]),
        ("networks", [{"network": ABSENT, "modes": ["MODE_IPV4"]}]),
    ),
    Case(
        "kms.CryptoKey",
        {"keyRing": "{ring}"},
        "keyRing",
        ("rotationPeriod", [7776000]),
        ("keyRing", "projects/town/locations/us-central1/keyRings/absent"),
    ),
    Case("kms.KeyRing", {"location": "us-central1"}, "location", ("location", [1])),
    Case(
        "lustre.Instance",
        {
            "capacityGib": "18000",
            "filesystem": "data",
            "instanceId": "good",
            "location": "us-central1-a",
            "network": "{network}",
        },
        "filesystem",
        ("capacityGib", [18000]),
        ("network", ABSENT),
    ),
    Case(
        "monitoring.AlertPolicy",
        {
            "combiner": "OR",
            "displayName": "busy",
            "conditions": [{"displayName": "busy", **EXPR}],
        },
        "combiner",
        ("combiner", "XOR"),
        ("notificationChannels", ["projects/town/notificationChannels/1"]),
    ),
    Case("monitoring.Dashboard", {"dashboardJson": "{}"}, "dashboardJson", ("dashboardJson", [])),
    Case(
        "monitoring.NotificationChannel",
        {"type": "email", "labels": {"email_address": "a@example.com"}},
        "type",
        ("labels", ["a@example.com"]),
    ),
    Case(
        "projects.IAMCustomRole",
        {"roleId": "reader", "title": "reader", "permissions": ["compute.zones.get"]},
        "permissions",
        ("stage", "OLD"),
    ),
    Case(
        "projects.IAMMember",
        {"project": "town", "role": "roles/logging.logWriter", "member": "{member}"},
        "role",
        ("member", ["{member}"]),
        ("member", "serviceAccount:absent@town.iam.gserviceaccount.com"),
    ),
    Case(
        "pubsub.Topic",
        {"messageRetentionDuration": "600s"},
        "",
        ("labels", ["a"]),
        ("kmsKeyName", "projects/town/locations/us-central1/keyRings/r/cryptoKeys/absent"),
    ),
    Case("serviceaccount.Account", {"displayName": "runner"}, "", ("disabled", "no")),
    Case(
        "storage.Bucket",
        {"location": "US-CENTRAL1"},
        "location",
        ("versioning", True),
        ("logging", {"logBucket": "absent-bucket"}),
    ),
    Case(
        "storage.BucketIAMBinding",
        {"bucket": "{bucket}", "role": "roles/storage.objectViewer", "members": ["{member}"]},
        "members",
        ("members", "{member}"),
        ("bucket", "absent-bucket"),
    ),
    Case(
        "storage.BucketIAMMember",
        {"bucket": "{bucket}", "role": "roles/storage.objectUser", "member": "{member}"},
        "bucket",
        ("role", [7]),
        ("bucket", "absent-bucket"),
    ),
)
IDS = [case.kind for case in CASES]


def test_every_type_of_the_tables_has_a_case() -> None:
    assert sorted(case.token for case in CASES) == sorted(TABLES.tokens)


@pytest.fixture(scope="module")
def town(gcp: Any) -> Iterator[dict[str, str]]:
    """One of each thing that others refer to."""
    made: list[tuple[str, str, dict[str, Any], str]] = []

    def make(kind: str, output: str = "selfLink", **inputs: Any) -> str:
        token = Case(kind, {}, "", ("", "")).token
        name = f"town{len(made)}"
        resource_id, outputs = gcp.create(token, inputs, name=name)
        made.append((token, resource_id, outputs, name))
        return str({**outputs, "id": resource_id}[output])

    network = make("compute.Network", autoCreateSubnetworks=False)
    check = make("compute.HealthCheck", tcpHealthCheck={"port": 80})
    template = make("compute.InstanceTemplate", machineType="e2-small", disks=[DISK])
    group = {"baseInstanceName": "m", "versions": [{"instanceTemplate": template}]}
    manager = make("compute.InstanceGroupManager", **group)
    region_manager = make("compute.RegionInstanceGroupManager", **group)
    backend = make("compute.BackendService", healthChecks=check)
    url_map = make("compute.URLMap", defaultService=backend)
    yield {
        "network": network,
        "subnet": make("compute.Subnetwork", network=network, ipCidrRange="10.1.0.0/24"),
        "check": check,
        "template": template,
        "manager": manager,
        "manager_name": manager.rsplit("/", 1)[-1],
        "group": manager.replace("instanceGroupManagers", "instanceGroups"),
        "region_manager": region_manager,
        "region_group": region_manager.replace("instanceGroupManagers", "instanceGroups"),
        "region_check": make("compute.RegionHealthCheck", tcpHealthCheck={"port": 80}),
        "region_backend": make("compute.RegionBackendService"),
        "backend": backend,
        "url_map": url_map,
        "proxy": make("compute.TargetHttpProxy", urlMap=url_map),
        "router": make("compute.Router", "name", network=network),
        "address": make("compute.Address"),
        "cluster": make(
            "container.Cluster",
            "name",
            location="us-central1",
            initialNodeCount=1,
            deletionProtection=False,
        ),
        "ring": make("kms.KeyRing", "id", location="us-central1"),
        "member": make("serviceaccount.Account", "member"),
        "bucket": make("storage.Bucket", "name", location="US"),
    }
    for token, resource_id, outputs, name in reversed(made):
        gcp.delete(token, resource_id, outputs, name)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_good_inputs_stand_and_are_read_back_unchanged(
    case: Case, gcp: Any, town: dict[str, str]
) -> None:
    inputs, failures = gcp.check(case.token, filled(case.inputs, town), name="good")
    assert not failures
    resource_id, outputs = gcp.create(case.token, filled(case.inputs, town), name="good")
    try:
        answer = gcp.read(case.token, resource_id, "good", outputs=outputs, inputs=inputs)
        again = gcp.diff(case.token, inputs, from_wire(answer.inputs), **outputs)
        imported = gcp.read(case.token, resource_id, "imported")
        taken = gcp.diff(case.token, from_wire(imported.inputs), inputs, **outputs)

        assert answer.id == resource_id
        assert list(again.diffs) == []
        assert imported.id == resource_id
        assert list(taken.diffs) == []
        assert outputs.keys() >= {*TABLES.type(case.token).computed}
    finally:
        gcp.delete(case.token, resource_id, outputs, "good")
    gone = gcp.read(case.token, resource_id, "good", outputs=outputs, inputs=inputs)
    assert gone.id == ""


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.required], ids=lambda case: case.kind
)
def test_a_missing_required_input_is_refused(case: Case, gcp: Any, town: dict[str, str]) -> None:
    inputs = filled(case.inputs, town)
    del inputs[case.required]

    _, failures = gcp.check(case.token, inputs)

    assert failures[case.required].startswith("missing required")


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_mistyped_input_is_refused(case: Case, gcp: Any, town: dict[str, str]) -> None:
    key, value = case.mistyped

    _, failures = gcp.check(case.token, filled({**case.inputs, key: value}, town))

    path, reason = next(iter(failures.items()))
    assert path.startswith(key)
    assert "expected" in reason or "is not one of" in reason or "missing required" in reason


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_an_unknown_input_is_refused_with_the_word_meant(
    case: Case, gcp: Any, town: dict[str, str]
) -> None:
    key = next(iter(case.inputs))

    _, failures = gcp.check(case.token, filled({**case.inputs, f"{key}x": 1}, town))

    assert failures[f"{key}x"].startswith(f"unknown property '{key}x'; did you mean '{key}'?")


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.broken], ids=lambda case: case.kind
)
def test_a_broken_reference_is_refused_in_the_clouds_words(
    case: Case, gcp: Any, town: dict[str, str]
) -> None:
    assert case.broken is not None
    key, value = case.broken

    refusal = gcp.refusal(case.token, filled({**case.inputs, key: value}, town))

    assert "absent" in refusal or "notificationChannels/1" in refusal
    assert "does not exist" in refusal or "Not found" in refusal
    assert refusal.endswith("(sandbox)")

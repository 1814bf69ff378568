"""How the plugin is tried at each type of Google Cloud."""

from tests.sandbox.plugin.gcp.judged import ABSENT, BOOT, DISK, Case
from tests.sandbox.plugin.gcp.judged_services import SERVICES

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
    *SERVICES,
)
IDS = [case.kind for case in CASES]

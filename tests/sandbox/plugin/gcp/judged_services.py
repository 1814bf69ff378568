"""How the plugin is tried at types of Google Cloud other than those of its machines."""

from tests.sandbox.plugin.gcp.judged import ABSENT, EXPR, Case

SERVICES = (
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

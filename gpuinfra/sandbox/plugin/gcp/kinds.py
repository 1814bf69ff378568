"""Things that a Google Cloud input can refer to: which types make one and how it is named."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of thing.

    Attributes:
        made_by: the Pulumi types that make it.
        collection: its name in paths, for example `networks`.
        scope: where a bare name is looked for: global, region, zone, or place for the referring
            resource's own; empty where a reference is a whole name that `key` holds.
        key: the output that holds the reference where it is no path.
        holds: it can't be deleted while something refers to it.
        service: whose words a refusal has: compute, or another service's.
    """

    made_by: tuple[str, ...]
    collection: str = ""
    scope: str = ""
    key: str = ""
    holds: bool = True
    service: str = "compute"


def _compute(names: str, collection: str, scope: str, *, holds: bool = True) -> Kind:
    tokens = tuple(f"gcp:compute/{name[0].lower()}{name[1:]}:{name}" for name in names.split())
    return Kind(made_by=tokens, collection=collection, scope=scope, holds=holds)


_MANAGERS = "InstanceGroupManager RegionInstanceGroupManager"
_URL_MAP = "gcp:compute/uRLMap:URLMap"

KINDS: dict[str, Kind] = {
    "address": _compute("Address", "addresses", "region"),
    "backend-service": _compute("BackendService", "backendServices", "global"),
    "bucket": Kind(
        made_by=("gcp:storage/bucket:Bucket",), key="name", holds=False, service="storage"
    ),
    "cluster": Kind(
        made_by=("gcp:container/cluster:Cluster",),
        collection="clusters",
        scope="location",
        holds=False,
        service="container",
    ),
    "custom-role": Kind(
        made_by=("gcp:projects/iAMCustomRole:IAMCustomRole",),
        key="name",
        holds=False,
        service="iam",
    ),
    "disk": _compute("Disk", "disks", "zone"),
    "health-check": _compute("HealthCheck RegionHealthCheck", "healthChecks", "global"),
    "instance-group": Kind(
        made_by=tuple(
            f"gcp:compute/{name[0].lower()}{name[1:]}:{name}" for name in _MANAGERS.split()
        ),
        collection="instanceGroups",
        scope="place",
        key="instanceGroup",
    ),
    "key": Kind(
        made_by=("gcp:kms/cryptoKey:CryptoKey",),
        collection="cryptoKeys",
        scope="whole",
        holds=False,
        service="kms",
    ),
    "key-ring": Kind(
        made_by=("gcp:kms/keyRing:KeyRing",),
        collection="keyRings",
        scope="whole",
        holds=False,
        service="kms",
    ),
    "manager": _compute(_MANAGERS, "instanceGroupManagers", "place", holds=False),
    "network": _compute("Network", "networks", "global"),
    "notification-channel": Kind(
        made_by=("gcp:monitoring/notificationChannel:NotificationChannel",),
        collection="notificationChannels",
        scope="whole",
        holds=False,
        service="monitoring",
    ),
    "proxy": _compute("TargetHttpProxy", "targetHttpProxies", "global"),
    "region-backend-service": _compute("RegionBackendService", "backendServices", "region"),
    "resource-policy": _compute("ResourcePolicy", "resourcePolicies", "region"),
    "router": _compute("Router", "routers", "region", holds=False),
    "service-account": Kind(
        made_by=("gcp:serviceaccount/account:Account",), key="email", holds=False, service="iam"
    ),
    "subnetwork": _compute("Subnetwork", "subnetworks", "region"),
    "template": _compute("InstanceTemplate RegionInstanceTemplate", "instanceTemplates", "global"),
    "topic": Kind(
        made_by=("gcp:pubsub/topic:Topic",),
        collection="topics",
        scope="whole",
        holds=False,
        service="pubsub",
    ),
    "url-map": Kind(made_by=(_URL_MAP,), collection="urlMaps", scope="global"),
}

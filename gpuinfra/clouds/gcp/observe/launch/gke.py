"""GKE node pools in the form of an instance, so that they are judged like any machines."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.gcp.disk import takes
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch.locations import cluster_of
from gpuinfra.clouds.gcp.observe.launch.purchase_options import FLEX, SPOT
from gpuinfra.clouds.observing.fault_texts import Check
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    flag,
    is_on,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_DISK: Final = {"boot": True, "diskSizeGb": 100}
_PERSISTENT: Final = "pd-balanced"
_HYPERDISK: Final = "hyperdisk-balanced"
"""The default of a node's boot disk, hyperdisk where its machine takes no pd-balanced:
https://docs.cloud.google.com/kubernetes-engine/docs/concepts/configure-boot-disks
https://github.com/hashicorp/terraform-provider-google container_node_pool, disk_type"""

_MACHINE: Final = "e2-medium"
"""The default of a node's machine type:
https://docs.cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes"""


_DEFAULT_ACCOUNT: Final = "default"
_EVERYTHING: Final = ("https://www.googleapis.com/auth/cloud-platform",)
_NARROW_SCOPES: Final = tuple(
    f"https://www.googleapis.com/auth/{scope}"
    for scope in (
        *("devstorage.read_only", "logging.write", "monitoring", "service.management.readonly"),
        *("servicecontrol", "trace.append"),
    )
)


def node_pool_launch(resource: Resource, index: Index) -> LaunchSources:
    """Return the launch settings of a pool's nodes; GKE ends GPU nodes at host maintenance.

    A pool that says nothing of its nodes has those of all defaults.
    """
    config = resource.inputs.get("nodeConfig")
    if isinstance(config, Unknown):
        return LaunchSources((), "its node_config is not known yet")
    cluster = cluster_of(resource, index)
    at_nodes = resource.relations.get("nodeConfig", ())
    of_nodes = ("serviceAccount", "tags", "reservationAffinity")
    relations: dict[str, tuple[str, ...]] = dict.fromkeys(of_nodes, at_nodes)
    relations["networkInterfaces"] = (
        *resource.relations.get("networkConfig", ()),
        *(
            urn
            for key in ("network", "subnetwork")
            for urn in (() if cluster is None else cluster.relations.get(key, ()))
        ),
    )
    inputs = {
        "machineType": at(config, "machineType") or _MACHINE,
        "imageType": at(config, "imageType"),
        "guestAccelerators": at(config, "guestAccelerators"),
        "scheduling": _scheduling(config),
        "reservationAffinity": _affinity(config),
        "disks": [_boot_disk(config), *_image_disks(config)],
        "scratchDisks": _local_ssd_count(config),
        "tags": at(config, "tags"),
        "metadata": at(config, "metadata"),
        "shieldedInstanceConfig": at(config, "shieldedInstanceConfig"),
        "serviceAccount": {
            "email": at(config, "serviceAccount"),
            "scopes": _scopes(config),
        },
        "networkInterfaces": _interfaces(resource, cluster),
        "networkPerformanceConfig": at(
            resource.inputs.get("networkConfig"), "networkPerformanceConfig"
        ),
        "confidentialInstanceConfig": _confidential(config, cluster),
    }
    return LaunchSources((replace(resource, inputs=inputs, relations=relations),))


def _scopes(config: Any) -> Any:
    """Return the stated OAuth scopes, else GKE's default ones for nodes.

    The project's own account gets a few narrow ones, any other one all that its roles allow:
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/access-scopes
    """
    scopes, account = at(config, "oauthScopes"), text(at(config, "serviceAccount"))
    if scopes is None and account in {None, _DEFAULT_ACCOUNT}:
        return _NARROW_SCOPES
    return _EVERYTHING if scopes is None else scopes


def checks(resource: Resource) -> tuple[Check, ...]:
    """Return the checks for settings of a pool that GKE refuses."""
    return tuple(_checks(resource))


def waits_for_all_nodes(resource: Resource) -> Known:
    """Return whether a pool waits until it gets all of its nodes."""
    return is_on(at(resource.inputs.get("queuedProvisioning"), "enabled"))


def _checks(resource: Resource) -> Iterator[Check]:
    config = resource.inputs.get("nodeConfig")
    waits = waits_for_all_nodes(resource)
    flex, spot = is_on(at(config, "flexStart")), _is_spot(config)
    repairs = at(resource.inputs.get("management"), "autoRepair")
    compact = equals(at(resource.inputs.get("placementPolicy"), "type"), "COMPACT")
    yield all_of((flex, spot)), "both flex-start and spot"
    yield all_of((waits, spot)), "queued provisioning of spot nodes"
    yield all_of((waits, compact)), "queued provisioning in a compact placement"
    yield all_of((waits, _reserves(config))), "queued provisioning from a reservation"
    yield (
        all_of((waits, _has_minimum(resource))),
        "queued provisioning of a pool with a minimum of nodes",
    )
    upgrades = is_on(at(resource.inputs.get("management"), "autoUpgrade"))
    yield all_of((waits, upgrades)), "queued provisioning with auto-upgrade"
    repaired: Known = UNKNOWN if repairs is UNKNOWN else flag(repairs) is not False
    yield all_of((flex, repaired)), "flex-start with auto-repair"


def _reserves(config: Any) -> Known:
    kind = text(at(config, "reservationAffinity", "consumeReservationType"))
    return UNKNOWN if isinstance(kind, Unknown) else kind not in {None, "NO_RESERVATION"}


def _has_minimum(resource: Resource) -> Known:
    """Return whether a pool has a minimum above zero; a queued pool starts empty."""
    scaling = resource.inputs.get("autoscaling")
    least = [whole_number(at(scaling, key)) for key in ("minNodeCount", "totalMinNodeCount")]
    return any_of(UNKNOWN if isinstance(count, Unknown) else bool(count) for count in least)


def _scheduling(config: Any) -> Any:
    spot = _is_spot(config)
    flex = is_on(at(config, "flexStart"))
    model: Any = SPOT if spot is True else FLEX if flex is True else "STANDARD"
    if model == "STANDARD" and UNKNOWN in (spot, flex):
        model = UNKNOWN
    duration = text(at(config, "maxRunDuration"))
    seconds = duration.removesuffix("s") if isinstance(duration, str) else duration
    return {
        "provisioningModel": model,
        "preemptible": spot,
        "automaticRestart": False,
        "onHostMaintenance": "TERMINATE",
        "instanceTerminationAction": (
            None if model == "STANDARD" and seconds is None else "DELETE"
        ),
        "maxRunDuration": {"seconds": seconds},
        "nodeAffinities": at(config, "soleTenantConfig") or at(config, "nodeGroup"),
    }


def _is_spot(config: Any) -> Known:
    """Return whether nodes are spot or preemptible, which is the former name of spot."""
    return any_of((is_on(at(config, "spot")), is_on(at(config, "preemptible"))))


def _confidential(config: Any, cluster: Resource | None) -> Any:
    """Return whether nodes are confidential, which a cluster may set for all of them.

    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/confidential-gke-nodes
    """
    shared = None if cluster is None else cluster.inputs.get("confidentialNodes")
    confidential_nodes = at(config, "confidentialNodes")
    return (
        shared
        if is_on(at(shared, "enabled")) is True or confidential_nodes is None
        else confidential_nodes
    )


def _affinity(config: Any) -> Any:
    affinity = at(config, "reservationAffinity")
    reservation_names = {key: at(affinity, key) for key in ("key", "values")}
    return {
        "type": text(at(affinity, "consumeReservationType")),
        "specificReservation": reservation_names,
    }


def _boot_disk(config: Any) -> Any:
    boot_disk = at(config, "bootDisk")
    return {
        **_DISK,
        "diskType": _default_type(config),
        **{
            name: value
            for name, value in (
                ("diskType", at(config, "diskType")),
                ("diskSizeGb", at(config, "diskSizeGb")),
                ("diskType", at(boot_disk, "diskType")),
                ("diskSizeGb", at(boot_disk, "sizeGb")),
                ("provisionedIops", at(boot_disk, "provisionedIops")),
                ("provisionedThroughput", at(boot_disk, "provisionedThroughput")),
            )
            if value is not None
        },
    }


def _image_disks(config: Any) -> Iterator[Any]:
    """Yield the additional boot disks of nodes, each as large as its image.

    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/data-container-image-preloading
    """
    for disk in as_list(at(config, "secondaryBootDisks")):
        yield {"diskType": _default_type(config), "sourceImage": at(disk, "diskImage")}


def _default_type(config: Any) -> str:
    """Return the disk type of nodes that state none."""
    machine_type = text(at(config, "machineType"))
    is_refused = isinstance(machine_type, str) and takes(machine_type, _PERSISTENT) is False
    return _HYPERDISK if is_refused else _PERSISTENT


_SWAP: Final = ("linuxNodeConfig", "swapConfig", "dedicatedLocalSsdProfile")


def _local_ssd_count(config: Any) -> Any:
    """Return how many local SSDs a node has: for pods, for a cache and for swap.

    https://docs.cloud.google.com/kubernetes-engine/docs/reference/rest/v1/NodeConfig
    """
    swap = at(config, *_SWAP)
    counts = (
        at(config, "localSsdCount"),
        at(config, "ephemeralStorageLocalSsdConfig", "localSsdCount"),
        at(config, "ephemeralStorageLocalSsdConfig", "dataCacheCount"),
        at(config, "ephemeralStorageConfig", "localSsdCount"),
        at(config, "localNvmeSsdBlockConfig", "localSsdCount"),
        UNKNOWN if swap and at(swap, "diskCount") is None else at(swap, "diskCount"),
    )
    total = 0
    for count in map(whole_number, counts):
        if isinstance(count, Unknown):
            return UNKNOWN
        total += count or 0
    return [{"interface": "NVME"}] * min(total, 64)


def _interfaces(resource: Resource, cluster: Resource | None) -> Any:
    """Return the node's interface in the cluster's network, and the pool's additional ones."""
    config = resource.inputs.get("networkConfig")
    inputs = {} if cluster is None else cluster.inputs
    private = flag(at(config, "enablePrivateNodes"))
    if private is None:
        private = UNKNOWN if cluster is None else _private_by_default(inputs)
    first: dict[str, Any] = {
        "network": UNKNOWN if cluster is None else inputs.get("network", "default"),
        "subnetwork": at(config, "subnetwork") or inputs.get("subnetwork"),
        "nicType": "GVNIC",
        "accessConfigs": UNKNOWN if private is UNKNOWN else [] if private else [{}],
    }
    further_networks = at(config, "additionalNodeNetworkConfigs")
    profile = at(config, "acceleratorNetworkProfile")
    if UNKNOWN in (config, further_networks) or profile is not None:
        return UNKNOWN
    return [
        first,
        *(
            {key: at(network, key) for key in ("network", "subnetwork")} | {"nicType": "GVNIC"}
            for network in as_list(further_networks)
        ),
    ]


def _private_by_default(cluster: Mapping[str, Any]) -> Known:
    """Return whether nodes have no public address where their pool does not say."""
    return any_of(
        (
            is_on(at(cluster.get("networkConfig"), "defaultEnablePrivateNodes")),
            is_on(at(cluster.get("privateClusterConfig"), "enablePrivateNodes")),
        )
    )

"""The instance template: how a machine of a group starts."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.billing import gib
from gpuinfra.clouds.gcp.declare.children import Children
from gpuinfra.clouds.gcp.declare.identity import DeclaredIdentity
from gpuinfra.clouds.gcp.declare.image import DeclaredImage
from gpuinfra.clouds.gcp.disk import boot_disk as disk_of
from gpuinfra.clouds.gcp.machines import hardware
from gpuinfra.graph import Resource, concat
from gpuinfra.model import Machine
from gpuinfra.records import record
from gpuinfra.specs.schema import Disk

METADATA: Final = {
    "enable-oslogin": "TRUE",
    "block-project-ssh-keys": "TRUE",
    "serial-port-enable": "FALSE",
}
"""Who logs in is IAM's to say; no key of the project, no way in past the network.
https://docs.cloud.google.com/compute/docs/oslogin/set-up-oslogin"""

SCOPES: Final = ("https://www.googleapis.com/auth/cloud-platform",)
"""The account's roles say what it may; scopes are the older way and would only hide them.
https://docs.cloud.google.com/compute/docs/access/service-accounts#scopes_best_practice"""


@record
class LaunchSpec:
    """The settings of a template for a machine.

    Attributes:
        machine: the row of the table.
        disk: the boot disk as requested, with a type that the machine supports.
        spot: whether it is a spot machine.
        image: the image of the boot disk.
        identity: the service account of the machine.
        placement: the policy that keeps machines close.
        deletion_time: the moment, in UTC and without its zone, at which the machine is deleted.
    """

    machine: Machine
    disk: Disk
    spot: bool
    image: DeclaredImage
    identity: DeclaredIdentity
    placement: Any = None
    deletion_time: Any = None


def instance_template(
    children: Children,
    child: str,
    launch: LaunchSpec,
    *,
    interfaces: Sequence[Mapping[str, Any]],
    start: Any,
) -> Resource:
    """Declare a template; every value in it is one that the plan was judged on."""
    base = hardware(launch.machine.type)
    return children.make(
        "gcp:compute/instanceTemplate:InstanceTemplate",
        child,
        machineType=base.machine_type,
        guestAccelerators=None
        if base.accelerator is None
        else [{"type": base.accelerator, "count": base.count}],
        resourcePolicies=launch.placement,
        disks=[boot_disk(launch, launch.image.id, children.tags)],
        networkInterfaces=list(interfaces),
        scheduling={
            **scheduling(spot=launch.spot, placed=launch.placement is not None),
            **ending(launch.deletion_time),
        },
        shieldedInstanceConfig={
            "enableVtpm": True,
            "enableIntegrityMonitoring": True,
            "enableSecureBoot": launch.image.secure_boot,
        },
        serviceAccount={"email": launch.identity.account["email"], "scopes": list(SCOPES)},
        metadata=METADATA,
        metadataStartupScript=start,
    )


def scheduling(*, spot: bool, placed: bool) -> dict[str, Any]:
    """Return how a machine is bought, and what happens when its host fails.

    A machine with GPUs can't move to another host, and one that is placed close to others is not
    restarted elsewhere: https://docs.cloud.google.com/compute/docs/gpus/gpu-host-maintenance,
    https://docs.cloud.google.com/compute/docs/instances/placement-policies-overview
    An interrupted spot machine is deleted, and its group makes another:
    https://docs.cloud.google.com/compute/docs/instances/spot
    """
    if spot:
        return {
            "provisioningModel": "SPOT",
            "preemptible": True,
            "automaticRestart": False,
            "onHostMaintenance": "TERMINATE",
            "instanceTerminationAction": "DELETE",
        }
    return {
        "provisioningModel": "STANDARD",
        "preemptible": False,
        "automaticRestart": not placed,
        "onHostMaintenance": "TERMINATE",
    }


def ending(moment: Any) -> dict[str, Any]:
    """Return how a machine is deleted at a moment, whatever runs on it; nothing without one.

    A moment and no duration: that would begin anew with a machine that is made again after an
    interruption. A group deletes a machine that reaches its limit instead of repairing it, and a
    moment that has passed starts none:
    https://docs.cloud.google.com/compute/docs/instance-groups/limit-vm-runtime-in-migs,
    https://docs.cloud.google.com/compute/docs/release-notes#April_29_2024
    """
    if moment is None:
        return {}
    return {"terminationTime": concat(moment, "Z"), "instanceTerminationAction": "DELETE"}


def boot_disk(launch: LaunchSpec, image: Any, labels: Mapping[str, str]) -> dict[str, Any]:
    """Return the machine's own disk, deleted with it; Google encrypts every disk.

    Figures that are not chosen are the included ones: Google's defaults may cost more.
    """
    disk = disk_of(launch.machine)
    speed = {
        "provisionedIops": launch.disk.iops or disk.included_iops,
        "provisionedThroughput": launch.disk.throughput or disk.included_throughput,
    }
    return {
        "boot": True,
        "autoDelete": True,
        "sourceImage": image,
        "diskType": disk.type,
        "diskSizeGb": gib(launch.disk.size),
        "labels": dict(labels),
        **{name: value for name, value in speed.items() if value is not None},
    }

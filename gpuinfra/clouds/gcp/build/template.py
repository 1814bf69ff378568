"""The instance template: how a machine of a group starts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pulumi
import pulumi_gcp as gcp

from gpuinfra.clouds.footprint import gib
from gpuinfra.clouds.gcp.build.children import Children
from gpuinfra.clouds.gcp.build.identity import Identity
from gpuinfra.clouds.gcp.build.image import Image
from gpuinfra.clouds.gcp.disk import boot_disk as disk_of
from gpuinfra.clouds.gcp.machines import hardware
from gpuinfra.model import Machine
from gpuinfra.stackfile.schema import Disk

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What a template says of a machine.

    Attributes:
        machine: the row of the table.
        disk: the boot disk as asked for; its type is the machine's to say.
        spot: how it is bought.
        placement: the policy that keeps machines close.
    """

    machine: Machine
    disk: Disk
    spot: bool
    placement: pulumi.Input[str] | None = None


def instance_template(
    children: Children,
    child: str,
    launch: Launch,
    image: Image,
    *,
    interfaces: Sequence[Mapping[str, Any]],
    identity: Identity,
    start: pulumi.Input[str],
) -> gcp.compute.InstanceTemplate:
    """Register a template; every value of it is what the plan was judged on."""
    base = hardware(launch.machine.type)
    more: dict[str, Any] = {}
    if base.accelerator is not None:
        more["guest_accelerators"] = [{"type": base.accelerator, "count": base.count}]
    if launch.placement is not None:
        more["resource_policies"] = launch.placement
    return children.make(
        gcp.compute.InstanceTemplate,
        child,
        machine_type=base.machine_type,
        disks=[boot_disk(launch, image.id, children.tags)],
        network_interfaces=list(interfaces),
        scheduling=scheduling(spot=launch.spot, placed=launch.placement is not None),
        shielded_instance_config={
            "enable_vtpm": True,
            "enable_integrity_monitoring": True,
            "enable_secure_boot": image.secure_boot,
        },
        service_account={"email": identity.account.email, "scopes": list(SCOPES)},
        metadata=METADATA,
        metadata_startup_script=start,
        **more,
    )


def scheduling(*, spot: bool, placed: bool) -> dict[str, Any]:
    """How a machine is bought, and what happens when its host goes.

    A machine with GPUs can't move to another host, and one that is placed close to others is not
    restarted elsewhere: https://docs.cloud.google.com/compute/docs/gpus/gpu-host-maintenance,
    https://docs.cloud.google.com/compute/docs/instances/placement-policies-overview
    An interrupted spot machine is deleted, and its group makes another:
    https://docs.cloud.google.com/compute/docs/instances/spot
    """
    if spot:
        return {
            "provisioning_model": "SPOT",
            "preemptible": True,
            "automatic_restart": False,
            "on_host_maintenance": "TERMINATE",
            "instance_termination_action": "DELETE",
        }
    return {
        "provisioning_model": "STANDARD",
        "preemptible": False,
        "automatic_restart": not placed,
        "on_host_maintenance": "TERMINATE",
    }


def boot_disk(
    launch: Launch, image: pulumi.Input[str], labels: Mapping[str, str]
) -> dict[str, Any]:
    """The machine's own disk, gone with the machine; Google encrypts every disk."""
    speed = {
        "provisioned_iops": launch.disk.iops,
        "provisioned_throughput": launch.disk.throughput,
    }
    return {
        "boot": True,
        "auto_delete": True,
        "source_image": image,
        "disk_type": disk_of(launch.machine).type,
        "disk_size_gb": gib(launch.disk.size),
        "labels": dict(labels),
        **{name: value for name, value in speed.items() if value is not None},
    }

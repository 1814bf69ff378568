"""Settings that do nothing, or harm, because of what another setting or an image says."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.graph import Lookup, Ref, Resource
from tests.witnesses.aws.stack import Stack, each

GROUPS: Final = ("InstanceGroupManager", "RegionInstanceGroupManager")
NEEDED: Final = "When used with `wait_for_instances`"
"""How the provider documents `wait_for_instances_status`, which a test looks up in the SDK."""

OF_OLD: Final = ("daysSinceNoncurrentTime", "noncurrentTimeBefore", "numNewerVersions")
"""Conditions that count versions which are no longer the live one:
https://docs.cloud.google.com/storage/docs/lifecycle#conditions"""


def complaints(stack: Stack) -> Iterator[str]:
    """Settings without effect, and a boot that ends before the GPU's driver."""
    for token in GROUPS:
        for group, inputs in stack.of(token):
            if inputs.get("waitForInstancesStatus") and not inputs.get("waitForInstances"):
                yield f"{group.key}: a status to wait for, and it does not wait"
    for bucket, inputs in stack.of("Bucket"):
        conditions = each(inputs, "lifecycleRules.condition")
        counted = any(condition.get(key) is not None for condition in conditions for key in OF_OLD)
        if counted and True not in each(inputs, "versioning.enabled"):
            yield f"{bucket.key}: a rule for old versions, and it keeps none"
    for template, inputs in stack.of("InstanceTemplate"):
        secure = True in each(inputs, "shieldedInstanceConfig.enableSecureBoot")
        if secure and not all(_signed(disk, stack) for disk in each(template.inputs, "disks")):
            yield f"{template.key}: secure boot, and no source says that its driver is signed"


def _signed(disk: Any, stack: Stack) -> bool:
    """Whether a source says that the drivers of an image are signed; so is one that is hidden."""
    family = _family(disk.get("sourceImage"), stack)
    rows = {row["family"]: row["secure_boot"] for row in TABLES.rows("images")}
    return bool(rows.get(family, True))


def _family(image: Any, stack: Stack) -> str | None:
    """The family that an image is the newest of, which is kept in the state."""
    held: Resource | None = (
        stack.graph.resources.get(image.key) if isinstance(image, Ref) else None
    )
    lookup = None if held is None else held.inputs.get("input")
    return lookup.arguments.get("family") if isinstance(lookup, Lookup) else None

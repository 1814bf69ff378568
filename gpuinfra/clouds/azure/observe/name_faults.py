"""The names that Azure refuses."""

import re
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.launch_settings import Profile
from gpuinfra.clouds.observing.name_patterns import NamedTypes, NamePattern, faults
from gpuinfra.model import Resource

_MACHINE: Final = NamePattern(
    "the machine's name",
    re.compile(r"(?!_)[\w.-]{0,63}[A-Za-z0-9_]", re.ASCII),
    "1 to 64 letters, digits, dots, hyphens and underscores, no underscore first, a letter, digit"
    " or underscore last",
)
_PREFIX: Final = NamePattern(
    "the prefix of the machines' names",
    re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,57}"),
    "1 to 58 letters, digits and hyphens, a letter or digit first",
)
_POOL: Final = NamePattern(
    "the node pool's name",
    re.compile(r"[a-z][a-z0-9]{0,11}"),
    "1 to 12 lower-case letters and digits, a letter first",
)
_ACCOUNT: Final = NamePattern(
    "the storage account's name",
    re.compile(r"[a-z0-9]{3,24}"),
    "3 to 24 lower-case letters and digits",
)
_CONTAINER: Final = NamePattern(
    "the container's name",
    re.compile(r"\$root|\$web|\$logs|(?=.{3,63}$)[a-z0-9]+(?:-[a-z0-9]+)*"),
    "3 to 63 lower-case letters, digits and single hyphens, a letter or digit at both ends",
)
"""https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules"""

_NAME_INPUTS: Final = {
    resource_types.MACHINE: ((_MACHINE, "vmName"),),
    resource_types.SCALE_SET: ((_MACHINE, "vmScaleSetName"),),
    resource_types.POOL: ((_POOL, "agentPoolName"),),
    resource_types.ACCOUNT: ((_ACCOUNT, "accountName"),),
    resource_types.CONTAINER: ((_CONTAINER, "containerName"),),
}


STANDALONE_NAME_INPUTS: Final[NamedTypes] = {
    resource_types.CLUSTER: (
        NamePattern(
            "the cluster's name",
            re.compile(r"(?=.{1,63}$)[A-Za-z0-9](?:[\w-]*[A-Za-z0-9])?", re.ASCII),
            "1 to 63 letters, digits, hyphens and underscores, a letter or digit at both ends",
        ),
        "resourceName",
    ),
    resource_types.IDENTITY: (
        NamePattern(
            "the managed identity's name",
            re.compile(r"[A-Za-z0-9][\w-]{2,127}", re.ASCII),
            "3 to 128 letters, digits, hyphens and underscores, a letter or digit first",
        ),
        "resourceName",
    ),
}
"""https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules"""


def group_name_faults(profile: Profile) -> tuple[str, ...]:
    """Return the faults of a machine's or a scale set's names."""
    prefix = profile.get("osProfile", "computerNamePrefix")
    return faults((*_own_name_inputs(profile.resource), (_PREFIX, prefix)))


def pool_name_faults(holder: Resource, name: Any) -> tuple[str, ...]:
    """Return the faults of a node pool's name, its own or the one in its cluster."""
    own = (
        _own_name_inputs(holder)
        if resource_types.canonical(holder.type) == resource_types.POOL
        else ((_POOL, name),)
    )
    return faults(own)


def bucket_name_faults(*resources: Resource | None) -> tuple[str, ...]:
    """Return the faults of a container's name and of its account's."""
    return faults(
        pair
        for resource in resources
        if resource is not None
        for pair in _own_name_inputs(resource)
    )


def _own_name_inputs(resource: Resource) -> tuple[tuple[NamePattern, Any], ...]:
    known = _NAME_INPUTS.get(resource_types.canonical(resource.type), ())
    return tuple((form, resource.inputs.get(key)) for form, key in known)

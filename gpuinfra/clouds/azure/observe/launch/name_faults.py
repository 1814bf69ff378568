"""The names that Azure refuses."""

from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.launch.launch_settings import Profile
from gpuinfra.clouds.azure.tables import TABLES
from gpuinfra.clouds.observing.name_patterns import NameTable, faults
from gpuinfra.model import Resource

NAMES: Final = NameTable("azure", TABLES, resource_types.canonical)


def group_name_faults(profile: Profile) -> tuple[str, ...]:
    """Return the faults of a machine's or a scale set's names."""
    form = NAMES.form(resource_types.SCALE_SET, "computerNamePrefix")
    prefix = profile.get("osProfile", "computerNamePrefix")
    return (*NAMES.faults(profile.resource), *faults(((form, prefix),)))


def pool_name_faults(holder: Resource, name: Any) -> tuple[str, ...]:
    """Return the faults of a node pool's name, its own or the one in its cluster."""
    if resource_types.canonical(holder.type) == resource_types.POOL:
        return NAMES.faults(holder)
    return faults(((NAMES.form(resource_types.POOL, "agentPoolName"), name),))

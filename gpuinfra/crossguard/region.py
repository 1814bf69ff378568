"""The region of a resource: its own, its provider's, or the environment's."""

from collections.abc import Mapping
from typing import Any

from gpuinfra.clouds import cloud_of, provider_of
from gpuinfra.model import Unknown


def region_of(resource_type: str, *property_sets: Mapping[str, Any]) -> str | None:
    """Return the region from the first place that states one, or else from the environment.

    A policy pack inherits the environment of the provider plugins. None when it is not
    stated, or when the first place that states it does not know it yet.
    """
    cloud = cloud_of(resource_type)
    if cloud is None:
        return None
    region = provider_of(cloud).regions.of_resource(*property_sets)
    if region is None:
        region = provider_of(cloud).regions.environment_region()
    return None if isinstance(region, Unknown) else region

"""The metadata of a whole project or a zone of it, which every machine there can read."""

from dataclasses import replace

from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.safety import plain_secrets
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import Exposure, Resource, Rows, Usage


def whole(resource: Resource, _: Index, __: Usage) -> Rows:
    """Return what all metadata of a project shows."""
    return _shown(resource)


def of_one_key(resource: Resource, _: Index, __: Usage) -> Rows:
    """Return what one entry of a project's metadata shows."""
    key = resource.inputs.get("key")
    metadata = {str(key): resource.inputs.get("value")}
    return _shown(replace(resource, inputs={"metadata": metadata}))


def of_a_zone(resource: Resource, _: Index, __: Usage) -> Rows:
    """Return what the metadata shows that all machines of a zone have."""
    metadata = at(resource.inputs.get("metadata"), "items")
    return _shown(replace(resource, inputs={"metadata": metadata}))


def _shown(resource: Resource) -> Rows:
    """Which passwords and keys stand there; it is read like the metadata of a machine."""
    secrets = plain_secrets(LaunchSources((resource,)))
    return Rows(exposures=(Exposure(subject=resource.urn, secrets=secrets),))

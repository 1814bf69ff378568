"""The metadata of a whole project or of a zone, which every machine there can read."""

from dataclasses import replace

from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.machines.machine_security import plain_secrets
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import Exposure, Resource, Rows, Usage


def project_metadata(resource: Resource, _: Index, __: Usage) -> Rows:
    """Return the secrets in all metadata of a project."""
    return _metadata_rows(resource)


def metadata_item_rows(resource: Resource, _: Index, __: Usage) -> Rows:
    """Return the secrets in one entry of a project's metadata."""
    key = resource.inputs.get("key")
    metadata = {str(key): resource.inputs.get("value")}
    return _metadata_rows(replace(resource, inputs={"metadata": metadata}))


def zone_metadata_rows(resource: Resource, _: Index, __: Usage) -> Rows:
    """Return the secrets in the metadata of all machines of a zone."""
    metadata = at(resource.inputs.get("metadata"), "items")
    return _metadata_rows(replace(resource, inputs={"metadata": metadata}))


def _metadata_rows(resource: Resource) -> Rows:
    """Return the passwords and keys in metadata, found as in a machine's own."""
    secrets = plain_secrets(LaunchSources((resource,)))
    return Rows(exposures=(Exposure(subject=resource.urn, secrets=secrets),))

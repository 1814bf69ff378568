"""The metadata of a whole project, which every machine of it can read."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from gpuinfra.clouds.gcp.observe import kinds
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.safety import secrets_of
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.model import Exposure, Resource, Rows, Usage


def _whole(resource: Resource, _: Index, __: Usage) -> Rows:
    return _shown(resource)


def _of_one_key(resource: Resource, _: Index, __: Usage) -> Rows:
    key = resource.inputs.get("key")
    metadata = {str(key): resource.inputs.get("value")}
    return _shown(replace(resource, inputs={"metadata": metadata}))


def _shown(resource: Resource) -> Rows:
    """Which passwords and keys stand there; it is read like the metadata of a machine."""
    secrets = secrets_of(Layers((resource,)))
    return Rows(exposures=(Exposure(subject=resource.urn, secrets=secrets),))


READERS: Final[dict[str, Callable[[Resource, Index, Usage], Rows]]] = {
    kinds.PROJECT_METADATA: _whole,
    kinds.PROJECT_METADATA_ITEM: _of_one_key,
}
"""Who observes which kind."""

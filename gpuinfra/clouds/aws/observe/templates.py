"""Launch templates that no machines of the stack use."""

from collections.abc import Iterator

from gpuinfra.clouds.aws.observe import kinds
from gpuinfra.clouds.aws.observe.groups import asked_of
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.safety import secrets_of
from gpuinfra.clouds.observing import templates
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.model import Resource, Rows


def unused(index: Index) -> Iterator[Rows]:
    """Return what each template says by itself that no machines here start from."""

    def launches(machines: Resource) -> Iterator[Layers]:
        return (option.launch for option in asked_of(machines, index).options)

    machines = (resource for kind in sorted(kinds.MACHINES) for resource in index.of(kind))
    return templates.unused(index.of(kinds.TEMPLATE), machines, launches, secrets_of)

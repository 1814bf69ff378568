"""Launch templates that no machines of the stack use."""

from collections.abc import Iterator

from gpuinfra.clouds.aws.observe import kinds
from gpuinfra.clouds.aws.observe.groups import MACHINES, asked_of
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.safety import secrets_of
from gpuinfra.clouds.observing import templates
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.rows import Rows


def unused(index: Index) -> Iterator[Rows]:
    """Return what each template says by itself that no machines here start from."""
    found = index.of(kinds.TEMPLATE)
    used = set(_used(index)) if found else set()
    for one in found:
        if one.urn not in used:
            yield templates.unused(one, secrets_of(Layers((one,))))


def _used(index: Index) -> Iterator[str]:
    """The templates that machines start from, surely or perhaps."""
    for kind in sorted(MACHINES):
        for machines in index.of(kind):
            for option in asked_of(machines, index).options:
                yield from (layer.urn for layer in option.launch.layers)
            yield from (one for urns in machines.relations.values() for one in urns)

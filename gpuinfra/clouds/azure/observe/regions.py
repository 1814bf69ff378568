"""Resources of one region: machines find no network, rules or balancer of another one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gpuinfra.clouds.azure.observe import kinds, places
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.model import NOWHERE, Resource

_LOCAL: Final = frozenset(
    {
        *(kinds.SCALE_SET, kinds.MACHINE, kinds.INTERFACE, kinds.NETWORK, kinds.SUBNET),
        *(kinds.FIREWALL, kinds.NAT, kinds.ADDRESS, kinds.BALANCER, kinds.AUTOSCALE),
    }
)
"""Types whose resources name others of their own region, "InvalidResourceReference" elsewhere:
https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-invalid-resource-reference
"""


def of_stack(machines: Resource, index: Index) -> Iterator[tuple[bool, str]]:
    """Yield resources that refer to one of another region, beside machines or for them."""
    found = index.once("regions", lambda: _by_parent(index))
    for words in found.get(machines.parent or "", ()):
        yield False, words


def _by_parent(index: Index) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for one in index:
        if not _is_local(one):
            continue
        here = _region(one, index)
        for key in one.relations:
            for other in index.related(one, key):
                there = _region(other, index) if _is_local(other) else NOWHERE
                if NOWHERE not in (here, there) and here != there:
                    words = f"{one.name} in {here} refers to {other.name} in {there}"
                    found.setdefault(one.parent or "", []).append(words)
    return {parent: tuple(dict.fromkeys(words)) for parent, words in found.items()}


def _region(resource: Resource, index: Index) -> str:
    """A subnet stands where its network does."""
    if kinds.canonical(resource.type) != kinds.SUBNET:
        return places.region_of(resource, index)
    networks = index.targets(resource, "virtualNetworkName", kinds.NETWORK)
    return places.region_of(networks.certain[0], index) if networks.certain else NOWHERE


def _is_local(resource: Resource) -> bool:
    return kinds.canonical(resource.type) in _LOCAL

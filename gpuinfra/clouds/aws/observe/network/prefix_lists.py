"""The addresses of prefix lists that rules name."""

from collections.abc import Iterator
from typing import Any

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import UNKNOWN, Resource, Unknown


def addresses_of(holder: Resource, prop: str, list_ids: Any, index: Index) -> Iterator[Any]:
    """Yield the addresses of prefix lists; UNKNOWN for those of a list outside this stack."""
    lists = index.targets(holder, prop, resource_types.PREFIX_LIST, list_ids)
    if not lists.exact:
        yield UNKNOWN
    for resource in lists.certain:
        entries = resource.inputs.get("entries")
        yield from [UNKNOWN] if isinstance(entries, Unknown) else ()
        yield from (at(entry, "cidr") for entry in as_list(entries))
        added = index.referrers(resource, resource_types.PREFIX_LIST_ENTRY, "prefixListId")
        yield from (entry.inputs.get("cidr") for entry in added.certain)
        yield from () if added.complete else (UNKNOWN,)

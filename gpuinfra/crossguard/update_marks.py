"""The program's resources with what the state tells of them: outputs, and what an update does."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gpuinfra.crossguard.existing_resources import ExistingResource
from gpuinfra.crossguard.resource_index import is_default
from gpuinfra.model import Resource


def with_outputs(
    resources: Iterable[Resource],
    existing: Iterable[ExistingResource],
    first: Iterable[ExistingResource] | None,
    aliases: Mapping[str, Sequence[str]],
) -> tuple[Resource, ...]:
    """Return the resources with the outputs that only the state has, and what the update creates.

    What is imported counts as created: a pack is not shown whether it is.

    Args:
        resources: of the program.
        existing: the state as it is now.
        first: the state before the update; None where it was not read.
        aliases: the earlier URNs of each resource that the program registers, not of those that
            it only reads.
    """
    current = {each.resource.urn: each.resource for each in existing if each.current}
    before = current if first is None else {each.resource.urn: each.resource for each in first}

    def marked(resource: Resource) -> Resource:
        former_urns = (resource.urn, *aliases.get(resource.urn, ()))
        former = next((before[urn] for urn in former_urns if urn in before), None)
        if resource.urn in current:
            return _with_update_marks(resource, current[resource.urn], former)
        return replace(resource, created_in_update=former is None and resource.urn in aliases)

    return tuple(map(marked, resources))


def _with_update_marks(resource: Resource, now: Resource, before: Resource | None) -> Resource:
    """Return a resource with its outputs, marked with what the running update did to it.

    What is done is no change to come: a template's latest version is its new one by then. A
    default of the account counts as changed all the same, since what it is for may be older.
    """
    outputs = {**now.outputs, **resource.outputs}
    resource = replace(resource, created=now.created)
    if before is None or before.outputs.get("id") != now.outputs.get("id"):
        return replace(resource, outputs=outputs, created_in_update=True)
    was = before if is_default(resource.type) else now
    return replace(resource.updated_from(was), outputs=outputs)

"""Documents and calls that start stopped machines and databases of other stacks.

Those of this stack count as running where they are declared; one of elsewhere counts nowhere here.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.name_patterns import matches_pattern
from gpuinfra.clouds.observing.values import as_list, at, texts_in, unknown_inside
from gpuinfra.model import UNKNOWN, Resource, Unknown

_DATABASE_CLUSTER: Final = "aws:rds/cluster:Cluster"
_DOCUMENTS: Final = {
    "AWS-StartEC2Instance*": resource_types.INSTANCE,
    "AWS-RestartEC2Instance*": resource_types.INSTANCE,
    "AWS-StartRdsInstance": resource_types.DATABASE,
    "AWS-StartStopAuroraCluster": _DATABASE_CLUSTER,
}
"""Documents of AWS that start something, by the type of it:
https://docs.aws.amazon.com/systems-manager-automation-runbooks/latest/userguide/automation-runbook-reference.html
(cited from memory)"""
_CALLS: Final = {
    "ec2:startinstances": resource_types.INSTANCE,
    "rds:startdbinstance": resource_types.DATABASE,
    "rds:startdbcluster": _DATABASE_CLUSTER,
}
"""https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_StartInstances.html"""
_WINDOW_TARGET: Final = "aws:ssm/maintenanceWindowTarget:MaintenanceWindowTarget"
_STOPS: Final = "Stop"
"""The action of a document that either starts or stops."""
_TAG: Final = "tag:"
_ID: Final = re.compile(r"\bi-[0-9a-z]+")
_NAMES: Final = ("id", "arn", "identifier", "clusterIdentifier")
_NOUNS: Final = {resource_types.INSTANCE: "machine"}


def by_document(resource: Resource, name: str, index: Index) -> Iterator[str | Unknown]:
    """Yield that a document of Systems Manager starts what is not declared, or may do so."""
    document_name = name.partition(":")[0]
    kinds = (
        kind for pattern, kind in _DOCUMENTS.items() if matches_pattern(pattern, document_name)
    )
    kind = next(kinds, None)
    if kind is not None and not any(
        _contains_name(text, _STOPS) for text in texts_in(resource.inputs)
    ):
        yield from _undeclared_starts(resource, kind, index)


def by_call(resource: Resource, action: str, index: Index) -> Iterator[str | Unknown]:
    """Yield that a call, as SERVICE:action, starts what is not declared, or may do so."""
    kind = _CALLS.get(action.lower())
    if kind is not None:
        yield from _undeclared_starts(resource, kind, index)


def _undeclared_starts(resource: Resource, kind: str, index: Index) -> Iterator[str | Unknown]:
    """Yield that a resource starts something of a kind that the stack does not declare."""
    holders = (resource, *index.of_kind(_WINDOW_TARGET))
    texts = [text for holder in holders for text in texts_in(holder.inputs)]
    own_machines = [
        machine for machine in index.of_kind(kind) if _is_started(machine, holders, texts, index)
    ]
    ids = {machine.outputs.get("id") for machine in own_machines}
    other_ids = {named_id for text in texts for named_id in _ID.findall(text)} - ids
    if own_machines and not other_ids:
        return
    has_unknown_values = not other_ids and unknown_inside(resource.inputs)
    noun = _NOUNS.get(kind, "database")
    yield UNKNOWN if has_unknown_values else f"it starts a {noun} that it does not declare"


def _is_started(
    machine: Resource, holders: Sequence[Resource], texts: Sequence[str], index: Index
) -> bool:
    """Return whether a resource of the stack is among those that are started."""
    values = (machine.outputs.get(key, machine.inputs.get(key)) for key in _NAMES)
    names = [value for value in values if isinstance(value, str)]
    if any(_contains_name(text, name) for name in names for text in texts):
        return True
    return any(
        any(machine in index.related_resources(holder, prop) for prop in holder.relations)
        or any(_has_tag(machine, target) for target in as_list(holder.inputs.get("targets")))
        for holder in holders
    )


def _contains_name(text: str, name: str) -> bool:
    """Return whether a text is a name, a list with it, or JSON with it."""
    return f'"{name}"' in text or name in re.split(r"[,\s]+", text)


def _has_tag(machine: Resource, target: Any) -> bool:
    """Return whether a machine has a tag that a target names with one of its values."""
    key, values = at(target, "key"), as_list(at(target, "values"))
    tag = key.removeprefix(_TAG) if isinstance(key, str) and key.startswith(_TAG) else ""
    return bool(tag) and at(machine.inputs.get("tags"), tag) in values

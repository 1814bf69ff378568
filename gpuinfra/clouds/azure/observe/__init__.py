"""Reads `azure-native:*` resources of any program into model rows, by what they declare.

Nothing is read from tags or component types: a hand-written stack is judged as ours is. Relations
hold by value (ids, or names within a resource group) once they are known, and by property
dependency before that.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.costs.budget import budget_doubts, cloud_budget
from gpuinfra.clouds.azure.observe.costs.budget_alerts import budget_words
from gpuinfra.clouds.azure.observe.detached_firewalls import opened_firewalls
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch import scaling
from gpuinfra.clouds.azure.observe.launch.name_faults import NAMES
from gpuinfra.clouds.azure.observe.observers import OBSERVERS, TYPES
from gpuinfra.clouds.azure.observe.resource_types import canonical
from gpuinfra.clouds.azure.observe.storage.buckets import buckets
from gpuinfra.clouds.azure.tables import PRICES
from gpuinfra.clouds.observing.file_system_machines import with_machine_groups
from gpuinfra.clouds.observing.reservation_use import Occupancy
from gpuinfra.clouds.observing.rows import distinctly_named, rows_without_machines, unjudged_rows
from gpuinfra.lazy import LazyTable
from gpuinfra.model import FileSystem, NotJudged, Resource, Rows, Usage, combined_rows

__all__ = [
    "COST_FALLS_IN_USE",
    "DATED_DEFAULTS",
    "DEFAULTS",
    "OCCUPANCIES",
    "STAND_INS",
    "TYPES",
    "Index",
    "Rows",
    "canonical",
    "groups_and_items",
    "observe",
]

_NO_USAGE: Final = Usage()
_KUBERNETES_PREFIX: Final = "kubernetes:"

STAND_INS: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    "private": {
        resource_types.FIREWALL: {},
        resource_types.SUBNET: {"networkSecurityGroup": {"id": "{}"}},
    },
    "limited": {resource_types.IDENTITY: {}},
}
"""What stands for a trusted reference: see `provider_contract.Observe`."""

_ROUTE: Final = "azure-native:cdn:Route"
_OPENING_TYPES: Final = re.compile(
    r"FirewallRule$|RuleCollectionGroup$|:AzureFirewall$|:Registry$|:ManagedCluster$|"
    r"azuread:index/(?:application|user|\w+Certificate):|AuthorizationRule$|:OnlineEndpoint$|"
    r":containerregistry:Token$|:LocalUser$|:JitNetworkAccessPolicy$|:PrivateLinkService$|:Gallery$|"
    r":cdn:(?:Route|AFDCustomDomain|Endpoint)$|:FrontDoor$|:web:WebApp(?:Slot)?$"
)
"""How types are called that may open something to everyone: see `exposures`."""

COST_FALLS_IN_USE: Final = LazyTable[Callable[..., Rows]](
    "gpuinfra.clouds.azure.observe",
    {resource_types.RESERVATION: "machines.reservations:detached_reservation_rows"},
)
"""Types whose cost falls when the machines that use them come: what is used is paid once."""

OCCUPANCIES: Final = LazyTable[Callable[..., Occupancy]](
    "gpuinfra.clouds.azure.observe",
    {resource_types.RESERVATION: "machines.reserved_machines:occupancy"},
)
"""The machines that surely run in what each of them keeps."""


DATED_DEFAULTS: Final[frozenset[str]] = frozenset()
DEFAULTS: Final[frozenset[str]] = frozenset()
"""Types that set a default of an account for what is made after them."""
_RUNS: Final = re.compile(
    r"azure-native:(?:app|automation|batch|containerinstance|datafactory|logic|web|"
    r"machinelearningservices)[:/]|azure-native:resources(?:/\w+)?:Azure"
)
"""The types whose code may run as an identity of elsewhere: see `unseen_runtime_identities`."""


OPENS_PORTS: Final = frozenset(
    {
        "azure-native:batch:Pool",
        "azure-native:cdn:Route",
        "azure-native:machinelearningservices:Compute",
        resource_types.CONTAINER_APP,
        "azure-native:containerinstance:ContainerGroup",
        *resource_types.WEB_APPS,
    }
)
"""The types that `service_ports` reads."""


def observe(resources: Sequence[Resource], usage: Usage = _NO_USAGE) -> Rows:
    """Return the rows of all resources, in their order; linear in their number.

    The machines that an autoscale setting may add are part of the group that it scales.
    """
    index = Index(resources)
    rows = [
        part
        for resource in index
        for part in _rows_by_group(_rows_of_known_stack(resource, index, usage))
    ]
    distinct_rows = distinctly_named(rows)
    all_rows = combined_rows(distinct_rows)
    return replace(
        all_rows,
        unseen_rights=_unseen_rights(index),
        buckets=tuple(buckets(index, usage)),
        cloud_budget=cloud_budget(index),
        budget_doubts=tuple(budget_doubts(index)),
        file_systems=tuple(_files(all_rows, index)),
        open_ports=(*all_rows.open_ports, *opened_firewalls(all_rows.groups, index)),
        budget_words=budget_words(index),
        defects=tuple(NAMES.defects(index)),
    )


def _files(all_rows: Rows, index: Index) -> Iterator[FileSystem]:
    """Yield the file systems with the machines that use them, once all rows are known."""
    if not all_rows.file_systems:
        return iter(())
    from gpuinfra.clouds.azure.observe.storage import file_systems  # noqa: PLC0415  (few have any)

    return with_machine_groups(
        all_rows, index, resource_types.FILE_SYSTEMS, file_systems.with_machines
    )


def _unseen_rights(index: Index) -> tuple[NotJudged, ...]:
    """Return the rows of code that runs with permissions of elsewhere."""
    if not any(_RUNS.match(resource.type) for resource in index):
        return ()
    from gpuinfra.clouds.azure.observe.rights import unseen_runtime_identities  # noqa: PLC0415  (most have none)

    return tuple(unseen_runtime_identities.rows(index))


def _hourly_costs(resource: Resource, kind: str, index: Index) -> Rows | None:
    """Return what a service pays by the hour; None where no table says it."""
    from gpuinfra.clouds.azure.observe.launch import locations  # noqa: PLC0415  (as below)
    from gpuinfra.clouds.azure.tables import TABLES  # noqa: PLC0415  (as below)
    from gpuinfra.clouds.observing.hourly_services import HourlyServices  # noqa: PLC0415  (few have any)

    services = HourlyServices("azure", TABLES, PRICES)
    return services.rows(resource, kind, partial(locations.region_of, resource, index))


def groups_and_items(resource: Resource, index: Index, usage: Usage = _NO_USAGE) -> Rows:
    """Return the rows of one resource, given an index of the resources known so far.

    Contributions add up: summing them over a stack gives what `observe` gives, names aside. A
    scale set counts the machines that it names, and its autoscale setting those that it may add.
    """
    kind = resource_types.canonical(resource.type)
    if kind not in OBSERVERS:
        starts = _undeclared_start_reason(resource, kind, index)
        if starts:
            return unjudged_rows(resource, starts)
        is_known_free = (
            kind in resource_types.UNPRICED_TYPES or PRICES.free_type_row(kind) is not None
        )
        silence = rows_without_machines(
            _with_related_values(resource, kind, index),
            kind,
            is_known=is_known_free,
            hourly_costs=partial(_hourly_costs, resource, kind, index),
        )
        if kind.startswith(_KUBERNETES_PREFIX):
            return _in_cluster(silence, resource, index)
        return _with_calls(
            _with_public_grants(resource, kind, silence, index), resource, kind, index
        )
    rows = _with_public_grants(resource, kind, OBSERVERS[kind](resource, index, usage), index)
    if kind in resource_types.FILE_SYSTEMS:
        from gpuinfra.clouds.azure.observe.storage import file_systems  # noqa: PLC0415  (few have any)

        return replace(rows, file_systems=(file_systems.files_of(resource, index),))
    return _with_calls(rows, resource, kind, index)


def _with_calls(rows: Rows, resource: Resource, kind: str, index: Index) -> Rows:
    """Return the rows of a resource with the reason why its calls are not judged."""
    if kind not in resource_types.CALLS_OUT:
        return rows
    from gpuinfra.clouds.observing import outbound_requests  # noqa: PLC0415  (few have any)

    return outbound_requests.with_call_reasons(rows, resource, kind, index)


def _with_related_values(resource: Resource, kind: str, index: Index) -> Resource:
    """Return the resource with the values that it gets from another one of the stack."""
    of_database = kind.startswith(resource_types.COSMOS_PARTS)
    if kind == resource_types.COSMOS_ACCOUNT or not (
        of_database or kind == resource_types.FILE_SHARE
    ):
        return resource
    from gpuinfra.clouds.azure.observe.costs import related_values  # noqa: PLC0415  (few have any)

    return related_values.with_related_values(resource, kind, index)


def _in_cluster(rows: Rows, resource: Resource, index: Index) -> Rows:
    """Return the rows of an object in a cluster, in the stack or not."""
    from gpuinfra.clouds.azure.observe.clusters.cluster_settings import STACK_CLUSTERS  # noqa: PLC0415  (as below)
    from gpuinfra.clouds.observing import cluster_objects  # noqa: PLC0415  (few have any)

    return cluster_objects.rows_of(rows, resource, index, STACK_CLUSTERS)


def _with_public_grants(resource: Resource, kind: str, rows: Rows, index: Index) -> Rows:
    """Return the rows with what a service opens to everyone."""
    if kind in OPENS_PORTS:
        from gpuinfra.clouds.azure.observe.exposure import service_ports  # noqa: PLC0415  (few have any)

        rows = service_ports.with_ports(resource, kind, rows, index)
    if kind in resource_types.PUBLIC_DATA_TYPES:
        from gpuinfra.clouds.azure.observe.exposure import data_endpoints  # noqa: PLC0415  (few have any)

        return data_endpoints.with_endpoints(resource, kind, rows, index)
    if not _OPENING_TYPES.search(kind):
        return rows
    from gpuinfra.clouds.azure.observe.exposure import public_services  # noqa: PLC0415  (few have any)

    if kind == _ROUTE:
        from gpuinfra.clouds.azure.observe.exposure import front_door_ports  # noqa: PLC0415  (few have any)

        if front_door_ports.answers(resource, index) is False:
            return rows
    return public_services.with_exposures(resource, kind, rows)


def _undeclared_start_reason(resource: Resource, kind: str, index: Index) -> str:
    """Return why the machines that a resource may start are not judged; empty if none."""
    if kind not in resource_types.MAY_START:
        return ""
    from gpuinfra.clouds.azure.observe.starts import undeclared_starts  # noqa: PLC0415  (few have any)

    return undeclared_starts.reason(resource, index)


def _rows_of_known_stack(resource: Resource, index: Index, usage: Usage) -> Rows:
    """Return the rows of a resource when all of a stack is known."""
    kind = resource_types.canonical(resource.type)
    if kind == resource_types.SCALE_SET:
        from gpuinfra.clouds.azure.observe.machines.groups import group_rows  # noqa: PLC0415  (if present)

        return group_rows(resource, index, usage, scaled=True)
    if kind == resource_types.AUTOSCALE and scaling.is_folded(resource, index):
        return _with_calls(Rows(), resource, kind, index)
    return groups_and_items(resource, index, usage)


def _rows_by_group(rows: Rows) -> Iterator[Rows]:
    """Yield each group with its own items, since a cluster has several."""
    if not rows.groups[1:]:
        yield rows
        return
    for group in rows.groups:
        yield Rows(
            groups=(group,), items=tuple(item for item in rows.items if item.group == group.name)
        )
    names = {group.name for group in rows.groups}
    other_items = tuple(item for item in rows.items if item.group not in names)
    yield replace(rows, groups=(), items=other_items)

"""Reads `gcp:*` resources of any program into model rows, by what they declare.

Nothing is read from labels or component types: a hand-written stack is judged as ours is.
Relations hold by value (ids, links, names) once they are known, and by property dependency before
that.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.costs.budget import budget_doubts, cloud_budget
from gpuinfra.clouds.gcp.observe.detached_firewalls import opened_firewalls
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch.launch_options import group_request_of
from gpuinfra.clouds.gcp.observe.machines.machine_security import plain_secrets
from gpuinfra.clouds.gcp.observe.name_faults import NAMES
from gpuinfra.clouds.gcp.observe.network import addresses
from gpuinfra.clouds.gcp.observe.network.mixed_pools import merge_groups
from gpuinfra.clouds.gcp.observe.observers import OBSERVERS, TYPES
from gpuinfra.clouds.gcp.observe.resource_types import canonical
from gpuinfra.clouds.gcp.observe.storage.buckets import bucket_of
from gpuinfra.clouds.gcp.tables import PRICES
from gpuinfra.clouds.observing import unused_templates
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
_RULES: Final = ":Ruleset"
"""How rules of Firebase end, which let clients in."""

STAND_INS: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    "private": {resource_types.NETWORK: {}, resource_types.SUBNET: {"network": "{}"}},
    "limited": {resource_types.ACCOUNT: {}},
}
"""What stands for a trusted reference: see `provider_contract.Observe`."""

_SAYS_WHO: Final = re.compile(
    r"[iI][aA][mM](?:Member|Binding|Policy):|storage/\w*(?:AccessControl|ACL):|bigquery/dataset"
    r"|bigquery/rowAccessPolicy:|DataPolicy:|iam/\w+AccessPolicy:"
)
"""How types are called that may open a resource to everyone: every type of pulumi-gcp 10.2.0 that
has members, policies or entries of access, which a test compares with the SDK."""

COST_FALLS_IN_USE: Final = LazyTable[Callable[..., Rows]](
    "gpuinfra.clouds.gcp.observe",
    {resource_types.RESERVATION: "machines.reservations:detached_reservation_rows"},
)
"""Types whose cost falls when the machines that use them come: what is used is paid once."""

OCCUPANCIES: Final = LazyTable[Callable[..., Occupancy]](
    "gpuinfra.clouds.gcp.observe",
    {resource_types.RESERVATION: "machines.reserved_machines:occupancy"},
)
"""The machines that surely run in what each of them keeps."""


DATED_DEFAULTS: Final[frozenset[str]] = frozenset()
DEFAULTS: Final[frozenset[str]] = frozenset()
"""Types that set a default of an account for what is made after them."""
KEYS: Final = (
    *("SignedUrlKey", ":OauthClientCredential", ":WorkforcePoolProviderScimToken"),
    ":UserCreds",
)
"""How the types are called of which the table of lasting keys has rows."""
_RUNS: Final = re.compile(
    r"gcp:(?:appengine|cloudbuild|cloudfunctions(?:v2)?|cloudrun(?:v2)?|composer|dataflow|dataproc|"
    r"workbench|workflows)/"
)
"""The types whose code may run as an identity of elsewhere: see `unseen_runtime_identities`."""


def observe(resources: Sequence[Resource], usage: Usage = _NO_USAGE) -> Rows:
    """Return the rows of all resources, in their order."""
    index = Index(resources)
    rows = [groups_and_items(resource, index, usage) for resource in index]
    distinct_rows = distinctly_named(merge_groups(rows, index))
    buckets = (bucket_of(bucket, index, usage) for bucket in index.of_kind(resource_types.BUCKET))
    unused = unused_templates.unused_template_rows(
        index, resource_types.TEMPLATE, resource_types.MACHINES, group_request_of, plain_secrets
    )
    all_rows = combined_rows([*distinct_rows, *unused])
    return replace(
        all_rows,
        unseen_rights=_unseen_rights(index),
        items=tuple(addresses.with_unused_address_price(all_rows.items, index)),
        buckets=tuple(buckets),
        cloud_budget=cloud_budget(index),
        budget_doubts=tuple(budget_doubts(index)),
        file_systems=tuple(_files(all_rows, index)),
        open_ports=(*all_rows.open_ports, *opened_firewalls(all_rows.groups, index)),
        defects=tuple(NAMES.defects(index)),
    )


def _with_public_grants(resource: Resource, kind: str, rows: Rows, index: Index) -> Rows:
    """Return the rows with the public grants on a resource of any service."""
    if kind in resource_types.EXPOSED_TYPES:
        from gpuinfra.clouds.gcp.observe.exposure import public_databases_and_functions  # noqa: PLC0415  (few have any)

        return public_databases_and_functions.with_exposures(resource, kind, rows, index)
    if kind in resource_types.OUTSIDE_ACCESS_TYPES:
        return _with_outside_access(resource, kind, rows, index)
    if kind.endswith(KEYS):
        from gpuinfra.clouds.observing import created_keys  # noqa: PLC0415  (few have any)

        return created_keys.with_listed_keys(rows, resource, kind, "gcp")
    if kind.endswith(_RULES):
        from gpuinfra.clouds.gcp.observe.exposure import firebase_rules  # noqa: PLC0415  (few have any)

        return firebase_rules.with_open_rules(resource, rows, index)
    if not _SAYS_WHO.search(kind):
        return rows
    from gpuinfra.clouds.gcp.observe.rights import public_grants  # noqa: PLC0415  (few have any)

    return public_grants.with_public_grants(resource, rows, index)


def _with_outside_access(resource: Resource, kind: str, rows: Rows, index: Index) -> Rows:
    """Return the rows with the access of other networks, of a fleet's clusters or by policies."""
    if kind in resource_types.FLEET_BINDINGS:
        from gpuinfra.clouds.gcp.observe.rights import fleet_rights  # noqa: PLC0415  (few have any)

        return fleet_rights.with_fleet_rights(resource, rows, index)
    if kind in resource_types.ORGANIZATION_POLICIES:
        from gpuinfra.clouds.gcp.observe.rights import organization_policies  # noqa: PLC0415  (few have any)

        return organization_policies.with_lifted_constraints(resource, rows)
    from gpuinfra.clouds.gcp.observe.exposure import published_services  # noqa: PLC0415  (few have any)

    return published_services.with_public_access(resource, kind, rows)


def _files(all_rows: Rows, index: Index) -> Iterator[FileSystem]:
    """Yield the file systems with the machines near them, once all groups are observed."""
    if not all_rows.file_systems:
        return iter(())
    from gpuinfra.clouds.gcp.observe.storage import file_systems  # noqa: PLC0415  (few have any)

    return with_machine_groups(
        all_rows, index, resource_types.FILE_SYSTEMS, file_systems.with_machines
    )


def _in_cluster(rows: Rows, resource: Resource, index: Index) -> Rows:
    """Return the rows of an object in a cluster, in the stack or not."""
    from gpuinfra.clouds.gcp.observe.cluster_objects import OF_STACK  # noqa: PLC0415  (few)
    from gpuinfra.clouds.observing import cluster_objects  # noqa: PLC0415  (as above)

    return cluster_objects.rows_of(rows, resource, index, OF_STACK)


def _with_calls(rows: Rows, resource: Resource, kind: str, index: Index) -> Rows:
    """Return the rows of a resource, or why its calls are not judged."""
    from gpuinfra.clouds.observing import outbound_requests  # noqa: PLC0415  (few have any)

    return outbound_requests.with_call_reasons(rows, resource, kind, index)


def _with_starts(rows: Rows, resource: Resource, index: Index) -> Rows:
    """Return the rows of an attached policy, or why what it starts is not judged."""
    from gpuinfra.clouds.gcp.observe.machines import time_limits  # noqa: PLC0415  (few have any)

    reason = time_limits.foreign_start(resource, index)
    return unjudged_rows(resource, reason) if reason else rows


def _unseen_rights(index: Index) -> tuple[NotJudged, ...]:
    """Return the rows of code that runs with permissions of elsewhere."""
    if not any(_RUNS.match(resource.type) for resource in index):
        return ()
    from gpuinfra.clouds.gcp.observe.rights import unseen_runtime_identities  # noqa: PLC0415  (most have none)

    return tuple(unseen_runtime_identities.rows(index))


def _hourly_costs(resource: Resource, kind: str, index: Index) -> Rows | None:
    """Return what a service pays by the hour; None where no table says it."""
    from gpuinfra.clouds.gcp.observe.launch import locations  # noqa: PLC0415  (as below)
    from gpuinfra.clouds.gcp.tables import TABLES  # noqa: PLC0415  (as below)
    from gpuinfra.clouds.observing.hourly_services import HourlyServices  # noqa: PLC0415  (few have any)

    services = HourlyServices("gcp", TABLES, PRICES)
    return services.rows(resource, kind, partial(locations.region_of, resource, index))


def groups_and_items(resource: Resource, index: Index, usage: Usage = _NO_USAGE) -> Rows:
    """Return the rows of one resource, given an index of the resources known so far.

    Contributions add up: summing them over a stack gives what `observe` gives, names aside.
    """
    kind = resource_types.canonical(resource.type)
    if kind not in OBSERVERS:
        is_known_free = (
            kind in resource_types.UNPRICED_TYPES
            or PRICES.free_type_row(resource.type) is not None
        )
        hourly_costs = partial(_hourly_costs, resource, kind, index)
        rows = rows_without_machines(
            resource, kind, is_known=is_known_free, hourly_costs=hourly_costs
        )
        if kind.startswith(_KUBERNETES_PREFIX):
            return _in_cluster(rows, resource, index)
        if kind == resource_types.POLICY_ATTACHMENT:
            return _with_starts(rows, resource, index)
        if kind in resource_types.CALLS_OUT:
            return _with_calls(rows, resource, kind, index)
        return _with_public_grants(resource, kind, rows, index)
    rows = OBSERVERS[kind](resource, index, usage)
    if kind in resource_types.FILE_SYSTEMS:
        from gpuinfra.clouds.gcp.observe.storage import file_systems  # noqa: PLC0415  (few have any)

        return replace(rows, file_systems=(file_systems.files_of(resource, index),))
    return rows

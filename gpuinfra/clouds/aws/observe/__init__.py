"""Reads `aws:*` resources of any program into model rows, by what they declare.

Nothing is read from tags or component types: a hand-written stack is judged as ours is. Relations
hold by value (ids, arns, names) once they are known, and by property dependency before that.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.costs.budget import budget_doubts, cloud_budget
from gpuinfra.clouds.aws.observe.detached_firewalls import opened_firewalls
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.group_requests import group_request_of
from gpuinfra.clouds.aws.observe.machines.machine_security import plain_secrets
from gpuinfra.clouds.aws.observe.observers import (
    CALLERS,
    ENDPOINTS,
    OBJECTS,
    OBSERVERS,
    RIGHTS,
    TYPES,
)
from gpuinfra.clouds.aws.observe.resource_faults import defects
from gpuinfra.clouds.aws.observe.resource_types import canonical
from gpuinfra.clouds.aws.observe.storage.buckets import bucket_of
from gpuinfra.clouds.aws.tables import PRICES
from gpuinfra.clouds.observing import unused_templates
from gpuinfra.clouds.observing.file_system_machines import with_machine_groups
from gpuinfra.clouds.observing.reservation_use import Occupancy
from gpuinfra.clouds.observing.rows import distinctly_named, rows_without_machines
from gpuinfra.clouds.observing.values import at
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

_NO_USAGE = Usage()
_KUBERNETES_PREFIX = "kubernetes:"

COST_FALLS_IN_USE: Final = LazyTable[Callable[..., Rows]](
    "gpuinfra.clouds.aws.observe",
    {resource_types.RESERVATION: "machines.reservations:detached_reservation_rows"},
)
"""Types whose cost falls when the machines that use them come: what is used is paid once."""

OCCUPANCIES: Final = LazyTable[Callable[..., Occupancy]](
    "gpuinfra.clouds.aws.observe", {resource_types.RESERVATION: "machines.reservations:occupancy"}
)
"""The machines that surely run in what each of them keeps."""

STAND_INS: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    "private": {
        resource_types.SUBNET: {"mapPublicIpOnLaunch": False},
        resource_types.SECURITY_GROUP: {},
    },
    "limited": {
        resource_types.ROLE: {},
        resource_types.PROFILE: {},
        resource_types.POLICY: {},
    },
}
"""What stands for a trusted reference: see `provider_contract.Observe`."""


DATED_DEFAULTS: Final[frozenset[str]] = frozenset({resource_types.BUCKET})
DEFAULTS: Final[frozenset[str]] = frozenset(
    {resource_types.ENCRYPTION_DEFAULT, resource_types.METADATA_DEFAULTS}
)
"""Types that set a default of an account for what is made after them."""
_RUNS: Final = re.compile(
    r"aws:(?:amplify|apprunner|appstream|bedrock|chatbot|cloudformation|codebuild|cognito|ecs|eks|"
    r"emrcontainers|finspace|gamelift|glue|iot|kinesisanalyticsv2|lambda|lambdamicrovms|m2|"
    r"mskconnect|mwaa|sagemaker|sfn|ssm|synthetics)/"
)
"""The types whose code may run as an identity of elsewhere: see `unseen_runtime_identities`."""


def observe(resources: Sequence[Resource], usage: Usage = _NO_USAGE) -> Rows:
    """Return the rows of all resources, in their order; linear in their number."""
    index = Index(resources)
    rows = [groups_and_items(resource, index, usage) for resource in index]
    distinct_rows = distinctly_named(rows)
    buckets = (bucket_of(bucket, index, usage) for bucket in index.of_kind(resource_types.BUCKET))
    unused = unused_templates.unused_template_rows(
        index, resource_types.TEMPLATE, resource_types.MACHINES, group_request_of, plain_secrets
    )
    all_rows = combined_rows([*distinct_rows, *unused])
    return replace(
        all_rows,
        unseen_rights=_unseen_rights(index),
        buckets=tuple(buckets),
        cloud_budget=cloud_budget(index),
        budget_doubts=tuple(budget_doubts(index)),
        file_systems=tuple(_files(all_rows, index)),
        open_ports=(*all_rows.open_ports, *opened_firewalls(all_rows.groups, index)),
        defects=tuple(defects(index)),
    )


def _files(all_rows: Rows, index: Index) -> Iterator[FileSystem]:
    """Yield the file systems with the machines that use them, once all rows are known."""
    if not all_rows.file_systems:
        return iter(())
    from gpuinfra.clouds.aws.observe.costs import lustre  # noqa: PLC0415  (few have any)
    from gpuinfra.clouds.aws.observe.storage import file_systems  # noqa: PLC0415  (few have any)

    return with_machine_groups(
        all_rows,
        index,
        resource_types.FILE_SYSTEMS,
        file_systems.with_machines,
        lambda files: lustre.whole_of(files, index),
    )


def _unseen_rights(index: Index) -> tuple[NotJudged, ...]:
    """Return the rows of code that runs with permissions of elsewhere."""
    if not any(_RUNS.match(resource.type) for resource in index):
        return ()
    from gpuinfra.clouds.aws.observe.rights import unseen_runtime_identities  # noqa: PLC0415  (most have none)

    return tuple(unseen_runtime_identities.rows(index))


def groups_and_items(resource: Resource, index: Index, usage: Usage = _NO_USAGE) -> Rows:
    """Return the rows of one resource, given an index of the resources known so far.

    Contributions add up: summing them over a stack gives what `observe` gives, names aside.
    """
    kind = resource_types.canonical(resource.type)
    if kind not in OBSERVERS:
        is_known_free = (
            kind in resource_types.UNPRICED_TYPES or PRICES.free_type_row(kind) is not None
        )
        if kind in resource_types.SAGEMAKER_ENDPOINTS:
            from gpuinfra.clouds.aws.observe.costs.hourly_costs import is_by_use  # noqa: PLC0415  (few)

            is_known_free = is_by_use(resource, kind, index)
        hourly_costs = partial(_hourly_costs, resource, kind, index)
        rows = rows_without_machines(
            resource, kind, is_known=is_known_free, hourly_costs=hourly_costs
        )
        if kind.startswith(_KUBERNETES_PREFIX):
            from gpuinfra.clouds.aws.observe.clusters import containers  # noqa: PLC0415  (few have any)

            return containers.rows_on_nodes(rows, resource, index)
        if kind in CALLERS:
            from gpuinfra.clouds.aws.observe.starts import undeclared_starts  # noqa: PLC0415  (few have any)

            rows = undeclared_starts.caller_rows(rows, resource, CALLERS[kind](resource, index))
        return _with_more(_with_policy(rows, resource, kind), resource, kind, index)
    rows = OBSERVERS[kind](resource, index, usage)
    if kind in resource_types.FILE_SYSTEMS:
        from gpuinfra.clouds.aws.observe.storage import file_systems  # noqa: PLC0415  (few have any)

        return replace(rows, file_systems=(file_systems.files_of(resource, index),))
    return _with_policy(rows, resource, kind)


def _hourly_costs(resource: Resource, kind: str, index: Index) -> Rows | None:
    """Return what a service pays by the hour; None where no table says it."""
    from gpuinfra.clouds.aws.observe.costs import hourly_costs  # noqa: PLC0415  (few have any)

    return hourly_costs.rows(resource, kind, index)


def _with_policy(rows: Rows, resource: Resource, kind: str) -> Rows:
    """Return the rows of a resource with those of the policy in one of its inputs, if any."""
    key = (
        "policy"
        if kind in resource_types.TYPES_WITH_INLINE_POLICY
        else resource_types.resource_policies().get(kind)
    )
    if key is None or at(resource.inputs, *key.split(".")) is None:
        return rows
    from gpuinfra.clouds.aws.observe.rights import grants  # noqa: PLC0415  (few have one)

    return combined_rows((rows, grants.own_policy(resource, key)))


def _with_more(rows: Rows, resource: Resource, kind: str, index: Index) -> Rows:
    """Return a resource's rows with its permissions, public grants and request endpoints."""
    if kind in RIGHTS:
        from gpuinfra.clouds.aws.observe.rights import grants  # noqa: PLC0415  (few have any)

        return combined_rows((rows, grants.own_rights(resource, index, RIGHTS[kind])))
    if kind == resource_types.VAULT_ROLE:
        from gpuinfra.clouds.aws.observe.rights import grants  # noqa: PLC0415  (few have any)

        return combined_rows((rows, grants.users_of_vault(resource)))
    if kind in OBJECTS:
        from gpuinfra.clouds.aws.observe.rights import access_lists  # noqa: PLC0415  (few have any)

        return combined_rows((rows, Rows(grants=access_lists.object_acl_grants(resource, index))))
    if kind in resource_types.openings():
        from gpuinfra.clouds.aws.observe.exposure import sharing_settings  # noqa: PLC0415  (few have any)

        return combined_rows((rows, sharing_settings.public_grant_rows(resource, kind, index)))
    if kind in ENDPOINTS:
        return combined_rows((rows, ENDPOINTS[kind](resource)))
    return rows

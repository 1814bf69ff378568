"""The wide grants of a policy or a role, as a row."""

from collections.abc import Callable, Iterable
from typing import Any

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, Grant, Resource, Rows, Unknown, Usage, combined_rows

GrantFault = str | Unknown
"""A fault in words, or something that may be one and is not known yet."""


def grant_rows(cloud: str, resource: Resource, findings: Iterable[GrantFault]) -> Rows:
    """Return the row of a policy or a role; a certain fault overrides hidden ones."""
    distinct = tuple(dict.fromkeys(findings))
    faults = [finding for finding in distinct if isinstance(finding, str)]
    has_only_unknowns = not faults and UNKNOWN in distinct
    grant = Grant(
        name=resource.name,
        subject=resource.urn,
        cloud=cloud,
        faults=rule_faults("wildcard-policy", UNKNOWN if has_only_unknowns else faults),
    )
    return Rows(grants=(grant,))


def with_grants(
    cloud: str, resource: Resource, rows: Rows, findings: Iterable[GrantFault]
) -> Rows:
    """Return the rows of a resource, with its wide grants where it has any."""
    faults = tuple(findings)
    return combined_rows((rows, grant_rows(cloud, resource, faults))) if faults else rows


def make_observer(
    cloud: str, read: Callable[[Resource, Any], Iterable[GrantFault]]
) -> Callable[[Resource, Any, Usage], Rows]:
    """Return an observer for a type whose grants are read by this function."""
    return lambda resource, index, _: grant_rows(cloud, resource, read(resource, index))

"""Organization policies that lift a constraint which the organization may enforce.

A policy of a project or folder overrides what is inherited:
https://docs.cloud.google.com/organization-policy/hierarchy-evaluation (not re-read: unverified)
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.observing.grants import GrantFault, with_grants
from gpuinfra.clouds.observing.values import any_of, as_list, at, equals, flag, is_on, text
from gpuinfra.model import UNKNOWN, Known, Resource, Rows, Unknown


def with_lifted_constraints(resource: Resource, rows: Rows) -> Rows:
    """Return the rows of an organization policy, with the constraint that it lifts."""
    return with_grants("gcp", resource, rows, _faults(resource.inputs))


def _faults(inputs: Mapping[str, Any]) -> Iterator[GrantFault]:
    lifts = _lifts(inputs)
    named = text(inputs.get("constraint") or inputs.get("name"))
    if lifts is False or named is None:
        return
    if isinstance(named, Unknown):
        yield UNKNOWN
        return
    constraint = named.rpartition("/")[2]
    allowed = _allowed_by_constraint().get(constraint)
    if allowed is not None:
        yield UNKNOWN if lifts is UNKNOWN else f"lifts {constraint}, which allows {allowed}"


def _lifts(inputs: Mapping[str, Any]) -> Known:
    """Return whether a policy does not enforce its constraint; one for some tags is none."""
    rules = [
        rule
        for rule in as_list(at(inputs.get("spec"), "rules"))
        if isinstance(rule, Unknown) or not at(rule, "condition")
    ]
    enforced = [at(inputs.get("booleanPolicy"), "enforced")]
    allows_all = [at(inputs.get("listPolicy"), "allow", "all")]
    enforced += [at(rule, "enforce") for rule in rules]
    allows_all += [at(rule, "allowAll") for rule in rules]
    return any_of((*(equals(flag(value), False) for value in enforced), *map(is_on, allows_all)))


@cache
def _allowed_by_constraint() -> Mapping[str, str]:
    return {
        name: row["allows"]
        for row in TABLES.rows("organization_policies")
        for name in (row["constraint"], row["managed"])
        if name
    }

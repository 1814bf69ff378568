"""The wide permissions of identity policies, the account's own and AWS's."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.aws.observe.rights import permissions
from gpuinfra.clouds.aws.observe.rights.identity import statements_of
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.grants import GrantFault
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import UNKNOWN, Unknown

_MANAGED_BY_AWS: Final = ":iam::aws:policy/"
_WIDE_POLICY_NAMES: Final = ("/AdministratorAccess", "/PowerUserAccess")
_ALL_OF_A_SERVICE: Final = "FullAccess"
"""AWS's own policies that allow everything, or all of a service on every resource:
https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html"""

_ANY_SERVICE: Final = "*"


def document_faults(document: Any) -> Iterator[GrantFault]:
    """Yield the wide permissions of an identity's policy; conditional ones don't count."""
    yield from documents_faults((document,))


def documents_faults(documents: Iterable[Any]) -> Iterator[GrantFault]:
    """Yield the wide permissions that the policies of one identity give together."""
    all_statements = (statement for document in documents for statement in statements_of(document))
    statements = permissions.without_denied(tuple(all_statements))
    faults: list[GrantFault] = []
    narrow: list[Any] = []
    for statement in statements:
        statement_faults = tuple(_statement_faults(statement))
        faults += statement_faults
        if not any(isinstance(fault, str) for fault in statement_faults):
            narrow.append(statement)
    faults += _wide_statement_remarks(narrow, statements)
    yield from faults
    services = permissions.passes_to(statements)
    if services and not faults:
        yield f"allows {permissions.PASSING} on all resources and {services}: it can use any role"


def _statement_faults(statement: Any) -> Iterator[GrantFault]:
    if isinstance(statement, Unknown):
        yield UNKNOWN
    elif permissions.is_allowed(statement):
        yield from _actions(statement)


def _actions(statement: Any) -> Iterator[GrantFault]:
    excluded = as_list(at(statement, "NotAction"))
    if excluded and permissions.is_everywhere(statement, _ANY_SERVICE) is True:
        yield f"allows all actions except {', '.join(map(str, excluded[:3]))} on all resources"
    allows_all = False
    for action in as_list(at(statement, "Action")):
        if isinstance(action, Unknown):
            # On resources that are named, no action is a wide one.
            yield from (UNKNOWN,) * (permissions.is_everywhere(statement, _ANY_SERVICE) is True)
        elif permissions.covers_everything(action) and _covers_whole_service(
            statement, _ANY_SERVICE
        ):
            allows_all = True
            yield "allows all actions on all resources"
        elif permissions.covers_a_service(action) and _covers_whole_service(
            statement, action.partition(":")[0]
        ):
            allows_all = True
            yield f"allows {action} on all resources"
    gained = () if allows_all or excluded else tuple(permissions.self_granted(statement))
    if gained:
        yield (
            f"allows {gained[0]} on all resources, with which it can grant itself every permission"
        )


def _wide_statement_remarks(narrow: Sequence[Any], statements: Sequence[Any]) -> Iterator[str]:
    """Yield the wide powers that narrow statements give together with all others."""
    for statement in narrow:
        if not as_list(at(statement, "NotAction")):
            yield from (
                f"allows {action} on all resources: {power}"
                for action, power in permissions.wide_powers(statement, statements)
            )


def _covers_whole_service(statement: Any, service: str) -> bool:
    return permissions.is_everywhere(statement, service.lower()) is True


def managed_policy_faults(arn: Any, *, people: bool = False) -> Iterator[GrantFault]:
    """Yield the wide permissions of an AWS policy; the account's are judged at their resources.

    People are spared some policies that what runs on machines is not.
    """
    if not isinstance(arn, str) or not is_managed_by_aws(arn):
        return
    name, path = arn.rpartition("/")[2], arn.partition(_MANAGED_BY_AWS)[2]
    power = None if people and path in _user_policies() else _wide_managed_policies().get(path)
    if arn.endswith(_WIDE_POLICY_NAMES):
        yield f"grants {name}: nearly all actions on all resources"
    elif power is not None:
        yield f"grants {name}: {power}"
    elif name.endswith(_ALL_OF_A_SERVICE) and path not in _narrow_full_access_policies():
        yield f"grants {name}: all actions of a service on all resources"


def is_managed_by_aws(arn: str) -> bool:
    """Return whether a policy is one of AWS's own."""
    return _MANAGED_BY_AWS in arn


@cache
def _wide_managed_policies() -> Mapping[str, str]:
    """Return the wide permissions of AWS's own policies, by their names."""
    return {row["name"]: row["gives"] for row in TABLES.rows("managed_policies")}


@cache
def _narrow_full_access_policies() -> frozenset[str]:
    """Return the policies named FullAccess that give less than all of a service."""
    return frozenset(TABLES.table("managed_policies")["narrow"].split())


@cache
def _user_policies() -> frozenset[str]:
    return frozenset(TABLES.table("managed_policies")["people"])

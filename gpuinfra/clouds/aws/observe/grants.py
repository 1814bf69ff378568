"""What policies and roles give away: all actions, all of a service, or the whole world's trust."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.aws.observe import access_lists, permissions, trusts
from gpuinfra.clouds.aws.observe.identity import statements_of
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.strangers import is_of_account, keeps_out
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.grants import GrantFault, granted
from gpuinfra.clouds.observing.values import at, listed
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown, Usage

_MANAGED_BY_AWS: Final = ":iam::aws:policy/"
_WIDE: Final = ("/AdministratorAccess", "/PowerUserAccess")
_ALL_OF_A_SERVICE: Final = "FullAccess"
"""AWS's own policies that allow everything, or all of a service on every resource:
https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html"""

_ANY_SERVICE: Final = "*"
_ANYBODY: Final = "*"
_NARROWED: Final = ("sourceArn", "sourceAccount", "principalOrgId")
"""What lets a function be called for some alone:
https://docs.aws.amazon.com/lambda/latest/api/API_AddPermission.html"""
_STORAGE: Final = "s3.amazonaws.com"
"""A service that acts for buckets of any account:
https://docs.aws.amazon.com/config/latest/developerguide/lambda-function-public-access-prohibited.html"""


def _observed(*read: Callable[[Resource], Iterator[GrantFault]]) -> Callable[..., Rows]:
    """Return who observes a type whose grants are read in these ways."""

    def rows(resource: Resource, _: Index, __: Usage) -> Rows:
        return granted("aws", resource, (fault for each in read for fault in each(resource)))

    return rows


def _rights(document: Any) -> Iterator[GrantFault]:
    """What a policy of an identity gives too widely; a condition makes it no wide one."""
    statements = tuple(statements_of(document))
    faults = tuple(
        fault for statement in statements for fault in _of_statement(statement, statements)
    )
    yield from faults
    runs = permissions.passes_to(statements)
    if runs and not faults:
        yield f"allows {permissions.PASSING} on all resources and {runs}: it can use any role"


def _of_statement(statement: Any, statements: Sequence[Any]) -> Iterator[GrantFault]:
    if isinstance(statement, Unknown):
        yield UNKNOWN
    elif permissions.is_allowed(statement):
        yield from _actions(statement, statements)


def _actions(statement: Any, statements: Sequence[Any]) -> Iterator[GrantFault]:
    spared = listed(at(statement, "NotAction"))
    if spared and permissions.is_everywhere(statement, _ANY_SERVICE) is True:
        yield f"allows all actions except {', '.join(map(str, spared[:3]))} on all resources"
    wide = False
    for action in listed(at(statement, "Action")):
        if isinstance(action, Unknown):
            # On resources that are named, no action is a wide one.
            yield from (UNKNOWN,) * (permissions.is_everywhere(statement, _ANY_SERVICE) is True)
        elif permissions.of_everything(action) and _on_all(statement, _ANY_SERVICE):
            wide = True
            yield "allows all actions on all resources"
        elif permissions.of_a_service(action) and _on_all(statement, action.partition(":")[0]):
            wide = True
            yield f"allows {action} on all resources"
    gained = tuple(permissions.self_granted(statement))
    if gained and not wide and not spared:
        yield (
            f"allows {gained[0]} on all resources, with which it can grant itself every permission"
        )
    elif not wide and not spared:
        yield from (
            f"allows {action} on all resources: {power}"
            for action, power in permissions.taken_over(statement, statements)
        )
        yield from (
            f"allows {actions} on all resources: it can read, replace and delete {data}"
            for data, actions in permissions.all_data(statement)
        )


def _on_all(statement: Any, service: str) -> bool:
    return permissions.is_everywhere(statement, service.lower()) is True


def _trust(document: Any) -> Iterator[GrantFault]:
    """Whom a resource's own policy lets in without a condition: everybody is too many."""
    for statement in statements_of(document):
        if isinstance(statement, Unknown):
            yield UNKNOWN
        elif at(statement, "Effect") == "Allow":
            yield from () if keeps_out(at(statement, "Condition")) else _everybody(statement)
            yield from trusts.strangers(statement)


def _everybody(statement: Any) -> Iterator[GrantFault]:
    principal = at(statement, "Principal")
    kinds = principal.values() if isinstance(principal, Mapping) else ()
    named = [principal, *(name for names in kinds for name in listed(names))]
    actions = ", ".join(str(action) for action in listed(at(statement, "Action"))[:3])
    if at(statement, "NotPrincipal") is not None:
        yield f"lets everyone but those it names do {actions or 'anything'}"
    elif _ANYBODY in named:
        yield f"lets everyone do {actions}"
    elif UNKNOWN in named:
        yield UNKNOWN


def _of_role(role: Resource) -> Iterator[GrantFault]:
    yield from _trust(role.inputs.get("assumeRolePolicy"))
    for policy in listed(role.inputs.get("inlinePolicies")):
        yield from _rights(at(policy, "policy"))
    for arn in listed(role.inputs.get("managedPolicyArns")):
        yield from _arn(arn)


def _of_attachments(attachments: Resource) -> Iterator[GrantFault]:
    for arn in listed(attachments.inputs.get("policyArns")):
        yield from _arn(arn)


def _arn(arn: Any) -> Iterator[GrantFault]:
    """What a policy of AWS's own gives; one of the account's is judged where it is made."""
    if not isinstance(arn, str) or _MANAGED_BY_AWS not in arn:
        return
    name = arn.rpartition("/")[2]
    gives = _managed().get(arn.partition(_MANAGED_BY_AWS)[2])
    if arn.endswith(_WIDE):
        yield f"grants {name}: nearly all actions on all resources"
    elif gives is not None:
        yield f"grants {name}: {gives}"
    elif name.endswith(_ALL_OF_A_SERVICE):
        yield f"grants {name}: all actions of a service on all resources"


@cache
def _managed() -> Mapping[str, str]:
    """What policies of AWS's own give too widely, by their names."""
    return {row["name"]: row["gives"] for row in TABLES.rows("managed_policies")}


def _of_permission(permission: Resource) -> Iterator[GrantFault]:
    """Name the public access that a function's permission grants; none if it has a condition."""
    inputs = permission.inputs
    principal = inputs.get("principal")
    narrowed = [inputs.get(key) for key in _NARROWED]
    if any(value is not None and is_of_account(str(value)) for value in narrowed):
        return
    if isinstance(principal, Unknown):
        yield UNKNOWN
    elif principal == _STORAGE:
        yield f"lets {_STORAGE} call it for buckets of everyone, without a source account"
    elif principal == _ANYBODY:
        yield f"lets everyone do {inputs.get('action') or 'anything'}"


def _policy(
    read: Callable[[Any], Iterator[GrantFault]], key: str = "policy"
) -> Callable[..., Any]:
    return lambda resource: read(resource.inputs.get(key))


policy: Final = _observed(_policy(_rights))
trust: Final = _observed(_policy(_trust))
attachment: Final = _observed(_policy(_arn, "policyArn"))
role: Final = _observed(_of_role)
permission: Final = _observed(_of_permission)
bucket_acl: Final = _observed(access_lists.faults)
attachments: Final = _observed(_of_attachments)


def own_policy(resource: Resource, key: str = "policy") -> Rows:
    """Return what the policy that is written into a resource itself gives too widely, if any."""
    faults = tuple(_trust(resource.inputs.get(key)))
    return granted("aws", resource, faults) if faults else Rows()

"""Whether a stack's grants give everyone access to a service: on it, or on what contains it.

https://cloud.google.com/iap/docs/managing-access (read 2026-11-28: those who have access "at the
project level applies to all IAP-secured resources in the project", and a grant on all web services
or all backend services secures a set of resources)
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index, home_of
from gpuinfra.clouds.gcp.observe.rights.identity import is_everybody, lets_anyone_in
from gpuinfra.clouds.gcp.observe.rights.permissions import bindings_of, custom_of
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record

_MEMBERS: Final = {"Member": "member", "Binding": "members", "Policy": "policyData"}
"""The three forms of a grant, each with the input that has its members."""
_FOLDERS: Final = ("gcp:folder/", "gcp:organizations/")


@record
class AccessRole:
    """What lets its holder use a service, and where it is granted.

    Attributes:
        roles: the predefined roles that give it.
        permission: what a custom role needs for it.
        on_one: the starts of the types of its grants on one service, with the input that names it.
        on_all: the starts of the types of its grants on all services of a project.
    """

    roles: frozenset[str]
    permission: str
    on_one: Mapping[str, str]
    on_all: tuple[str, ...] = ()


def is_given_to_everyone(service: Resource, access: AccessRole, index: Index) -> Known:
    """Return whether everyone has access to a service; UNKNOWN with a condition."""
    return any_of(
        all_of((covers, fact))
        for covers, grant, form in _grants(service, access, index)
        if covers is not False
        for fact in _facts(grant, form, access, index)
    )


def _grants(
    service: Resource, access: AccessRole, index: Index
) -> Iterator[tuple[Known, Resource, str]]:
    """Yield the grants that may be on a service, whether they surely are, and their form."""
    for start, key in access.on_one.items():
        for grant, form in _of_types(start, index):
            yield _names(grant, key, service, index), grant, form
    on_projects = (grant for start in access.on_all for grant in _of_types(start, index))
    for grant, form in chain(on_projects, _above_services(index)):
        yield _is_in_project(grant, service), grant, form


def _of_types(start: str, index: Index) -> Iterator[tuple[Resource, str]]:
    """Yield the grants whose types start so, with their forms."""
    for form in _MEMBERS:
        yield from ((grant, form) for grant in index.of_kind(_type_of(start, form)))


def _above_services(index: Index) -> Iterator[tuple[Resource, str]]:
    """Yield the grants on projects, folders and organizations, with their forms."""
    kinds = (resource_types.MEMBERS, resource_types.BINDINGS, resource_types.POLICIES)
    for form, of_form in zip(_MEMBERS, kinds, strict=True):
        yield from ((grant, form) for kind in of_form for grant in index.of_kind(kind))


def _type_of(start: str, form: str) -> str:
    """Return the type of a form of grants: `gcp:iap/webIam` and `Member` make `…:WebIamMember`."""
    name = start.partition("/")[2]
    return f"{start}{form}:{name[0].upper()}{name[1:]}{form}"


def _names(grant: Resource, key: str, service: Resource, index: Index) -> Known:
    if grant.inputs.get(key) is None:
        return False
    targets = index.targets(grant, key, resource_types.canonical(service.type))
    if service in targets.certain:
        return True
    return UNKNOWN if service in targets.possible else False


def _is_in_project(grant: Resource, service: Resource) -> Known:
    """Return whether a service is in what a grant is on; UNKNOWN of a folder or organization."""
    if grant.type.startswith(_FOLDERS):
        return UNKNOWN
    homes = home_of(grant), home_of(service)
    if homes[0] == homes[1]:
        return True
    return UNKNOWN if None in homes else False


def _facts(grant: Resource, form: str, access: AccessRole, index: Index) -> Iterator[Known]:
    """Yield of each role that a grant gives whether it surely lets everyone in."""
    if form != "Policy":
        everyone = lets_anyone_in(grant, _MEMBERS[form], index)
        yield all_of((everyone, _gives(grant, access, index), _unconditional(grant.inputs)))
        return
    for binding in bindings_of(grant.inputs.get(_MEMBERS[form])):
        role = text(at(binding, "role"))
        gives: Known = UNKNOWN if _is_custom(role) else role in access.roles
        everyone = any_of(map(is_everybody, as_list(at(binding, "members"))))
        unread = isinstance(binding, Unknown)
        yield UNKNOWN if unread else all_of((everyone, gives, _unconditional(binding)))


def _gives(grant: Resource, access: AccessRole, index: Index) -> Known:
    role = text(grant.inputs.get("role"))
    if not _is_custom(role):
        return role in access.roles
    return custom_of(grant, index).any_target(
        lambda each: access.permission in as_list(each.inputs.get("permissions"))
    )


def _is_custom(role: str | Unknown | None) -> bool:
    """Return whether a role is not a predefined one, or not known yet."""
    return isinstance(role, Unknown) or (role is not None and not role.startswith("roles/"))


def _unconditional(holder: Any) -> Known:
    return UNKNOWN if at(holder, "condition") else True

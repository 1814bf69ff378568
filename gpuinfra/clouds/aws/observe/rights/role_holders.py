"""The services and resources that run code with a role: by its trust policy, or by naming it.

People and pipelines of elsewhere, who sign in by an issuer or SAML, hold it too and are left out.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.rights import permissions
from gpuinfra.clouds.aws.observe.rights.identity import statements_of
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import Resource, Unknown

_ASSUME_WITH_WEB_IDENTITY: Final = "sts:AssumeRoleWithWebIdentity"
_ISSUER: Final = "aws:iam/openIdConnectProvider:OpenIdConnectProvider"
_EKS_ISSUER_PREFIX: Final = "oidc.eks."
"""The issuer of tokens for the pods of a cluster, in its URL and its ARN:
https://docs.aws.amazon.com/eks/latest/userguide/enable-iam-roles-for-service-accounts.html"""
_PODS: Final = ("pods",)
_LOGINS: Final = "aws:cognito/identityPoolRoleAttachment:IdentityPoolRoleAttachment"


def holders_of(role: Resource, index: Index) -> Iterator[str]:
    """Yield a description of each service or resource that runs code with a role."""
    yield from _trusted_holders(role, index)
    yield from index.memo("who holds roles", lambda: _gather(index)).get(role.urn, ())


def _trusted_holders(role: Resource, index: Index) -> Iterator[str]:
    holders_by_service: Mapping[str, str] = TABLES.table("may_start")["holders"]
    for statement in statements_of(role.inputs.get("assumeRolePolicy")):
        if isinstance(statement, Unknown):
            yield from _PODS * any(
                map(_is_of_pods, index.related_resources(role, "assumeRolePolicy"))
            )
        elif at(statement, "Effect") == "Allow":
            services = map(str, as_list(at(statement, "Principal", "Service")))
            names = (holders_by_service.get(service.removesuffix(".cn")) for service in services)
            yield from filter(None, names)
            yield from _PODS * _lets_in_pods(statement, role, index)


def _lets_in_pods(statement: Any, role: Resource, index: Index) -> bool:
    if permissions.grants(statement, _ASSUME_WITH_WEB_IDENTITY) is not True:
        return False
    return any(
        _EKS_ISSUER_PREFIX in str(issuer)
        or any(map(_is_of_pods, index.targets(role, "assumeRolePolicy", _ISSUER, issuer).certain))
        for issuer in as_list(at(statement, "Principal", "Federated"))
    )


def _is_of_pods(issuer: Resource) -> bool:
    """Return whether a token issuer is an EKS cluster; an issuer with an unknown URL is one."""
    if resource_types.canonical(issuer.type) != _ISSUER:
        return False
    url = issuer.inputs.get("url")
    return isinstance(url, Unknown) or _EKS_ISSUER_PREFIX in str(url)


def _gather(index: Index) -> Mapping[str, tuple[str, ...]]:
    holders: dict[str, tuple[str, ...]] = {}
    for kind, row in TABLES.table("may_start")["held_by"].items():
        for holder in index.of_kind(kind):
            if kind == _LOGINS and _knows_its_users(holder, index):
                continue
            for role in _roles_of(holder, row["roles"].split(), index):
                holders[role.urn] = (*holders.get(role.urn, ()), row["who"])
    return holders


def _roles_of(holder: Resource, paths: list[str], index: Index) -> Iterator[Resource]:
    for path in paths:
        keys = path.split(".")
        for name in _at_each(holder.inputs, keys):
            yield from index.targets(holder, keys[0], resource_types.ROLE, name).certain


def _at_each(value: Any, keys: list[str]) -> Iterator[Any]:
    """Yield the values at a path of keys, in each item of the lists on the path."""
    if not keys:
        yield value
        return
    for item in as_list(value):
        nested_item = at(item, keys[0])
        if nested_item is not None:
            yield from _at_each(nested_item, keys[1:])


def _knows_its_users(attachment: Resource, index: Index) -> bool:
    from gpuinfra.clouds.aws.observe.rights import sign_up  # noqa: PLC0415  (few have such logins)

    return sign_up.is_closed(attachment, index)

"""Whether anyone may sign up as a user of a Cognito identity pool.

https://docs.aws.amazon.com/cognito/latest/developerguide/signing-up-users-in-your-app.html
"""

from typing import Any, Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import at, flag, listed, text
from gpuinfra.model import Resource

_POOL: Final = "aws:cognito/identityPool:IdentityPool"
_USERS: Final = "aws:cognito/userPool:UserPool"
_CLIENT: Final = "aws:cognito/userPoolClient:UserPoolClient"
_PROVIDER: Final = "aws:cognito/identityProvider:IdentityProvider"
_PROVIDERS: Final = "cognitoIdentityProviders"
_OF_ANYONE: Final = ("supportedLoginProviders", "openidConnectProviderArns")
"""Inputs of a pool that take users of Google, Facebook and of any OIDC provider."""
_OF_COMPANIES: Final = frozenset({"SAML"})
"""The kinds of providers whose users a company keeps. An OIDC provider may be accounts.google.com,
and anyone may have an account of the others:
https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateIdentityProvider.html"""


def is_closed(attachment: Resource, index: Index) -> bool:
    """Return whether only users created by an administrator get the roles of an identity pool."""
    pools = index.targets(attachment, "identityPoolId", _POOL).certain
    return bool(pools) and all(_is_closed(pool, index) for pool in pools)


def _is_closed(pool: Resource, index: Index) -> bool:
    if flag(pool.inputs.get("allowUnauthenticatedIdentities")) not in {None, False}:
        return False
    if any(listed(pool.inputs.get(key)) for key in _OF_ANYONE):
        return False
    return all(
        any(_asks_an_administrator(users, index) for users in _users(pool, provider, index))
        for provider in listed(pool.inputs.get(_PROVIDERS))
    )


def _users(pool: Resource, provider: Any, index: Index) -> tuple[Resource, ...]:
    """Return the user pools of a provider: that of its client, else those in its provider name."""
    client_id = at(provider, "clientId")
    clients = index.targets(pool, _PROVIDERS, _CLIENT, client_id).certain if client_id else ()
    own = tuple(
        users
        for client in clients
        for users in index.targets(client, "userPoolId", _USERS).certain
    )
    return own or index.targets(pool, _PROVIDERS, _USERS, at(provider, "providerName")).certain


def _asks_an_administrator(users: Resource, index: Index) -> bool:
    config = users.inputs.get("adminCreateUserConfig")
    providers = index.referrers(users, _PROVIDER, "userPoolId").certain
    kinds = {text(provider.inputs.get("providerType")) for provider in providers}
    return flag(at(config, "allowAdminCreateUserOnly")) is True and kinds <= _OF_COMPANIES

"""Checks whether anyone may sign up in a Cognito identity pool or user pool.

https://docs.aws.amazon.com/cognito/latest/developerguide/signing-up-users-in-your-app.html
"""

from collections.abc import Iterable
from typing import Any, Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    flag,
    opposite,
    text,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_POOL: Final = "aws:cognito/identityPool:IdentityPool"
USERS: Final = "aws:cognito/userPool:UserPool"
CLIENT: Final = "aws:cognito/userPoolClient:UserPoolClient"
_PROVIDER: Final = "aws:cognito/identityProvider:IdentityProvider"
_PROVIDERS: Final = "cognitoIdentityProviders"
_PUBLIC_PROVIDER_INPUTS: Final = ("supportedLoginProviders", "openidConnectProviderArns")
"""Inputs of a pool that take users of Google, Facebook and of any OIDC provider."""
_COMPANY_PROVIDER_TYPES: Final = frozenset({"SAML"})
"""The kinds of providers whose users a company keeps. An OIDC provider may be accounts.google.com,
and anyone may have an account of the others:
https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateIdentityProvider.html"""
_ISSUER: Final = "https://cognito-idp."
_LOCAL: Final = "COGNITO"
"""How a client calls the users of the pool itself:
https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateUserPoolClient.html"""
_BROWSER_FLOWS: Final = frozenset({"code", "implicit"})
_CONSUMER: Final = ("Facebook", "LoginWithAmazon", "SignInWithApple")
"""Providers of accounts that anyone may have, and that a company may limit at the provider."""


def is_closed(attachment: Resource, index: Index) -> bool:
    """Return whether only users created by an administrator get the roles of an identity pool."""
    pools = index.targets(attachment, "identityPoolId", _POOL).certain
    return bool(pools) and all(_is_closed(pool, index) for pool in pools)


def _is_closed(pool: Resource, index: Index) -> bool:
    if flag(pool.inputs.get("allowUnauthenticatedIdentities")) not in {None, False}:
        return False
    if any(as_list(pool.inputs.get(key)) for key in _PUBLIC_PROVIDER_INPUTS):
        return False
    return all(
        any(_asks_an_administrator(users, index) for users in _users(pool, provider, index))
        for provider in as_list(pool.inputs.get(_PROVIDERS))
    )


def _users(pool: Resource, provider: Any, index: Index) -> tuple[Resource, ...]:
    """Return a provider's user pools: by its client, else by its provider name."""
    client_id = at(provider, "clientId")
    clients = index.targets(pool, _PROVIDERS, CLIENT, client_id).certain if client_id else ()
    own_users = tuple(
        users for client in clients for users in index.targets(client, "userPoolId", USERS).certain
    )
    return (
        own_users or index.targets(pool, _PROVIDERS, USERS, at(provider, "providerName")).certain
    )


def _asks_an_administrator(users: Resource, index: Index) -> bool:
    config = users.inputs.get("adminCreateUserConfig")
    providers = index.referrers(users, _PROVIDER, "userPoolId").certain
    kinds = {text(provider.inputs.get("providerType")) for provider in providers}
    return (
        flag(at(config, "allowAdminCreateUserOnly")) is True and kinds <= _COMPANY_PROVIDER_TYPES
    )


def issued_by(holder: Resource, prop: str, issuer: Any, index: Index) -> tuple[Resource, ...]:
    """Return the user pools that an issuer of tokens is.

    https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-tokens-verifying-a-jwt.html
    """
    if isinstance(issuer, Unknown):
        return index.targets(holder, prop, USERS, issuer).certain
    if not str(issuer).startswith(_ISSUER):
        return ()
    return index.targets(holder, prop, USERS, issuer.rstrip("/").rpartition("/")[2]).certain


def gives_anyone_tokens(pools: Iterable[Resource], index: Index) -> Known:
    """Return whether anyone gets tokens of one of these user pools, by any of its clients.

    UNKNOWN without a client here:
    https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-settings-admin-create-user-policy.html
    """
    return any_of(
        all_of((takes_anyone(pool, index), _has_open_client(pool, index))) for pool in pools
    )


def signs_anyone_in(pool: Resource, clients: Iterable[Resource], index: Index) -> Known:
    """Return whether anyone may sign in to a user pool in a browser, by these of its clients."""
    return all_of((takes_anyone(pool, index), *map(_shows_local_login, clients)))


def takes_anyone(pool: Resource, index: Index) -> Known:
    """Return whether anyone may become a user of a user pool.

    UNKNOWN where a function, an administrator or another provider may decide on it:
    https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-pre-sign-up.html
    https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminConfirmSignUp.html
    """
    only = flag(at(pool.inputs.get("adminCreateUserConfig"), "allowAdminCreateUserOnly"))
    has_sign_up_trigger = at(pool.inputs.get("lambdaConfig"), "preSignUp") is not None
    confirms_addresses = (
        bool(as_list(pool.inputs.get("autoVerifiedAttributes"))) and not has_sign_up_trigger
    )
    providers = index.referrers(pool, _PROVIDER, "userPoolId").certain
    has_consumer_logins = any(
        provider.inputs.get("providerType") in _CONSUMER for provider in providers
    )
    is_self_sign_up = all_of((opposite(only), True if confirms_addresses else UNKNOWN))
    return any_of((is_self_sign_up, UNKNOWN if has_consumer_logins else False))


def _has_open_client(pool: Resource, index: Index) -> Known:
    """Return whether anyone may use a client of a pool: without a secret, or in a browser."""
    clients = index.referrers(pool, CLIENT, "userPoolId").certain
    if not clients:
        return UNKNOWN
    return any_of(
        any_of((opposite(flag(client.inputs.get("generateSecret"))), _is_for_browsers(client)))
        for client in clients
    )


def _is_for_browsers(client: Resource) -> Known:
    flows = as_list(client.inputs.get("allowedOauthFlows"))
    has_browser_flow = any_of(
        UNKNOWN if isinstance(flow, Unknown) else flow in _BROWSER_FLOWS for flow in flows
    )
    return all_of((has_browser_flow, _shows_local_login(client)))


def _shows_local_login(client: Resource) -> Known:
    """Return whether managed login lets users of the pool itself sign in by a client.

    https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateUserPoolClient.html
    """
    identity_providers = as_list(client.inputs.get("supportedIdentityProviders"))
    return (
        any_of(equals(provider, _LOCAL) for provider in identity_providers)
        if identity_providers
        else True
    )

"""Actions of load balancers that authenticate users before other actions.

https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-action-types.html
"""

from typing import Any, Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.rights import sign_up
from gpuinfra.clouds.observing.values import any_of, at, equals
from gpuinfra.model import Known, Resource

_SETTINGS: Final = {
    "authenticate-oidc": "authenticateOidc",
    "authenticate-cognito": "authenticateCognito",
    "jwt-validation": "jwtValidation",
}
"""The actions that authenticate, with the key of their settings."""


def lets_anyone_on(holder: Resource, key: str, action: Any, index: Index) -> Known:
    """Return whether an action hands on the requests of those who have not signed in.

    Users need not sign in where `onUnauthenticatedRequest` is `allow`, and anyone is a user of a
    user pool in which anyone may sign up:
    https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_AuthenticateOidcActionConfig.html

    Args:
        holder: the listener or rule.
        key: of its actions.
        action: one of them.
        index: of the resources.
    """
    settings = at(action, _SETTINGS.get(str(at(action, "type")), ""))
    allowed = equals(at(settings, "onUnauthenticatedRequest"), "allow")
    return any_of((allowed, _takes_anyone(holder, key, settings, index)))


def _takes_anyone(holder: Resource, key: str, settings: Any, index: Index) -> Known:
    issuer = at(settings, "issuer")
    accepts_tokens = at(settings, "jwksEndpoint") is not None
    pools = sign_up.issued_by(holder, key, issuer, index) if issuer is not None else ()
    if accepts_tokens:
        return sign_up.gives_anyone_tokens(pools, index)
    arn = at(settings, "userPoolArn")
    if arn is not None:
        pools = index.targets(holder, key, sign_up.USERS, arn).certain
    client = at(settings, "userPoolClientId") or at(settings, "clientId")
    clients = index.targets(holder, key, sign_up.CLIENT, client).certain if client else ()
    return any_of(sign_up.signs_anyone_in(pool, clients, index) for pool in pools)

"""Actions of load balancers that authenticate users before other actions.

https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-action-types.html
"""

from typing import Any, Final

from gpuinfra.clouds.observing.values import at, equals, text
from gpuinfra.model import Known, Unknown

_BY_USERS: Final = {
    "authenticate-oidc": "authenticateOidc",
    "authenticate-cognito": "authenticateCognito",
}
"""The actions by which users sign in, with the key of their settings."""
_BY_TOKENS: Final = "jwt-"


def lets_anyone_on(action: Any) -> Known:
    """Return whether an action hands on the requests of those who have not signed in.

    Users need not sign in where `onUnauthenticatedRequest` is `allow`:
    https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_AuthenticateOidcActionConfig.html
    """
    kind = text(at(action, "type"))
    if kind is None or isinstance(kind, Unknown):
        return True
    settings = _BY_USERS.get(kind)
    if settings is None:
        return not kind.startswith(_BY_TOKENS)
    return equals(at(action, settings, "onUnauthenticatedRequest"), "allow")

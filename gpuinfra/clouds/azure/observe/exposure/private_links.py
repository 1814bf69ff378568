"""Private link services, which publish what is behind a balancer to other networks."""

from typing import Final

from gpuinfra.clouds.observing.grants import grant_rows
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, equals
from gpuinfra.model import UNKNOWN, Resource, Rows

_CONNECTS: Final = "lets everyone connect to the resources behind the private link service"
_EVERY: Final = "*"
_LISTS: Final = ("visibility", "autoApproval")


def published_service_rows(resource: Resource) -> Rows:
    """Return the grant of a private link service that approves every subscription's endpoint.

    https://learn.microsoft.com/azure/private-link/private-link-service-overview
    (a wildcard for anyone with the alias, and connections approved without being asked about:
    not re-read: unverified)
    """
    lists = [as_list(at(resource.inputs.get(key), "subscriptions")) for key in _LISTS]
    everyone = all_of(
        any_of(equals(subscription, _EVERY) for subscription in subscriptions)
        for subscriptions in lists
    )
    if everyone is False:
        return Rows()
    return grant_rows("azure", resource, (UNKNOWN if everyone is UNKNOWN else _CONNECTS,))

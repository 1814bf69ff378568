"""The public addresses of machines."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index, normalize_reference
from gpuinfra.clouds.gcp.observe.launch.launch_settings import nics_of
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import any_of, as_list, at, texts_in
from gpuinfra.model import UNKNOWN, Item, Known, Resource, Unknown

_CONFIGS: Final = ("accessConfigs", "ipv6AccessConfigs")
"""An interface has a public address exactly where it has one of these, however empty:
https://docs.cloud.google.com/compute/docs/ip-addresses/configure-static-external-ip-address"""


IN_USE_ITEM: Final = "external-ip-in-use-hour"
UNUSED_ITEM: Final = "external-ip-unused-hour"
_USERS: Final = re.compile(
    r"gcp:(?:compute/(?!address:|globalAddress:|firewall|.*[fF]irewallPolic)|container/|sql/|netapp/)|kubernetes:|pulumi:"
)
"""Types of resources that may have an address; a record of DNS or a firewall only names one."""


def public_address(launch: LaunchSources) -> Known:
    """Return whether a machine gets a public address on any of its interfaces."""
    nics = nics_of(launch)
    if isinstance(nics, Unknown):
        return UNKNOWN
    return any_of(_has(at(nic, key)) for nic in nics for key in _CONFIGS)


def paid_addresses(launch: LaunchSources, index: Index) -> Decimal:
    """Return the most public addresses that a machine pays for.

    An address that the stack reserves is paid as a resource of its own. Interfaces that are not
    known yet count as having one.
    """
    holder, _ = launch.stating_layer_and_value("networkInterfaces")
    nics = nics_of(launch)
    if isinstance(nics, Unknown):
        return Decimal(1)
    configs = [
        UNKNOWN if isinstance(nic, Unknown) else config
        for nic in nics
        for config in as_list(at(nic, "accessConfigs"))
    ]
    reserved = 0
    if holder is not None:
        addresses = [ip for config in configs if (ip := at(config, "natIp")) is not None]
        targets = index.targets(holder, "networkInterfaces", resource_types.ADDRESS, addresses)
        reserved = len(targets.certain) if addresses else 0
    return Decimal(len(configs) - reserved)


def _has(configs: Any) -> Known:
    return UNKNOWN if isinstance(configs, Unknown) else bool(as_list(configs))


def with_unused_address_price(items: Iterable[Item], index: Index) -> Iterator[Item]:
    """Yield the rows of a whole stack, with the higher price for addresses it doesn't use.

    Whether another stack uses it is not visible.
    """
    addresses = index.of_kind(resource_types.ADDRESS)
    used = _named_by_users(index) if addresses else frozenset()
    unused = {address.urn for address in addresses if used.isdisjoint(_address_names(address))}
    for item in items:
        is_unused_address = item.item == IN_USE_ITEM and item.subject in unused
        yield replace(item, item=UNUSED_ITEM) if is_unused_address else item


def _address_names(address: Resource) -> set[str]:
    """Return its URN, and what other resources may call it."""
    called = [address.outputs.get(key) for key in ("address", "selfLink", "id", "name")]
    called.append(address.inputs.get("name"))
    return {address.urn, *(normalize_reference(name) for name in called if isinstance(name, str))}


def _named_by_users(index: Index) -> frozenset[str]:
    """Return the dependencies and referenced names of the resources that can have an address.

    An address is no such resource: its own name would be among them.
    """
    users = [user for user in index if _USERS.match(user.type)]
    related_urns = {urn for user in users for urns in user.relations.values() for urn in urns}
    return frozenset(
        related_urns.union(*({normalize_reference(t) for t in texts_in(u.inputs)} for u in users))
    )

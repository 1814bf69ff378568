"""Machines that the internet reaches by IPv6, whose addresses on AWS are all public.

https://docs.aws.amazon.com/vpc/latest/userguide/vpc-ip-addressing.html#vpc-ipv6-addresses
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.observe.launch.launch_settings import interfaces_of
from gpuinfra.clouds.aws.observe.network import routes
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, is_on, whole_number
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_COUNTS: Final = ("ipv6AddressCount", "ipv6PrefixCount")
_LISTS: Final = ("ipv6Addresses", "ipv6Prefixes")
_SUBNET_INPUTS: Final = ("assignIpv6AddressOnCreation", "ipv6Native")


def is_reached(resource: Resource, launch: LaunchSources, index: Index) -> Known:
    """Return whether a machine gets an IPv6 address in a subnet with a route to the internet."""
    nics = interfaces_of(launch, index)
    if isinstance(nics, Unknown):
        return False  # its addresses of IPv4 are not known either, which is told
    requests_address = any_of(
        (_requests_ipv6(launch.get), *(_requests_ipv6(partial(at, nic)) for nic in nics))
    )
    subnets = locations.subnets_of_machine(resource, launch, index)
    subnets_found = (*subnets.certain, *subnets.possible)
    fact = False if subnets.complete and subnets_found else all_of((requests_address, UNKNOWN))
    return any_of(
        (fact, *(_is_reached_in(subnet, requests_address, index) for subnet in subnets_found))
    )


def _is_reached_in(subnet: Resource, requests_address: Known, index: Index) -> Known:
    has_address = any_of(
        (requests_address, *(is_on(subnet.inputs.get(key)) for key in _SUBNET_INPUTS))
    )
    return (
        False
        if has_address is False
        else all_of((has_address, routes.leads_in_by_ipv6(subnet, index)))
    )


def _requests_ipv6(read: Callable[[str], Any]) -> Known:
    numbers = [whole_number(read(key)) for key in _COUNTS]
    lists = [read(key) for key in _LISTS]
    return any_of(
        (
            *(UNKNOWN if isinstance(count, Unknown) else bool(count) for count in numbers),
            *(
                UNKNOWN if isinstance(subnet_list, Unknown) else bool(as_list(subnet_list))
                for subnet_list in lists
            ),
        )
    )

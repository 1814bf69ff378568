"""The public addresses of machines."""

from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import kinds
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch import nics_of
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.values import any_of, at, listed
from gpuinfra.model import UNKNOWN, Known, Unknown

_CONFIGS: Final = ("accessConfigs", "ipv6AccessConfigs")
"""An interface has a public address exactly where it has one of these, however empty:
https://docs.cloud.google.com/compute/docs/ip-addresses/configure-static-external-ip-address"""


def public_address(launch: Layers) -> Known:
    """Say whether a machine gets a public address on any of its interfaces."""
    nics = nics_of(launch)
    if isinstance(nics, Unknown):
        return UNKNOWN
    return any_of(_has(at(nic, key)) for nic in nics for key in _CONFIGS)


def paid_addresses(launch: Layers, index: Index) -> Decimal:
    """Return how many public addresses a machine pays for at most.

    An address that the stack reserves is paid as a resource of its own. Interfaces that are not
    known yet count as having one.
    """
    holder, _ = launch.stated("networkInterfaces")
    nics = nics_of(launch)
    if isinstance(nics, Unknown):
        return Decimal(1)
    configs = [
        UNKNOWN if isinstance(nic, Unknown) else config
        for nic in nics
        for config in listed(at(nic, "accessConfigs"))
    ]
    reserved = 0
    if holder is not None:
        named = [ip for config in configs if (ip := at(config, "natIp")) is not None]
        targets = index.targets(holder, "networkInterfaces", kinds.ADDRESS, named)
        reserved = len(targets.certain) if named else 0
    return Decimal(len(configs) - reserved)


def _has(configs: Any) -> Known:
    return UNKNOWN if isinstance(configs, Unknown) else bool(listed(configs))

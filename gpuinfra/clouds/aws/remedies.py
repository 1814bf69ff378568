"""The values of fixes that depend on the machine type, so that no table holds them."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.interfaces import nic_layout
from gpuinfra.clouds.aws.machines import machine
from gpuinfra.model import Resource


def interfaces(resource: Resource, current_interfaces: Any) -> Any:
    """Return the network interfaces that a machine on EC2 needs for its whole fabric.

    They come after the security groups of the first one that is there; what is there stays
    where the machine, or its fabric, is not known.
    """
    type_ = machine(str(resource.inputs.get("instanceType")))
    if type_ is None or not type_.fabric_interfaces or not type_.network_cards:
        return current_interfaces
    first = (
        current_interfaces[0]
        if isinstance(current_interfaces, list | tuple) and current_interfaces
        else {}
    )
    kept_settings = {
        key: first[key]
        for key in ("securityGroups", "subnetId", "deleteOnTermination")
        if isinstance(first, Mapping) and first.get(key) is not None
    }
    return [
        {
            "networkCardIndex": nic.card,
            "deviceIndex": nic.device,
            "interfaceType": nic.kind,
            **kept_settings,
        }
        for nic in nic_layout(type_, fabric=True)
    ]


COMPUTED: Final[Mapping[str, Callable[[Resource, Any], Any]]] = {"interfaces": interfaces}
"""By the word that a remedy has for them."""

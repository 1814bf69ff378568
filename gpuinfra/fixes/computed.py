"""Values of remedies that follow from the machine: what no table could hold for each type."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from gpuinfra.clouds import part, room
from gpuinfra.model import Resource

AWS: Final = "aws"


def interfaces(resource: Resource, now: Any) -> Any:
    """The network interfaces that a machine on EC2 needs for its whole fabric.

    They stand behind the security groups of the first one that is there; what is there stays
    where the machine, or its fabric, is not known.
    """
    machine = room(AWS).machine(str(resource.inputs.get("instanceType")))
    if machine is None or not machine.fabric_interfaces or not machine.network_cards:
        return now
    first = now[0] if isinstance(now, list | tuple) and now else {}
    kept = {
        key: first[key]
        for key in ("securityGroups", "subnetId", "deleteOnTermination")
        if isinstance(first, Mapping) and first.get(key) is not None
    }
    layout = part(AWS, "interfaces").nic_layout(machine, fabric=True)
    return [
        {
            "networkCardIndex": one.card,
            "deviceIndex": one.device,
            "interfaceType": one.kind,
            **kept,
        }
        for one in layout
    ]


COMPUTED: Final[Mapping[str, Callable[[Resource, Any], Any]]] = {"interfaces": interfaces}
"""By the word that a remedy has for them."""

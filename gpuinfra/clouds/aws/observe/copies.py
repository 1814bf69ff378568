"""What is paid for again where it is copied or attached to: tables, gateways."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.aws.observe import kinds
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import listed
from gpuinfra.model import Resource

_BY_REQUEST: Final = "PAY_PER_REQUEST"
_VPN_GATEWAY: Final = "aws:ec2/vpnGateway:VpnGateway"
_OF_VPN: Final = "vgw-"
_ATTACHED: Final = "it attaches Direct Connect to a transit gateway, billed by the hour"
_AGAIN: Final = (
    "the capacity of its table is billed in its region too, unless that is paid by request"
)


def of_table_replica(replica: Resource, index: Index) -> Iterator[str]:
    """Yield why a replica has no known price: its table is paid by capacity, or not of this stack.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/V2globaltables_HowItWorks.html
    """
    prop = "globalTableArn"
    tables = index.targets(replica, prop, kinds.TABLE, replica.inputs.get(prop)).certain
    if not tables or any(table.inputs.get("billingMode") != _BY_REQUEST for table in tables):
        yield _AGAIN


def of_gateway(association: Resource, index: Index) -> Iterator[str]:
    """Yield why an association has no known price, unless it is with the gateway of a VPN.

    https://aws.amazon.com/transit-gateway/pricing/ (2026-11-26, not re-read: unverified)
    """
    prop = "associatedGatewayId"
    gateway = association.inputs.get(prop)
    own = index.targets(association, prop, _VPN_GATEWAY, gateway).certain if gateway else ()
    named = [str(name).startswith(_OF_VPN) for name in listed(gateway)]
    if not own and not any(named):
        yield _ATTACHED

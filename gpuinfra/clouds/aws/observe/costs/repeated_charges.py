"""Copies and attachments that are billed again: tables, file systems, gateways."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import as_list, at, text
from gpuinfra.model import Resource, Unknown

_PAY_PER_REQUEST: Final = "PAY_PER_REQUEST"
_VPN_GATEWAY: Final = "aws:ec2/vpnGateway:VpnGateway"
_VPN_GATEWAY_PREFIX: Final = "vgw-"
_DIRECT_CONNECT_REASON: Final = (
    "it attaches Direct Connect to a transit gateway, billed by the hour"
)
_TABLE_CAPACITY_REASON: Final = (
    "the capacity of its table is billed in its region too, unless that is paid by request"
)
_PROVISIONED_MODE: Final = "provisioned"
_THROUGHPUT_REASON: Final = (
    "the file system that it makes has the throughput of its source, which is billed there too "
    "where it is provisioned"
)


def table_replica_reasons(replica: Resource, index: Index) -> Iterator[str]:
    """Yield why a replica has no known price: its table is billed by capacity, or unseen.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/V2globaltables_HowItWorks.html
    """
    prop = "globalTableArn"
    tables = index.targets(replica, prop, resource_types.TABLE, replica.inputs.get(prop)).certain
    if not tables or any(table.inputs.get("billingMode") != _PAY_PER_REQUEST for table in tables):
        yield _TABLE_CAPACITY_REASON


def file_system_replica_reasons(replica: Resource, index: Index) -> Iterator[str | Unknown]:
    """Yield why a replica has no known price: its source's throughput is billed, or unknown.

    The throughput mode of the file system that is made matches that of the source:
    https://docs.aws.amazon.com/efs/latest/ug/API_CreateReplicationConfiguration.html
    """
    if at(replica.inputs.get("destination"), "fileSystemId") is not None:
        return  # one that stands, and is paid for where it is declared
    prop = "sourceFileSystemId"
    sources = index.targets(
        replica, prop, resource_types.EFS_FILE_SYSTEM, replica.inputs.get(prop)
    ).certain
    modes = [text(source.inputs.get("throughputMode")) for source in sources]
    if not modes or _PROVISIONED_MODE in modes:
        yield _THROUGHPUT_REASON
    else:
        yield from (mode for mode in modes if isinstance(mode, Unknown))


def vpn_reasons(association: Resource, index: Index) -> Iterator[str]:
    """Yield why an association has no known price, unless it is with a VPN's gateway.

    https://aws.amazon.com/transit-gateway/pricing/ (2026-11-26, not re-read: unverified)
    """
    prop = "associatedGatewayId"
    gateway = association.inputs.get(prop)
    gateways = index.targets(association, prop, _VPN_GATEWAY, gateway).certain if gateway else ()
    are_vpn_gateway_ids = [str(name).startswith(_VPN_GATEWAY_PREFIX) for name in as_list(gateway)]
    if not gateways and not any(are_vpn_gateway_ids):
        yield _DIRECT_CONNECT_REASON

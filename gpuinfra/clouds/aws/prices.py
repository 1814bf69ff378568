"""The prices of AWS: machines, services, and the resource types that cost nothing."""

from decimal import Decimal
from functools import cache
from typing import Any, Final

from gpuinfra.clouds.aws.tables import number, rows, table
from gpuinfra.model import Price

LIST: Final = "list"


@cache
def prices(item: str, region: str, mode: str) -> tuple[Price, ...]:
    """All rows of an item in a region, zone rows too.

    `item` is a machine type with the mode on-demand, spot, reserved-1y, reserved-3y or
    capacity-block (USD per machine-hour), or a service item with the mode `list`.
    """
    if mode == LIST:
        return _services().get((item, region), ())
    content = table("prices")
    if mode not in content["modes"]:
        return ()
    wanted = content["modes"].index(mode)
    cells = content["items"].get(item, {}).get(region, ())
    return tuple(_price(item, region, row, content) for row in cells if row[0] == wanted)


@cache
def service_items() -> tuple[str, ...]:
    """The service keys of the price table, sorted."""
    return tuple(sorted({item for item, _ in _services()}))


def free(token: str) -> Price | None:
    """The row that says that a resource type costs nothing; None when no row says so."""
    return _free().get(token)


def _price(item: str, region: str, row: list[Any], content: dict[str, Any]) -> Price:
    mode, zone, per_hour, highest, source, note, *currency = row
    name, as_of = content["sources"][source]
    return Price(
        cloud="aws",
        item=item,
        region=region,
        zone=zone,
        mode=content["modes"][mode],
        unit="hour",
        per_unit=Decimal(per_hour),
        currency=currency[0] if currency else "USD",
        source=name,
        as_of=as_of,
        maximum=number(highest),
        notes=content["notes"][note],
    )


@cache
def _services() -> dict[tuple[str, str], tuple[Price, ...]]:
    found: dict[tuple[str, str], tuple[Price, ...]] = {}
    for row in rows("services"):
        price = Price(
            cloud="aws",
            item=row["item"],
            region=row["region"],
            zone=None,
            mode=LIST,
            unit=row["unit"],
            per_unit=Decimal(row["per_unit"]),
            currency=row["currency"],
            source=row["source"],
            as_of=row["as_of"],
            notes=f"{row['quality']}; {row['notes']}".removesuffix("; "),
        )
        key = (price.item, price.region)
        found[key] = (*found.get(key, ()), price)
    return found


@cache
def _free() -> dict[str, Price]:
    return {
        token: Price(
            cloud="aws",
            item=token,
            region="",
            zone=None,
            mode=LIST,
            unit="",
            per_unit=Decimal(0),
            currency="USD",
            source=row["source"],
            as_of=row["as_of"],
            notes=row["why"],
        )
        for row in table("free")["rows"]
        for token in row["types"]
    }


_TOKENS: Final = {
    "ebs-": "aws:ebs/volume:Volume",
    "nat-gateway-": "aws:ec2/natGateway:NatGateway",
    "public-ipv4-": "aws:ec2/eip:Eip",
    "alb-": "aws:lb/loadBalancer:LoadBalancer",
    "nlb-": "aws:lb/loadBalancer:LoadBalancer",
    "s3-": "aws:s3/bucket:Bucket",
    "vpc-interface-endpoint-": "aws:ec2/vpcEndpoint:VpcEndpoint",
    "gwlb-endpoint-": "aws:ec2/vpcEndpoint:VpcEndpoint",
}


def token(item: str) -> str:
    """The resource type that a service item is paid for, as `not_counted` names it; or empty."""
    return next((type_ for start, type_ in _TOKENS.items() if item.startswith(start)), "")

"""Fetches AWS prices: price list files, DescribeInstanceTypes, DescribeSpotPriceHistory."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import Any, Final

import boto3
import botocore.exceptions
from botocore.config import Config
from pydantic import BaseModel

from gpuinfra.clouds.aws import machine_rows, price_list_reader
from gpuinfra.clouds.aws.regions import REGIONS
from gpuinfra.clouds.network_failures import network_reason
from gpuinfra.clouds.refreshing.contract import FetchedData, Part, RefreshRequest, check_positive
from gpuinfra.clouds.refreshing.page_fetcher import PageFetcher
from gpuinfra.clouds.refreshing.web import unreachable
from gpuinfra.errors import RefreshError, printable
from gpuinfra.model import Price

PARTS: Final[tuple[Part, ...]] = ("prices", "machines", "spot")
ENDPOINT: Final = "https://pricing.us-east-1.amazonaws.com"
PAUSE_SECONDS: Final = 0.0

_INDEX: Final = "/offers/v1.0/aws/AmazonEC2/current/region_index.json"
"""https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-the-aws-price-list-bulk-api-fetching-price-list-files-manually.html"""
_SIGNED_REQUESTS: Final = frozenset({"machines", "spot"})
_PATIENCE: Final = Config(
    retries={"mode": "standard", "total_max_attempts": 8}, connect_timeout=15, read_timeout=60
)
_PAGE: Final = 100


class _Region(BaseModel):
    currentVersionUrl: str  # noqa: N815  the interface's own word


class _Index(BaseModel):
    regions: dict[str, _Region]


class _SpotPrice(BaseModel):
    type: str
    zone: str
    per_hour: Decimal


class _SpotPrices(BaseModel):
    prices: list[_SpotPrice]


def missing(part: Part) -> str:
    """Return the credentials that a signed request lacks; empty if none."""
    if part not in _SIGNED_REQUESTS or boto3.Session().get_credentials() is not None:
        return ""
    return "AWS credentials (environment, profile or role)"


def headers() -> Mapping[str, str]:
    """Return no headers, since price list files are public."""
    return {}


def fetch(request: RefreshRequest, fetcher: PageFetcher) -> FetchedData:
    """Fetch the requested parts, region by region."""
    machines = _machines(request, fetcher) if "machines" in request.parts else FetchedData()
    fresh = {str(row["type"]) for row in machines.machines}
    types = tuple(sorted(request.machines.keys() | fresh))
    prices = _prices(request, fetcher, types) if "prices" in request.parts else FetchedData()
    spot = _spot(request, fetcher, types) if "spot" in request.parts else FetchedData()
    return FetchedData(
        prices=(*prices.prices, *spot.prices),
        covered=prices.covered | spot.covered,
        machines=machines.machines,
        left_out=(*machines.left_out, *prices.left_out, *spot.left_out),
    )


def _prices(request: RefreshRequest, fetcher: PageFetcher, types: tuple[str, ...]) -> FetchedData:
    index = fetcher.page(_INDEX, _Index).content.regions
    prices: list[Price] = []
    unreported: set[str] = set()
    regions = [name for name in request.regions if name in index]
    missing_regions = [name for name in request.regions if name not in index]
    left_out = [f"{name}: missing in the price list's index" for name in missing_regions]
    for count, region in enumerate(regions, 1):
        fetcher.say(f"price list of {region} ({count} of {len(regions)})")
        link = index[region].currentVersionUrl.removesuffix(".json") + ".csv"
        page = fetcher.table(
            link,
            price_list_reader.Offers,
            partial(price_list_reader.read_machine_offers, types=types),
        ).content
        unreported.update(page.undescribed)
        left_out += (f"{region} {offer}" for offer in page.left_out)
        prices += (
            Price(
                cloud="aws",
                item=offer.type,
                region=region,
                zone=None,
                mode=offer.mode,
                unit="hour",
                per_unit=offer.per_hour,
                currency=offer.currency,
                source=fetcher.web.address(link),
                as_of=page.published.isoformat(),
                notes=offer.note,
                origin="refreshed",
            )
            for offer in page.offers
        )
    left_out += (f"{type_}: not in the machine table" for type_ in sorted(unreported))
    modes = ("on-demand", "reserved-1y", "reserved-3y")
    covered = frozenset((mode, region) for mode in modes for region in regions)
    return FetchedData(prices=tuple(prices), covered=covered, left_out=tuple(left_out))


def _machines(request: RefreshRequest, fetcher: PageFetcher) -> FetchedData:
    pages: dict[str, machine_rows.Shapes] = {}
    day = datetime.now(UTC).date()
    for region in _enabled_regions(request, fetcher):
        fetcher.say(f"machine types of {region}")
        page = fetcher.make_cached(
            f"DescribeInstanceTypes {request.endpoint} {region}",
            machine_rows.Shapes,
            partial(_machine_shapes, request, region),
        )
        pages[region], day = page.content, min(day, page.day)
    return machine_rows.rows(pages, request, day)


def _machine_shapes(request: RefreshRequest, region: str) -> machine_rows.Shapes:
    """Return the machine types of a region.

    See https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html.
    """
    machine_shapes = []
    with _asking(f"DescribeInstanceTypes in {region}"):
        pages = _ec2(request, region).get_paginator("describe_instance_types")
        for page in pages.paginate(PaginationConfig={"PageSize": _PAGE}):
            machine_shapes += [
                shape
                for shape in map(machine_rows.shape, page["InstanceTypes"])
                if shape is not None
            ]
    return machine_rows.Shapes(shapes=machine_shapes)


def _spot(request: RefreshRequest, fetcher: PageFetcher, types: tuple[str, ...]) -> FetchedData:
    prices: list[Price] = []
    left_out: list[str] = []
    regions = _enabled_regions(request, fetcher)
    for region in regions:
        fetcher.say(f"spot prices of {region}")
        page = fetcher.make_cached(
            f"DescribeSpotPriceHistory {request.endpoint} {region}",
            _SpotPrices,
            partial(_spots, request, region, types),
        )
        prices += (
            Price(
                cloud="aws",
                item=price.type,
                region=region,
                zone=price.zone,
                mode="spot",
                unit="hour",
                per_unit=price.per_hour,
                currency="USD",
                source=f"EC2 DescribeSpotPriceHistory in {region}",
                as_of=page.day.isoformat(),
                origin="refreshed",
            )
            for price in page.content.prices
            if check_positive(price.per_hour, f"{price.type} spot in {price.zone}", left_out)
        )
    covered = frozenset(("spot", region) for region in regions)
    return FetchedData(prices=tuple(prices), covered=covered, left_out=tuple(left_out))


def _spots(request: RefreshRequest, region: str, types: tuple[str, ...]) -> _SpotPrices:
    """Return the current prices, by zone id where the API gives it, else by zone name.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSpotPriceHistory.html: with
    the same start and end it is the price that was in effect then.
    """
    current_time = datetime.now(UTC)
    newest: dict[tuple[str, str], tuple[datetime, Decimal]] = {}
    with _asking(f"DescribeSpotPriceHistory in {region}"):
        pages = _ec2(request, region).get_paginator("describe_spot_price_history")
        for page in pages.paginate(
            InstanceTypes=list(types),
            ProductDescriptions=["Linux/UNIX"],
            StartTime=current_time,
            EndTime=current_time,
        ):
            for row in page["SpotPriceHistory"]:
                zone = row.get("AvailabilityZoneId") or row["AvailabilityZone"]
                key, since = (row["InstanceType"], zone), row["Timestamp"]
                if key not in newest or newest[key][0] < since:
                    newest[key] = (since, Decimal(row["SpotPrice"]))
    return _SpotPrices(
        prices=[
            _SpotPrice(type=type_, zone=zone, per_hour=per_hour)
            for (type_, zone), (_, per_hour) in sorted(newest.items())
        ]
    )


def _enabled_regions(request: RefreshRequest, fetcher: PageFetcher) -> tuple[str, ...]:
    """Return the requested regions that the account may use; others would refuse the key."""
    fetcher.say("the account's regions")
    home_region = boto3.Session().region_name or REGIONS.default
    with _asking("DescribeRegions"):
        answer = _ec2(request, home_region).describe_regions(AllRegions=False)
    enabled_regions = {row["RegionName"] for row in answer["Regions"]}
    return tuple(region for region in request.regions if region in enabled_regions)


def _ec2(request: RefreshRequest, region: str) -> Any:
    return boto3.Session().client(
        "ec2", region_name=region, endpoint_url=request.endpoint or None, config=_PATIENCE
    )


@contextmanager
def _asking(request_text: str) -> Generator[None]:
    """Convert the SDK's errors and unreadable responses to errors with a message.

    Raises:
        RefreshError: the request failed at every try.
    """
    try:
        yield
    except botocore.exceptions.ClientError as error:
        details = error.response.get("Error", {})
        reason_text = printable(f"{details.get('Code', '')}: {details.get('Message', '')}")[:200]
        raise RefreshError(f"{request_text} was refused: {reason_text}") from None
    except botocore.exceptions.BotoCoreError as error:
        reason = network_reason(error)
        if reason:
            raise unreachable(f"AWS ({request_text})", reason) from None
        raise RefreshError(f"{request_text} failed: {printable(str(error))[:200]}") from None
    except (KeyError, TypeError, ValueError, ArithmeticError) as error:
        raise RefreshError(
            f"{request_text} sent a response that its documentation doesn't describe"
        ) from error

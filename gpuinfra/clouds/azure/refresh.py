"""Fetches Azure prices: the Retail Prices API, size by size."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Final
from urllib.parse import quote

from pydantic import BaseModel, Field

from gpuinfra.clouds.refreshing.camel_case import CamelCaseModel
from gpuinfra.clouds.refreshing.contract import FetchedData, Part, RefreshRequest, check_positive
from gpuinfra.clouds.refreshing.page_fetcher import PageFetcher
from gpuinfra.errors import RefreshError
from gpuinfra.model import Price
from gpuinfra.units import HOURS_PER_YEAR

PARTS: Final[tuple[Part, ...]] = ("prices", "spot")
ENDPOINT: Final = "https://prices.azure.com"
PAUSE_SECONDS: Final = 0.2

_PATH: Final = "/api/retail/prices?api-version=2023-01-01-preview&currencyCode=USD&$filter="
"""https://learn.microsoft.com/en-us/rest/api/cost-management/retail-prices/azure-retail-prices:
this version alone has the rates of savings plans; its filter values are case-sensitive."""

_MOST_PAGES: Final = 500
_TERMS: Final = {"1 Year": 1, "3 Years": 3}
_MODES: Final[dict[Part, tuple[str, ...]]] = {
    "prices": ("on-demand", "reserved-1y", "reserved-3y", "savings-1y", "savings-3y"),
    "spot": ("spot",),
}
_OTHER_PRODUCTS: Final = ("windows", "cloud services", "cloudservices")
"""Words of a product's name that is another than a plain Linux machine."""


class _Plan(CamelCaseModel):
    term: str
    retail_price: Decimal


class _Item(CamelCaseModel):
    currency_code: str
    retail_price: Decimal
    arm_region_name: str
    arm_sku_name: str
    product_name: str
    sku_name: str
    meter_name: str
    unit_of_measure: str
    type: str
    effective_start_date: datetime
    is_primary_meter_region: bool = True
    reservation_term: str = ""
    savings_plan: list[_Plan] = Field(default_factory=list)


class _Page(BaseModel):
    Items: list[_Item]
    NextPageLink: str | None = None


def missing(part: Part) -> str:  # noqa: ARG001  the interface is public
    """Return an empty text, since the API is public."""
    return ""


def headers() -> Mapping[str, str]:
    """Return no headers, since the API is public."""
    return {}


def fetch(request: RefreshRequest, fetcher: PageFetcher) -> FetchedData:
    """Fetch all prices of each size."""
    modes = [mode for part in PARTS if part in request.parts for mode in _MODES[part]]
    prices: list[Price] = []
    left_out: list[str] = []
    sizes = sorted(request.machines)
    for count, size in enumerate(sizes, 1):
        fetcher.say(f"{size} ({count} of {len(sizes)})")
        best: dict[tuple[str, str], tuple[bool, datetime, Price]] = {}
        for item, day, url in _items(size, fetcher):
            if item.arm_sku_name != size or item.arm_region_name not in request.regions:
                continue
            rank = (item.is_primary_meter_region, item.effective_start_date)
            for price in _prices(item, day, url, left_out):
                best_price = best.get((price.region, price.mode))
                if price.mode in modes and (best_price is None or best_price[:2] < rank):
                    best[price.region, price.mode] = (*rank, price)
        prices += (price for _, _, price in best.values())
    covered = frozenset((mode, region) for mode in modes for region in request.regions)
    return FetchedData(
        prices=tuple(prices), covered=covered, left_out=tuple(dict.fromkeys(left_out))
    )


def _items(size: str, fetcher: PageFetcher) -> Iterator[tuple[_Item, date, str]]:
    asking = f"serviceName eq 'Virtual Machines' and armSkuName eq '{size}'"
    link: str | None = _PATH + quote(asking)
    first = fetcher.web.address(_PATH + quote(asking))
    seen_names: set[str] = set()
    while link:
        if link in seen_names or len(seen_names) == _MOST_PAGES:
            raise RefreshError(f"the pages of {size} do not end: {link.partition('?')[0]}")
        seen_names.add(link)
        page = fetcher.page(link, _Page, _billed_prices)
        for item in page.content.Items:
            yield item, page.day, first
        link = page.content.NextPageLink


def _billed_prices(page: _Page) -> _Page:
    """Return a page with only the prices that plain Linux machines are billed by."""
    return _Page(Items=list(filter(_is_plain_item, page.Items)), NextPageLink=page.NextPageLink)


def _is_plain_item(item: _Item) -> bool:
    product, sku = item.product_name.lower(), f"{item.sku_name} {item.meter_name}".lower()
    return (
        item.type in {"Consumption", "Reservation"}
        and item.unit_of_measure == "1 Hour"
        and not any(word in product for word in _OTHER_PRODUCTS)
        and "low priority" not in sku
        and "expired" not in sku
    )


def _prices(item: _Item, day: date, url: str, left_out: list[str]) -> Iterable[Price]:
    since = f"since {item.effective_start_date.date()}"
    if item.type == "Reservation":
        years = _TERMS.get(item.reservation_term)
        if years is not None:
            # The price is the whole term's although the unit says one hour.
            hours = HOURS_PER_YEAR * years
            note = f"whole-term price {item.retail_price} {item.currency_code} / {hours} h"
            offers = [(f"reserved-{years}y", round(item.retail_price / hours, 6), note)]
        else:
            offers = []
    elif "spot" in f"{item.sku_name} {item.meter_name}".lower():
        offers = [("spot", item.retail_price, since)]
    else:
        offers = [("on-demand", item.retail_price, since)]
        offers += (
            (f"savings-{_TERMS[plan.term]}y", plan.retail_price, since)
            for plan in item.savings_plan
            if plan.term in _TERMS
        )
    for mode, per_hour, note in offers:
        price_text = f"{item.arm_sku_name} {mode} in {item.arm_region_name}"
        if check_positive(per_hour, price_text, left_out):
            yield Price(
                cloud="azure",
                item=item.arm_sku_name,
                region=item.arm_region_name,
                zone=None,
                mode=mode,
                unit="hour",
                per_unit=per_hour,
                currency=item.currency_code,
                source=url,
                # Its own date says since when a price holds, not when it was last so.
                as_of=day.isoformat(),
                notes=note,
                origin="refreshed",
            )

"""Fetches Google Cloud prices: the Compute Engine SKUs of the Cloud Billing catalog."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from pydantic import Field

from gpuinfra.clouds.gcp.skus import Sku, SkuSumError, UnitRate, is_needed_sku, rates, total
from gpuinfra.clouds.refreshing import contract
from gpuinfra.clouds.refreshing.camel_case import CamelCaseModel
from gpuinfra.clouds.refreshing.contract import FetchedData, Part, RefreshRequest, check_positive
from gpuinfra.clouds.refreshing.page_fetcher import PageFetcher
from gpuinfra.errors import RefreshError
from gpuinfra.model import Machine, Price

PARTS: Final[tuple[Part, ...]] = ("prices", "spot")
ENDPOINT: Final = "https://cloudbilling.googleapis.com"
PAUSE_SECONDS: Final = 0.2
KEY: Final = "GOOGLE_API_KEY"

_PATH: Final = "/v1/services/6F81-5844-456A/skus?currencyCode=USD&pageSize=5000"
"""Compute Engine's SKUs: https://docs.cloud.google.com/billing/v1/how-tos/catalog-api"""
_MOST_PAGES: Final = 200
_MODES: Final[dict[Part, tuple[str, ...]]] = {
    "prices": ("on-demand", "committed-1y", "committed-3y"),
    "spot": ("spot",),
}


class _Page(CamelCaseModel):
    skus: list[Sku] = Field(default_factory=list)
    next_page_token: str = ""


def missing(part: Part) -> str:  # noqa: ARG001  every request needs it
    """Return the name of the API key that every request needs, if it is missing."""
    return contract.missing(KEY)


def headers() -> Mapping[str, str]:
    """Return the key as a header, so that no URL contains it.

    See https://cloud.google.com/docs/authentication/api-keys-use.
    """
    return {"X-Goog-Api-Key": contract.variable(KEY)}


def fetch(request: RefreshRequest, fetcher: PageFetcher) -> FetchedData:
    """Fetch all SKUs, and sum those of each machine type."""
    sku_rates = rates(_skus(fetcher))
    modes = [mode for part in PARTS if part in request.parts for mode in _MODES[part]]
    prices: list[Price] = []
    left_out: list[str] = []
    for machine in request.machines.values():
        for region in request.regions:
            for mode in modes:
                try:
                    rate = total(machine, region, mode, sku_rates)
                except SkuSumError as error:
                    left_out.append(str(error))
                    continue
                price_text = f"{machine.type} {mode} in {region}"
                if rate is not None and check_positive(rate.per_hour, price_text, left_out):
                    prices.append(_price(machine, region, mode, rate, fetcher))
    covered = frozenset((mode, region) for mode in modes for region in request.regions)
    return FetchedData(prices=tuple(prices), covered=covered, left_out=tuple(left_out))


def _price(
    machine: Machine, region: str, mode: str, rate: UnitRate, fetcher: PageFetcher
) -> Price:
    sold = mode.startswith("committed") or mode in machine.usage_classes
    return Price(
        cloud="gcp",
        item=machine.type,
        region=region,
        zone=None,
        mode=mode,
        unit="hour",
        per_unit=rate.per_hour,
        currency="USD",
        source=fetcher.web.address(_PATH),
        # Without a time range the catalog's effective time is of the last 12 hours.
        as_of=rate.effective.date().isoformat(),
        notes="sum of SKUs" if sold else f"sum of SKUs; the documentation does not offer {mode}",
        origin="refreshed",
    )


def _skus(fetcher: PageFetcher) -> list[Sku]:
    skus: list[Sku] = []
    seen_ids: set[str] = set()
    token = ""
    while True:
        fetcher.say(f"SKUs of Compute Engine, page {len(seen_ids) + 1}")
        link = f"{_PATH}&pageToken={quote(token)}" if token else _PATH
        page = fetcher.page(link, _Page, _billed_skus).content
        seen_ids.add(token)
        skus += page.skus
        token = page.next_page_token
        if not token:
            return skus
        if token in seen_ids or len(seen_ids) == _MOST_PAGES:
            raise RefreshError("the pages of SKUs do not end")


def _billed_skus(page: _Page) -> _Page:
    """Return a page with only the SKUs that machine types are billed by."""
    return _Page(
        skus=[sku for sku in page.skus if is_needed_sku(sku)], next_page_token=page.next_page_token
    )

"""The pricing terms of resources: which prices apply, and how old they may be."""

from datetime import date
from decimal import Decimal
from functools import lru_cache

from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.cost import PricingTerms
from gpuinfra.crossguard.policy_settings import OwnWord, PolicySettings
from gpuinfra.model import OUTDATED_AFTER_DAYS, Price


def terms(settings: PolicySettings, today: date, prices: PriceBook | None = None) -> PricingTerms:
    """Return the terms of a quote; `prices` take precedence over those that a program carries."""
    if prices is None:
        rates = tuple(sorted((settings.exchange_rates or {}).items()))
        prices = _prices(settings.price_rows, rates, settings.own_prices)
    return PricingTerms(
        as_of=today,
        prices=prices.bounding if settings.bound_unknown else prices,
        accept_outdated=bool(settings.accept_outdated),
        outdated_after_days=settings.outdated_after_days or OUTDATED_AFTER_DAYS,
        covers_everything=settings.covers == "everything",
        not_counted=settings.not_counted or (),
    )


@lru_cache(8)
def _prices(
    own_prices: tuple[Price, ...], rates: tuple[tuple[str, Decimal], ...], price_settings: OwnWord
) -> PriceBook:
    """Return the price book for these prices and rates, cached."""
    tables = PriceBook(rates=dict(rates)) if rates else CATALOG
    if own_prices and price_settings == "dearer":
        from gpuinfra.price_overrides.price_inputs import only_dearer  # noqa: PLC0415  (few programs carry prices)

        own_prices = only_dearer(own_prices, tables)
    return tables.overridden_by(own_prices) if own_prices else tables

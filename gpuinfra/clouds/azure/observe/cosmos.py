"""How often the request units of a database are paid: once in each region of its account."""

from dataclasses import replace
from typing import Any

from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.kinds import COSMOS_ACCOUNT
from gpuinfra.clouds.observing.values import flag, listed
from gpuinfra.model import UNKNOWN, Resource, Unknown


def with_regions(database: Resource, known: Index) -> Resource:
    """Return a database, or a table of one, with how many times more its units are paid.

    https://learn.microsoft.com/azure/cosmos-db/optimize-cost-regions
    """
    accounts = known.targets(database, "accountName", COSMOS_ACCOUNT)
    exact = accounts.exact and len(accounts.certain) == 1
    more = _times_more(accounts.certain[0].inputs) if exact else UNKNOWN
    return replace(database, inputs={**database.inputs, "timesMore": more})


def _times_more(account: Any) -> int | Unknown:
    """The regions besides the first; where all are written to, each costs as much as two."""
    places, writes = account.get("locations"), flag(account.get("enableMultipleWriteLocations"))
    if isinstance(places, Unknown) or isinstance(writes, Unknown):
        return UNKNOWN
    return max(1, len(listed(places))) * (2 if writes else 1) - 1

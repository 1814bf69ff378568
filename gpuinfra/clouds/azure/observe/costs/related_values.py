"""Inputs that a resource gets from another one: a share's tier, a database's request units."""

import re
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.resource_types import (
    ACCOUNT,
    COSMOS_ACCOUNT,
    COSMOS_PARTS,
    FILE_SHARE,
    canonical,
)
from gpuinfra.clouds.observing.values import as_list, at, flag
from gpuinfra.model import UNKNOWN, Resource, Unknown

_TIER: Final = "accessTier"
_DEFAULT_TIER: Final = "TransactionOptimized"
"""https://learn.microsoft.com/azure/storage/files/understanding-billing"""

_SERVERLESS: Final = "EnableServerless"
_TABLE: Final = re.compile(r"(?:Container|Collection|Table|Graph)$")
"""How types are called that are paid by themselves where their database states no units."""

_MIN_UNITS: Final = {"throughput": 400}
"""The fewest units that one can have; that it has them where none are stated was not read
(unverified): https://www.brandonapages.com/provisioned-nonrelational-databases-in-azure/"""


def with_related_values(resource: Resource, kind: str, index: Index) -> Resource:
    """Return the resource with the values that it gets from another one of the stack."""
    return (_with_tier if kind == FILE_SHARE else _with_units)(resource, index)


def _with_tier(share: Resource, index: Index) -> Resource:
    """Return a share with its account's default tier, if that is a standard one in the stack."""
    account = index.targets(share, "accountName", ACCOUNT).only
    if share.inputs.get(_TIER) is not None or account is None or not _is_standard(account.inputs):
        return share
    return replace(share, inputs={**share.inputs, _TIER: _DEFAULT_TIER})


def _is_standard(account: Any) -> bool:
    name = at(account, "sku", "name")
    standard = isinstance(name, str) and name.startswith("Standard_")
    return standard and account.get("kind") == "StorageV2"


def _with_units(account_resource: Resource, index: Index) -> Resource:
    """Return a database or table with its request units and its additional regions.

    https://learn.microsoft.com/azure/cosmos-db/optimize-cost-regions
    """
    account = _account_of(account_resource, index)
    added_units = UNKNOWN if account is None else _times_more(account.inputs)
    options = account_resource.inputs.get("options")
    if account is not None and not options and _TABLE.search(account_resource.type):
        options = None if _pays_no_least(account, index) else _MIN_UNITS
    return replace(
        account_resource,
        inputs={**account_resource.inputs, "options": options, "timesMore": added_units},
    )


def _times_more(account: Any) -> int | Unknown:
    """Return the additional billed regions; with multi-region writes, each counts twice."""
    locations, writes = account.get("locations"), flag(account.get("enableMultipleWriteLocations"))
    if isinstance(locations, Unknown) or isinstance(writes, Unknown):
        return UNKNOWN
    return max(1, len(as_list(locations))) * (2 if writes else 1) - 1


def _account_of(account_resource: Resource, index: Index) -> Resource | None:
    return index.targets(account_resource, "accountName", COSMOS_ACCOUNT).only


def _pays_no_least(account: Resource, index: Index) -> bool:
    """Return whether an account is billed by requests, or its database has shared units."""
    capabilities = as_list(account.inputs.get("capabilities"))
    if any(at(capability, "name") == _SERVERLESS for capability in capabilities):
        return True
    shared = index.memo("databases with units", lambda: tuple(_resources_with_units(index)))
    return any(_account_of(database, index) == account for database in shared)


def _resources_with_units(index: Index) -> list[Resource]:
    return [
        each
        for each in index
        if canonical(each.type).startswith(COSMOS_PARTS)
        and not _TABLE.search(each.type)
        and each.inputs.get("options")
    ]

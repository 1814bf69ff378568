"""The default access tier of a file share, from its storage account."""

from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.resource_types import ACCOUNT
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import Resource

_TIER: Final = "accessTier"
_DEFAULT: Final = "TransactionOptimized"
"""https://learn.microsoft.com/azure/storage/files/understanding-billing"""


def with_tier(share: Resource, index: Index) -> Resource:
    """Return a share with its account's default tier, if that is a standard one in the stack."""
    accounts = index.targets(share, "accountName", ACCOUNT)
    own = (
        accounts.exact and len(accounts.certain) == 1 and _is_standard(accounts.certain[0].inputs)
    )
    if share.inputs.get(_TIER) is not None or not own:
        return share
    return replace(share, inputs={**share.inputs, _TIER: _DEFAULT})


def _is_standard(account: Any) -> bool:
    name = at(account, "sku", "name")
    standard = isinstance(name, str) and name.startswith("Standard_")
    return standard and account.get("kind") == "StorageV2"

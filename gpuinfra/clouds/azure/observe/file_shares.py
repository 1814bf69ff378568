"""The access tier that a file share has by its storage account where it states none."""

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
    """Return a share with the default tier of its account, where the stack has a standard one."""
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

"""Look-ups of storage account keys."""

import base64
import hashlib
from typing import Any

from gpuinfra.sandbox.plugin.azure.lookups.existing_resources import named_by
from gpuinfra.sandbox.plugin.cloud import Invoke, LookupContext
from gpuinfra.sandbox.plugin.contract import CloudRefusalError

_ACCOUNT = "azure-native:storage:StorageAccount"


def _account_keys(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    account = named_by(lookup_context, _ACCOUNT, args)
    if account.properties.get("allowSharedKeyAccess") is False:
        # The words: github.com/hashicorp/terraform-provider-azurerm/issues/17341
        raise CloudRefusalError(
            "KeyBasedAuthenticationNotPermitted",
            "Key based authentication is not permitted on this storage account.",
        )
    return {"keys": [_key(account.id, name) for name in ("key1", "key2")]}


def _key(account: str, name: str) -> dict[str, str]:
    """Return a generated key, which is the same in every call."""
    digest = hashlib.sha512(f"{account}/{name}".encode()).digest()
    return {"keyName": name, "permissions": "FULL", "value": base64.b64encode(digest).decode()}


INVOKES: dict[str, Invoke] = {"azure-native:storage:listStorageAccountKeys": _account_keys}

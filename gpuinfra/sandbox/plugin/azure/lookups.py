"""The look-ups (`invoke`) that the Azure plugin answers; any other is refused by name.

They are those of every type of the tables (`getSubnet` for `Subnet`), the caller, account keys.
"""

import base64
import hashlib
from functools import partial
from typing import Any

from gpuinfra.sandbox.ledger import Record
from gpuinfra.sandbox.plugin.azure import ids
from gpuinfra.sandbox.plugin.azure.settings import OBJECT
from gpuinfra.sandbox.plugin.cloud import Invoke, LookupContext
from gpuinfra.sandbox.plugin.contract import CloudRefusalError

_ACCOUNT = "azure-native:storage:StorageAccount"


def _client_config(lookup_context: LookupContext, _args: dict[str, Any]) -> dict[str, Any]:
    return {**lookup_context.settings.account, "objectId": OBJECT}


def _account_keys(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    account = _named_by(lookup_context, _ACCOUNT, args)
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


def _named_by(lookup_context: LookupContext, token: str, args: dict[str, Any]) -> Record:
    """Return the record of the resource that the arguments name.

    Raises:
        CloudRefusalError: an argument is missing, or there is no such resource.
    """
    kind = ids.tables().type(token)
    if kind is None:
        raise KeyError(token)
    names = [name for name in ids.slots(kind.id_form) if name != "subscriptionId"]
    missing = [name for name in names if not args.get(name)]
    if missing:
        raise CloudRefusalError(
            "MissingArgument", f"missing required argument '{missing[0]}' of {token}"
        )
    resource_id = ids.resource_id(kind.id_form, args, lookup_context.settings)
    existing = ids.record(lookup_context.records, resource_id)
    if existing is None:
        raise CloudRefusalError("ResourceNotFound", _not_found_message(token, args, resource_id))
    return existing


def _get(token: str, lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    existing = _named_by(lookup_context, token, args)
    return {**existing.properties, "id": existing.id}


def _not_found_message(token: str, args: dict[str, Any], resource_id: str) -> str:
    if token == ids.RESOURCE_GROUP:
        return f"Resource group '{args['resourceGroupName']}' could not be found."
    name = resource_id.rsplit("/", 1)[-1]
    return (
        f"The Resource '{ids.api_type(token)}/{name}' under resource group "
        f"'{args.get('resourceGroupName', '')}' was not found. For more details please go to "
        "https://aka.ms/ARMResourceNotFoundFix"
    )


def _getter(token: str) -> str:
    module, name = token.rsplit(":", 1)
    return f"{module}:get{name}"


INVOKES: dict[str, Invoke] = {
    "azure-native:authorization:getClientConfig": _client_config,
    "azure-native:storage:listStorageAccountKeys": _account_keys,
    **{_getter(token): partial(_get, token) for token in ids.tables().tokens},
}

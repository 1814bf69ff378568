"""Look-ups of existing resources, for every type of the tables: `getSubnet` for `Subnet`."""

from functools import partial
from typing import Any

from gpuinfra.sandbox.ledger import Record
from gpuinfra.sandbox.plugin.azure import ids
from gpuinfra.sandbox.plugin.cloud import Invoke, LookupContext
from gpuinfra.sandbox.plugin.contract import CloudRefusalError


def named_by(lookup_context: LookupContext, token: str, args: dict[str, Any]) -> Record:
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
    own = ids.resource_id(kind.id_form, args, lookup_context.settings.account["subscriptionId"])
    existing = ids.record(lookup_context.records, own)
    if existing is None:
        raise CloudRefusalError("ResourceNotFound", _not_found_message(token, args, own))
    return existing


def _get(token: str, lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    existing = named_by(lookup_context, token, args)
    return {**existing.properties, "id": existing.id}


def _not_found_message(token: str, args: dict[str, Any], own: str) -> str:
    if token == ids.RESOURCE_GROUP:
        return f"Resource group '{args['resourceGroupName']}' could not be found."
    name = own.rsplit("/", 1)[-1]
    return (
        f"The Resource '{ids.api_type(token)}/{name}' under resource group "
        f"'{args.get('resourceGroupName', '')}' was not found. For more details please go to "
        "https://aka.ms/ARMResourceNotFoundFix"
    )


def _getter(token: str) -> str:
    module, name = token.rsplit(":", 1)
    return f"{module}:get{name}"


INVOKES: dict[str, Invoke] = {
    _getter(token): partial(_get, token) for token in ids.tables().tokens
}

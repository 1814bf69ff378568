"""Azure locations: their spelling, and the default of a resource."""

from typing import Any

from gpuinfra.sandbox.plugin.azure import ids
from gpuinfra.sandbox.plugin.azure.ids import Records
from gpuinfra.sandbox.plugin.contract import Inputs
from gpuinfra.sandbox.plugin.schema import ResourceType
from gpuinfra.sandbox.plugin.settings import ProviderSettings
from gpuinfra.sandbox.plugin.wire import UNKNOWN, Unknown


def normal(location: str) -> str:
    """Return the canonical spelling of a location: ``East US`` and ``eastus`` are the same."""
    return location.replace(" ", "").lower()


def place_of(_kind: ResourceType | None, settings: ProviderSettings, inputs: Inputs) -> str:
    """Return the location of a resource with these inputs; empty without one."""
    location = inputs.get("location")
    return normal(location if isinstance(location, str) else settings.place)


def fill_location(
    resource_type: ResourceType,
    settings: ProviderSettings,
    records: Records,
    inputs: Inputs,
    old: Inputs,
) -> dict[str, Any]:
    """Return the inputs with azure-native's default location (provider.go).

    It is the one of the last update, else the configured one, else that of the resource group.
    """
    if "location" not in resource_type.inputs or inputs.get("location") is not None:
        return dict(inputs)
    location = old.get("location") or settings.place or _group_location(settings, records, inputs)
    return {**inputs, "location": location} if location else dict(inputs)


def _group_location(
    settings: ProviderSettings, records: Records, inputs: Inputs
) -> str | Unknown | None:
    name = inputs.get("resourceGroupName")
    if isinstance(name, Unknown):
        return UNKNOWN
    kind = ids.tables().type(ids.RESOURCE_GROUP)
    if not name or kind is None:
        return None
    group = ids.record(records, ids.resource_id(kind.id_form, inputs, settings))
    return group.properties.get("location") if group else None

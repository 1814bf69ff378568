"""Azure's computed outputs: ids of parts, states, endpoints, principals."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from gpuinfra.sandbox.plugin import forms
from gpuinfra.sandbox.plugin.azure import ids, parts
from gpuinfra.sandbox.plugin.azure.locations import normal
from gpuinfra.sandbox.plugin.azure.settings import CLIENT
from gpuinfra.sandbox.plugin.contract import Inputs
from gpuinfra.sandbox.plugin.facts import facts
from gpuinfra.sandbox.plugin.operation_context import OperationContext
from gpuinfra.sandbox.plugin.schema import ResourceType
from gpuinfra.sandbox.plugin.settings import ProviderSettings
from gpuinfra.sandbox.plugin.wire import UNKNOWN, Unknown

# Computed outputs that look alike on every type that has them.
_COMPUTED_BY_NAME: dict[str, str] = facts(ids.PACKAGE, "computed")
_CHANGING = frozenset({"etag", "eTag", "updatedOn", "lastModifiedTime", "lastUpdatedTime"})

# Outputs of single types that programs read.
_COMPUTED_BY_TYPE: dict[str, dict[str, Any]] = facts(ids.PACKAGE, "outputs")


def changing(token: str) -> tuple[str, ...]:
    """Return the outputs that are unknown until an update is done."""
    kind = ids.tables().type(token)
    return tuple(key for key in (kind.computed if kind else ()) if key in _CHANGING)


def create_outputs(
    resource_type: ResourceType, context: OperationContext
) -> tuple[str, dict[str, Any]]:
    """Return the id and the outputs of a new resource."""
    call = context.call
    resource_id = ids.resource_id(resource_type.id_form, call.inputs, call.settings)
    return resource_id, _outputs(resource_type, context, resource_id, {})


def update_outputs(
    resource_type: ResourceType, context: OperationContext, resource_id: str, old: Inputs
) -> dict[str, Any]:
    """Return the outputs after an update: values that Azure generated are kept."""
    outputs = _outputs(resource_type, context, resource_id, old)
    kept_outputs = {
        key: old[key]
        for key in outputs
        if key in old and key not in context.call.inputs and key not in _CHANGING
    }
    return outputs | kept_outputs


def preview_outputs(
    resource_type: ResourceType, _settings: ProviderSettings, inputs: Inputs, old: Inputs | None
) -> dict[str, Any]:
    """Return a preview's outputs: unset inputs that Azure may set, and ids of parts.

    As PreviewOutputs of azure-native's convert.go.
    """
    input_only = ids.tables().raw[resource_type.token].get("input_only", ())
    unset = [
        key for key in resource_type.inputs if inputs.get(key) is None and key not in input_only
    ]
    outputs: dict[str, Any] = {}
    if old is None:
        outputs = dict.fromkeys(unset, UNKNOWN)
    else:
        outputs = {key: old[key] for key in unset if key in old}
    return outputs | parts.preview_outputs(resource_type.token, inputs, old or {})


def _outputs(
    resource_type: ResourceType, context: OperationContext, resource_id: str, old: Inputs
) -> dict[str, Any]:
    values = _values(resource_type, context, resource_id)
    outputs = {key: value for key, value in context.call.inputs.items() if key != "id"}
    computed: dict[str, Any] = {
        key: _COMPUTED_BY_NAME[key] for key in resource_type.computed if key in _COMPUTED_BY_NAME
    }
    computed |= {key: values[key] for key in ("name", "type") if key in resource_type.computed}
    if "azureApiVersion" in resource_type.computed:
        computed["azureApiVersion"] = ids.tables().raw[resource_type.token]["api_version"]
    computed |= _COMPUTED_BY_TYPE.get(resource_type.token, {})
    for key, form in computed.items():
        outputs.setdefault(key, forms.fill(form, values) if isinstance(form, str) else form)
    if "systemData" in resource_type.computed:
        outputs["systemData"] = _system_data(values["now"])
    if "name" in resource_type.inputs:
        outputs.setdefault("name", values["name"])
    make = _MAKERS.get(resource_type.token)
    return (
        outputs
        | parts.created_parts(resource_type.token, context, resource_id, old)
        | (make(values) if make else {})
    )


def _values(
    resource_type: ResourceType, context: OperationContext, resource_id: str
) -> dict[str, Any]:
    call = context.call
    name = call.inputs[ids.slots(resource_type.id_form)[-1]]
    place = normal(str(call.inputs.get("location") or call.region))
    values = {"dnsPrefix": name, "clientId": CLIENT, **call.settings.account, **call.inputs}
    return {
        **values,
        "id": resource_id,
        "name": name,
        "type": ids.api_type(resource_type.token),
        "place": place,
        "now": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }


def _system_data(now: str) -> dict[str, str]:
    return {
        "createdAt": now,
        "createdBy": CLIENT,
        "createdByType": "Application",
        "lastModifiedAt": now,
        "lastModifiedBy": CLIENT,
        "lastModifiedByType": "Application",
    }


def _account(values: Inputs) -> dict[str, Any]:
    services = ("blob", "dfs", "file", "queue", "table")
    name = values["name"]
    endpoints = {key: f"https://{name}.{key}.core.windows.net/" for key in services}
    return {"primaryEndpoints": endpoints | {"web": f"https://{name}.z13.web.core.windows.net/"}}


def _address(values: Inputs) -> dict[str, Any]:
    outputs: dict[str, Any] = {}
    if values.get("publicIPAllocationMethod") == "Static" and not values.get("ipAddress"):
        first, second, third = bytes.fromhex(forms.fill("<6 hex>", {}))
        outputs["ipAddress"] = f"20.{first}.{second}.{third}"
    label = (values.get("dnsSettings") or {}).get("domainNameLabel")
    if label and not isinstance(label, Unknown):
        fqdn = f"{label}.{values['place']}.cloudapp.azure.com"
        outputs["dnsSettings"] = {**values["dnsSettings"], "fqdn": fqdn}
    return outputs


def _interface(_values: Inputs) -> dict[str, Any]:
    digits = forms.fill("<6 hex>", {}).upper()
    return {"macAddress": f"00-22-48-{digits[:2]}-{digits[2:4]}-{digits[4:]}"}


def _vault(values: Inputs) -> dict[str, Any]:
    uri = f"https://{values['name']}.vault.azure.net/"
    return {"properties": {**values["properties"], "vaultUri": uri}}


def _cluster(values: Inputs) -> dict[str, Any]:
    version = values.get("kubernetesVersion")
    return {"currentKubernetesVersion": version} if version else {}


def _disk(values: Inputs) -> dict[str, Any]:
    size = values.get("diskSizeGB")
    return {"diskSizeBytes": size * 1024**3} if size else {}


_MAKERS: dict[str, Callable[[Inputs], dict[str, Any]]] = {
    "azure-native:compute:Disk": _disk,
    "azure-native:containerservice:ManagedCluster": _cluster,
    "azure-native:keyvault:Vault": _vault,
    "azure-native:network:NetworkInterface": _interface,
    "azure-native:network:PublicIPAddress": _address,
    "azure-native:storage:StorageAccount": _account,
}

"""Google Cloud's ids and computed outputs.

Forms: `id` in data/gcp.json, the resource pages of the Compute Engine, Cloud Storage, IAM, GKE and
Cloud Monitoring APIs, and terraform-provider-google's read functions.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from gpuinfra.sandbox.plugin import forms
from gpuinfra.sandbox.plugin.facts import facts, names_in_table
from gpuinfra.sandbox.plugin.gcp import addresses, places, resource_names
from gpuinfra.sandbox.plugin.gcp.machines import INSTANCE
from gpuinfra.sandbox.plugin.operation_context import OperationContext
from gpuinfra.sandbox.plugin.schema import ResourceType

Values = dict[str, Any]

# Ids whose form in data/gcp.json is in words.
_IDS: dict[str, str] = facts("gcp", "ids")
# The part of an id that says which service made it, where the self link is not Compute Engine's.
_LINKS: dict[str, str] = facts("gcp", "links")
_TIMES = ("creationTimestamp", "createTime", "timeCreated")
_CHANGES = ("updated", "updateTime")
_DIGESTS = ("fingerprint", "labelFingerprint", "metadataFingerprint", "tagsFingerprint", "etag")
# Server-made numbers: strings, and those that the SDK types as numbers.
_NUMBERS = ("diskId", "instanceId", "networkId", "numericId")
_INTEGERS = names_in_table("gcp", "integers")
# Computed outputs that are lists; all others that the sandbox does not model are empty texts, as
# the provider reads what the API leaves out.
_LISTS = names_in_table("gcp", "lists")
# Computed outputs and inputs that the cloud fills; `<...>` is filled from the other values.
_EXTRA_OUTPUTS: dict[str, Values] = facts("gcp", "outputs")
_CHECKS: dict[str, str] = facts("gcp", "checks")


def importable(resource_type: ResourceType, inputs: Mapping[str, Any]) -> Values:
    """Return the inputs of an import without the generated names and addresses of interfaces."""
    nics = inputs.get("networkInterfaces")
    if resource_type.token != INSTANCE or not isinstance(nics, list):
        return dict(inputs)
    declared = [
        {key: item for key, item in nic.items() if key not in ("name", "networkIp") and item}
        for nic in nics
    ]
    return {**inputs, "networkInterfaces": declared}


def create_outputs(resource_type: ResourceType, context: OperationContext) -> tuple[str, Values]:
    """Return the id and the outputs of a new resource."""
    inputs = context.call.inputs
    form = _IDS.get(resource_type.token) or resource_names.id_form(resource_type)
    resource_id = forms.fill(form, {**inputs, "number": resource_names.PROJECT_NUMBER})
    title = (inputs.get("condition") or {}).get("title")
    if title:
        resource_id = f"{resource_id}/{title}"
    return resource_id, _outputs(resource_type, context, resource_id, {})


def update_outputs(
    resource_type: ResourceType,
    context: OperationContext,
    resource_id: str,
    old: Mapping[str, Any],
) -> Values:
    """Return the outputs after an update: computed ones are kept, fingerprints change."""
    kept_outputs = {
        key: old[key]
        for key in (*resource_type.computed, *resource_type.provider_fills)
        if key in old
    }
    passing = {*_DIGESTS, *_CHANGES, *context.call.inputs}
    return _outputs(
        resource_type,
        context,
        resource_id,
        {key: kept_outputs[key] for key in kept_outputs if key not in passing},
    )


def _outputs(
    resource_type: ResourceType, context: OperationContext, resource_id: str, kept_outputs: Values
) -> Values:
    inputs = context.call.inputs
    values: Values = {
        **_computed_outputs(resource_type, inputs, resource_id),
        **kept_outputs,
        **inputs,
    }
    for key, value in _EXTRA_OUTPUTS.get(resource_type.token, {}).items():
        slots = {
            **values,
            "id": resource_id,
            "n": values.get("numericId", ""),
            "uuid of id": resource_names.last_segment(resource_id),
        }
        values.setdefault(key, forms.fill(value, slots) if isinstance(value, str) else value)
    special = _SPECIAL.get(resource_type.token)
    if special:
        values |= special(context, values)
    unset = {
        key: [] if key in _LISTS else "" for key in resource_type.computed if key not in values
    }
    return {**values, **unset}


def _computed_outputs(
    resource_type: ResourceType, inputs: Mapping[str, Any], resource_id: str
) -> Values:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    digest = hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).digest()
    values: Values = {
        "selfLink": f"{_LINKS.get(resource_type.token, resource_names.COMPUTE)}{resource_id}"
    }
    values |= dict.fromkeys([*_TIMES, *_CHANGES], now)
    values |= dict.fromkeys(_DIGESTS, base64.b64encode(digest[:9]).decode())
    values |= {key: forms.fill("<19 digits>", {}) for key in _NUMBERS}
    values |= {key: int(forms.fill("<15 digits>", {})) for key in _INTEGERS}
    return {key: value for key, value in values.items() if key in resource_type.computed}


def _group(context: OperationContext, values: Values) -> Values:
    call = context.call
    is_zonal = "zone" in values
    location = f"zones/{values['zone']}" if is_zonal else f"regions/{values['region']}"
    project = f"{resource_names.COMPUTE}projects/{values['project']}"
    group = f"{project}/{location}/instanceGroups/{values['name']}"
    filled: Values = {"instanceGroup": group, "statuses": [{"isStable": True}]}
    filled["targetSize"] = values.get("targetSize") or 0
    if not is_zonal:
        policy_zones = values.get("distributionPolicyZones")
        filled["distributionPolicyZones"] = policy_zones or list(places.zones(call.region))[:3]
        filled["distributionPolicyTargetShape"] = (
            values.get("distributionPolicyTargetShape") or "EVEN"
        )
    return filled


def _check_type(_context: OperationContext, values: Values) -> Values:
    return {"type": next((_CHECKS[key] for key in _CHECKS if values.get(key) is not None), "")}


def _cluster(_context: OperationContext, values: Values) -> Values:
    return {
        "endpoint": values.get("endpoint") or addresses.public(values["name"]),
        "masterVersion": values.get("masterVersion") or values.get("minMasterVersion") or "latest",
    }


def _lustre(_context: OperationContext, values: Values) -> Values:
    return {"mountPoint": f"{addresses.private(values['instanceId'])}@tcp:/{values['filesystem']}"}


def _bucket(_context: OperationContext, _values: Values) -> Values:
    return {"projectNumber": int(resource_names.PROJECT_NUMBER)}


def _subnetwork(_context: OperationContext, values: Values) -> Values:
    return {"gatewayAddress": addresses.gateway(values.get("ipCidrRange"))}


def _node_pool(_context: OperationContext, values: Values) -> Values:
    zones = values.get("nodeLocations") or places.zones(values["location"])[:3]
    zone_names = [zone for zone in [*zones, values["location"]] if places.is_zone(zone)]
    urls = [
        f"{resource_names.COMPUTE}projects/{values['project']}/zones/{zone}/instanceGroupManagers/"
        f"gke-{resource_names.last_segment(values['cluster'])}-{values['name']}"
        for zone in dict.fromkeys(zone_names)
    ]
    count = values.get("nodeCount") or values.get("initialNodeCount") or 0
    return {"instanceGroupUrls": urls, "managedInstanceGroupUrls": urls, "nodeCount": count}


_SPECIAL: dict[str, Callable[[OperationContext, Values], Values]] = {
    "gcp:compute/address:Address": addresses.address,
    "gcp:compute/forwardingRule:ForwardingRule": addresses.forwarding_rule,
    "gcp:compute/globalAddress:GlobalAddress": addresses.address,
    "gcp:compute/globalForwardingRule:GlobalForwardingRule": addresses.forwarding_rule,
    "gcp:compute/healthCheck:HealthCheck": _check_type,
    "gcp:compute/instance:Instance": addresses.instance,
    "gcp:compute/instanceGroupManager:InstanceGroupManager": _group,
    "gcp:compute/regionHealthCheck:RegionHealthCheck": _check_type,
    "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager": _group,
    "gcp:compute/subnetwork:Subnetwork": _subnetwork,
    "gcp:container/cluster:Cluster": _cluster,
    "gcp:container/nodePool:NodePool": _node_pool,
    "gcp:lustre/instance:Instance": _lustre,
    "gcp:storage/bucket:Bucket": _bucket,
}

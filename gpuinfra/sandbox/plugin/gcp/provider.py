"""The settings of the Google Cloud provider, and the values that it adds to resources.

Environment variables and defaults: pulumi.com/registry/packages/gcp/installation-configuration and
terraform-provider-google's `getRegionFromSchema` and `getLocation`.
"""

from typing import Any

from gpuinfra.sandbox.plugin.cloud import Provider
from gpuinfra.sandbox.plugin.contract import Call, CloudRefusalError, Inputs
from gpuinfra.sandbox.plugin.gcp import places, resource_names
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.schema import ResourceType, Schema
from gpuinfra.sandbox.plugin.settings import ProviderSettings, nested_setting, text
from gpuinfra.sandbox.plugin.wire import UNKNOWN, Unknown, has_unknown

_PROJECT = (
    "GOOGLE_PROJECT",
    "GOOGLE_CLOUD_PROJECT",
    "GCLOUD_PROJECT",
    "CLOUDSDK_CORE_PROJECT",
)
_REGION = ("GOOGLE_REGION", "GCLOUD_REGION", "CLOUDSDK_COMPUTE_REGION")
_ZONE = ("GOOGLE_ZONE", "GCLOUD_ZONE", "CLOUDSDK_COMPUTE_ZONE")
# The provider labels what it makes: pulumi.com/registry/packages/gcp/installation-configuration,
# `addPulumiAttributionLabel`.
_ATTRIBUTION = {"goog-pulumi-provisioned": "true"}
_LABELS = ("pulumiLabels", "effectiveLabels")
_BUCKET = "gcp:storage/bucket:Bucket"
_CRYPTO_KEY = "gcp:kms/cryptoKey:CryptoKey"
_CLUSTER = ("projects", "<project>", "locations", "<location>", "clusters", "<name>")
_SETTING_KEYS = {
    "project": "gcp:project",
    "zone": "gcp:zone",
    "region": "gcp:region",
    "location": "gcp:region",
}


def provider(tables: Schema) -> Provider:
    """Return the provider's settings; those that only matter to a real cloud are ignored."""
    return Provider(
        known_settings=frozenset(tables.raw["$provider"]), read_settings=_read, problems=_problems
    )


def provider_inputs(
    resource_type: ResourceType, settings: ProviderSettings, inputs: Inputs
) -> dict[str, Any]:
    """Return the inputs with the provider's project, region, zone and labels, as accepted."""
    all_inputs = resource_names.with_short_names(inputs)
    parent = resource_names.relative(_text(inputs.get("cluster"))).split("/")
    if len(parent) == len(_CLUSTER):
        _add(all_inputs, "location", parent[_CLUSTER.index("<location>")])
    if "project" in resource_type.inputs and "project" not in resource_type.required:
        _add(all_inputs, "project", settings.account.get("project", ""))
    zone, region = settings.account.get("zone", ""), settings.place
    key = resource_names.place_key(resource_type)
    if key not in resource_type.required:
        from_zone = places.region_of(_text(all_inputs.get("zone")))
        values = {
            "zone": zone,
            "region": from_zone or region,
            "location": _text(all_inputs.get("zone")) or region or zone,
        }
        _add(all_inputs, key, values.get(key, ""))
    labels = inputs.get("labels") or {}
    if "effectiveLabels" in resource_type.computed and not has_unknown(labels):
        all_inputs |= {key: {**settings.tags, **labels} for key in _LABELS}
    return all_inputs


def place_of(
    resource_type: ResourceType | None, settings: ProviderSettings, inputs: Inputs
) -> str:
    """Return the zone, region or location by its bare name; `global` without one."""
    if resource_type is None:
        return settings.place
    if resource_type.token == _BUCKET:
        return _text(inputs.get("location")).lower()
    if resource_type.token == _CRYPTO_KEY:
        ring = resource_names.relative(_text(inputs.get("keyRing"))).split("/")
        return ring[_CLUSTER.index("<location>")] if len(ring) == len(_CLUSTER) else ""
    key = resource_names.place_key(resource_type)
    return resource_names.last_segment(_text(inputs.get(key))) if key else "global"


def preview_outputs(
    resource_type: ResourceType, settings: ProviderSettings, inputs: Inputs, old: Inputs | None
) -> dict[str, Any]:
    """Return the project, location and labels, which a preview knows."""
    all_inputs = provider_inputs(resource_type, settings, inputs)
    refuse_missing(resource_type, all_inputs)
    keys = {"project", resource_names.place_key(resource_type), *_LABELS} & (
        resource_type.inputs.keys() | {*resource_type.computed}
    )
    known = {key: all_inputs[key] for key in keys if key in all_inputs}
    if old is None and any(key in resource_type.computed for key in _LABELS):
        known |= {key: UNKNOWN for key in _LABELS if key not in known}
    return known


def refuse_missing(resource_type: ResourceType, inputs: Inputs) -> None:
    """Raise the provider's refusal of a resource without project or location.

    Source: terraform-provider-google, tpgresource `GetProjectFromDiff`, `getZone`, `getRegion`.
    """
    needed = ["project"] if "project" in resource_names.slots(resource_type) else []
    for key in [*needed, resource_names.place_key(resource_type)]:
        if key and not inputs.get(key):
            raise CloudRefusalError(
                "MissingSetting",
                f"{key}: required field is not set: set '{key}' of the resource or `pulumi config "
                f"set {_SETTING_KEYS[key]}`",
            )


def complete_outputs(resource_type: ResourceType, _call: Call, outputs: Inputs) -> dict[str, Any]:
    """Return the outputs that are set, with a bucket's location in upper case."""
    complete = {key: value for key, value in outputs.items() if value is not None}
    if resource_type.token == _BUCKET:
        complete["location"] = str(complete["location"]).upper()
    return complete


def _read(settings: Inputs) -> ProviderSettings:
    zone = resource_names.last_segment(text(settings, "zone", *_ZONE))
    region = resource_names.last_segment(text(settings, "region", *_REGION))
    labels = {key: str(value) for key, value in nested_setting(settings, "defaultLabels").items()}
    adds_attribution = str(settings.get("addPulumiAttributionLabel", True)).lower() != "false"
    return ProviderSettings(
        place=region or places.region_of(zone),
        account={"project": text(settings, "project", *_PROJECT), "zone": zone},
        tags={**labels, **(_ATTRIBUTION if adds_attribution else {})},
    )


def _problems(settings: Inputs) -> list[Failure]:
    """Return the problem of an unknown region; a zone and the project are checked on use.

    The provider looks at the region alone: pulumi-gcp, `preConfigureCallbackWithLogger`. A
    program may keep a part of a zone's name in `gcp:zone`, and set the zones of its machines.
    """
    region = settings.get("region")
    if not isinstance(region, str) or not region:
        return []
    if places.is_region(resource_names.last_segment(region)):
        return []
    return [Failure("region", f"there is no region '{region}'")]


def _add(inputs: dict[str, Any], key: str, value: str) -> None:
    if key and value and inputs.get(key) is None:
        inputs[key] = value


def _text(value: Any) -> str:
    return "" if value is None or isinstance(value, Unknown) else str(value)

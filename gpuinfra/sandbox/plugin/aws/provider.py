"""The settings of the AWS provider, and the region, tags and defaults that resources get."""

from collections.abc import Callable
from typing import Any

from gpuinfra.sandbox.plugin.cloud import Provider
from gpuinfra.sandbox.plugin.contract import Call, Inputs
from gpuinfra.sandbox.plugin.facts import names_in_table
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.schema import ResourceType
from gpuinfra.sandbox.plugin.settings import ProviderSettings, nested_setting, text
from gpuinfra.sandbox.plugin.wire import UNKNOWN, has_unknown

_REGION_WAYS = (
    "missing region: set it with `pulumi config set aws:region us-east-1`, with AWS_REGION, or as "
    "`region` of the provider"
)


def _region(inputs: Inputs) -> str:
    return text(inputs, "region", "AWS_REGION", "AWS_DEFAULT_REGION")


def _read(inputs: Inputs) -> ProviderSettings:
    tags = nested_setting(inputs, "defaultTags").get("tags") or {}
    return ProviderSettings(place=_region(inputs), tags=dict(tags))


def _problems(inputs: Inputs) -> list[Failure]:
    return [] if _region(inputs) else [Failure("region", _REGION_WAYS)]


def place_of(_kind: ResourceType | None, settings: ProviderSettings, inputs: Inputs) -> str:
    """Return the resource's region, else the provider's."""
    return str(inputs.get("region") or settings.place)


def record_region(resource_type: ResourceType | None, call: Call) -> str:
    """Return the region of a record; empty for types that AWS has once per account."""
    return call.region if resource_type is None or "region" in resource_type.inputs else ""


def provider_inputs(
    resource_type: ResourceType, settings: ProviderSettings, inputs: Inputs
) -> dict[str, Any]:
    """Return the inputs with the provider's region and default tags."""
    all_inputs = dict(inputs)
    if settings.place and "region" in resource_type.inputs:
        all_inputs.setdefault("region", settings.place)
    tags = inputs.get("tags") or {}
    if settings.tags and "tagsAll" in resource_type.computed and not has_unknown(tags):
        all_inputs["tagsAll"] = {**settings.tags, **tags}
    return all_inputs


def preview_outputs(
    resource_type: ResourceType, settings: ProviderSettings, inputs: Inputs, old: Inputs | None
) -> dict[str, Any]:
    """Return the region and all tags, which a preview knows."""
    known: dict[str, Any] = {}
    if "region" in resource_type.inputs:
        known["region"] = inputs.get("region") or (old or {}).get("region") or settings.place
    if "tagsAll" in resource_type.computed:
        tags = inputs.get("tags") or {}
        known["tagsAll"] = UNKNOWN if has_unknown(tags) else {**settings.tags, **tags}
    return known


def complete_outputs(resource_type: ResourceType, call: Call, outputs: Inputs) -> dict[str, Any]:
    """Return the outputs with the region, and with own tags separate from default tags."""
    complete = {key: value for key, value in outputs.items() if value is not None}
    if "region" in resource_type.inputs:
        complete.setdefault("region", call.region)
    everywhere = call.settings.tags
    if not everywhere or "tagsAll" not in resource_type.computed:
        return complete
    declared_tags = call.inputs.get("tags") or {}
    merged = complete.get("tagsAll") or {**everywhere, **declared_tags}
    complete["tagsAll"] = merged
    complete["tags"] = {
        key: value
        for key, value in merged.items()
        if key in declared_tags or everywhere.get(key) != value
    }
    if not complete["tags"] and "tags" not in call.inputs:
        del complete["tags"]
    return complete


def default_inputs(call: Call) -> dict[str, Any]:
    """Return what AWS or its provider picks for omitted inputs, where moto differs."""
    choose = _CHOICES.get(call.token)
    return choose(call) if choose else {}


def _zone(call: Call) -> dict[str, Any]:
    """Return the first zone, so that runs are alike; AWS takes any zone, moto a random one."""
    if call.inputs.get("availabilityZone") or call.inputs.get("availabilityZoneId"):
        return {}
    zones = call.client("ec2").describe_availability_zones()["AvailabilityZones"]
    return {"availabilityZone": min(zone["ZoneName"] for zone in zones)}


def _protocol(call: Call) -> dict[str, Any]:
    """Return HTTP for application load balancers, as terraform-provider-aws does."""
    is_application_balancer = ":loadbalancer/app/" in str(call.inputs.get("loadBalancerArn"))
    return (
        {} if call.inputs.get("protocol") or not is_application_balancer else {"protocol": "HTTP"}
    )


_CHOICES: dict[str, Callable[[Call], dict[str, Any]]] = {
    "aws:ec2/subnet:Subnet": _zone,
    "aws:lb/listener:Listener": _protocol,
}

PROVIDER = Provider(
    known_settings=names_in_table("aws", "provider"),
    read_settings=_read,
    problems=_problems,
    replacing_settings=frozenset({"region"}),
)

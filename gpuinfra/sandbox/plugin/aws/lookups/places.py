"""Look-ups of zones, region, account and partition."""

from typing import Any

from gpuinfra.sandbox.plugin.aws.lookups.answers import filters
from gpuinfra.sandbox.plugin.cloud import Invoke, LookupContext
from gpuinfra.sandbox.plugin.facts import read_fields


def _zones(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    region = args.get("region") or lookup_context.settings.place
    answer = lookup_context.client("ec2", region).describe_availability_zones(
        Filters=filters(args)
    )
    excluded = {*(args.get("excludeNames") or ()), *(args.get("excludeZoneIds") or ())}
    state = args.get("state")
    zones = [
        zone
        for zone in answer["AvailabilityZones"]
        if not excluded & {zone["ZoneName"], zone["ZoneId"]} and state in (None, zone["State"])
    ]
    return {
        **args,
        "id": region,
        "region": region,
        "names": [zone["ZoneName"] for zone in zones],
        "zoneIds": [zone["ZoneId"] for zone in zones],
        "groupNames": [region] if zones else [],
    }


def _caller(lookup_context: LookupContext, _args: dict[str, Any]) -> dict[str, Any]:
    caller = lookup_context.client("sts", lookup_context.settings.place).get_caller_identity()
    return {
        **read_fields("aws:index/getCallerIdentity:getCallerIdentity", caller),
    }


def _region(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    region = args.get("region") or args.get("name") or lookup_context.settings.place
    return {
        "id": region,
        "name": region,
        "region": region,
        "endpoint": f"ec2.{region}.amazonaws.com",
        "description": region,
    }


def _partition(_look: LookupContext, _args: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "aws",
        "partition": "aws",
        "dnsSuffix": "amazonaws.com",
        "reverseDnsPrefix": "com.amazonaws",
    }


def _default_tags(lookup_context: LookupContext, _args: dict[str, Any]) -> dict[str, Any]:
    return {"id": "aws", "tags": dict(lookup_context.settings.tags)}


INVOKES: dict[str, Invoke] = {
    "aws:index/getAvailabilityZones:getAvailabilityZones": _zones,
    "aws:index/getCallerIdentity:getCallerIdentity": _caller,
    "aws:index/getDefaultTags:getDefaultTags": _default_tags,
    "aws:index/getPartition:getPartition": _partition,
    "aws:index/getRegion:getRegion": _region,
}

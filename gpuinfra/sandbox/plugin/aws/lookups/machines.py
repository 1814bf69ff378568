"""Look-ups of machine types: their properties, their list, the zones that offer them."""

from typing import Any

from gpuinfra.sandbox.plugin.aws.lookups.answers import filters
from gpuinfra.sandbox.plugin.cloud import Invoke, LookupContext
from gpuinfra.sandbox.plugin.facts import read_fields


def _type(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    region = args.get("region") or lookup_context.settings.place
    client = lookup_context.client("ec2", region)
    facts = client.describe_instance_types(InstanceTypes=[args["instanceType"]])
    facts = facts["InstanceTypes"][0]
    network = facts.get("NetworkInfo", {})
    return {
        **read_fields("aws:ec2/getInstanceType:getInstanceType", facts),
        "region": region,
        "defaultCores": facts["VCpuInfo"].get("DefaultCores"),
        "defaultVcpus": facts["VCpuInfo"].get("DefaultVCpus"),
        "efaSupported": network.get("EfaSupported"),
        "efaMaximumInterfaces": network.get("EfaInfo", {}).get("MaximumEfaInterfaces"),
        "enaSrdSupported": network.get("EnaSrdSupported"),
        "enaSupport": network.get("EnaSupport"),
        "gpuses": [
            {
                "count": gpu.get("Count"),
                "manufacturer": gpu.get("Manufacturer"),
                "memorySize": gpu.get("MemoryInfo", {}).get("SizeInMiB"),
                "name": gpu.get("Name"),
            }
            for gpu in facts.get("GpuInfo", {}).get("Gpus", ())
        ],
        "maximumNetworkCards": network.get("MaximumNetworkCards"),
        "maximumNetworkInterfaces": network.get("MaximumNetworkInterfaces"),
        "memorySize": facts["MemoryInfo"]["SizeInMiB"],
        "networkPerformance": network.get("NetworkPerformance"),
        "supportedArchitectures": facts.get("ProcessorInfo", {}).get("SupportedArchitectures"),
        "supportedPlacementStrategies": facts.get("PlacementGroupInfo", {}).get(
            "SupportedStrategies"
        ),
        "totalGpuMemory": facts.get("GpuInfo", {}).get("TotalGpuMemoryInMiB"),
    }


def _types(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    region = args.get("region") or lookup_context.settings.place
    pages = lookup_context.client("ec2", region).get_paginator("describe_instance_types")
    machines = [
        item["InstanceType"]
        for page in pages.paginate(Filters=filters(args))
        for item in page["InstanceTypes"]
    ]
    return {**args, "id": region, "region": region, "instanceTypes": sorted(machines)}


def _offerings(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    region = args.get("region") or lookup_context.settings.place
    kind = args.get("locationType") or "region"
    pages = lookup_context.client("ec2", region).get_paginator("describe_instance_type_offerings")
    offerings = sorted(
        (item["InstanceType"], item["Location"])
        for page in pages.paginate(LocationType=kind, Filters=filters(args))
        for item in page["InstanceTypeOfferings"]
    )
    return {
        **args,
        "id": region,
        "region": region,
        "instanceTypes": [machine for machine, _ in offerings],
        "locations": [location for _, location in offerings],
        "locationTypes": [kind for _ in offerings],
    }


INVOKES: dict[str, Invoke] = {
    "aws:ec2/getInstanceType:getInstanceType": _type,
    "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": _offerings,
    "aws:ec2/getInstanceTypes:getInstanceTypes": _types,
}

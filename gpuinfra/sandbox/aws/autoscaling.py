"""Auto Scaling groups."""

from typing import Any

from gpuinfra.sandbox.aws import ec2, tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.instances import metadata_of, set_metadata
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.scaling_group_parts import HOOK_NAMES
from gpuinfra.sandbox.aws.shapes import arguments, from_aws, without
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts, read_fields

# Where the letters of Pulumi and of the Auto Scaling API differ.
_NAMES = facts("aws", "attributes")["aws:autoscaling/group:Group"]
_TEMPLATE_NAMES = {"id": "LaunchTemplateId", "name": "LaunchTemplateName"}
_SEPARATE = facts("aws", "separate")["aws:autoscaling/group:Group"]
# Kept by moto and changed by its UpdateAutoScalingGroup, so a change behind our back is seen.
_READ_PROPERTIES = facts("aws", "read")["aws:autoscaling/group:Group"]


class ScalingGroup(ResourceHandler):
    """``aws:autoscaling/group:Group``; its instances start and end with it.

    moto takes `placementGroup`, `capacityRebalance`, `terminationPolicies`, `defaultCooldown`
    on create but not on update, and forgets warm-up, lifetime and maintenance policy: for these
    the last known value is answered.
    """

    def create(self, call: Call) -> str:
        client = call.client("autoscaling")
        name = physical_name(call)
        request = _request(call, "CreateAutoScalingGroup")
        client.create_auto_scaling_group(
            **request | {"AutoScalingGroupName": name}, Tags=_tag_list(name, call.inputs)
        )
        for hook in call.inputs.get("initialLifecycleHooks") or []:
            request = arguments(client, "PutLifecycleHook", hook, HOOK_NAMES)
            client.put_lifecycle_hook(**request | {"AutoScalingGroupName": name})
        self._switches(call, name, {})
        _settle_machines(call, name, set())
        return name

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        group = _group(call, resource_id)
        if group is None:
            return None
        client = call.client("autoscaling")
        read = from_aws(client, "AutoScalingGroup", group, _NAMES)
        return {
            **{key: read.get(key) for key in _READ_PROPERTIES},
            **read_fields(call.token, group),
            "vpcZoneIdentifiers": [
                subnet for subnet in group.get("VPCZoneIdentifier", "").split(",") if subnet
            ],
            "launchTemplate": _template(group, call.inputs.get("launchTemplate")),
            "mixedInstancesPolicy": _without_added_specification(
                read.get("mixedInstancesPolicy"), call.inputs.get("mixedInstancesPolicy")
            ),
            "suspendedProcesses": [
                process["ProcessName"] for process in group["SuspendedProcesses"]
            ],
            "enabledMetrics": [process["Metric"] for process in group["EnabledMetrics"]],
            "tags": _tags(group, call.inputs.get("tags") or []),
            "predictedCapacity": 0,
            "warmPoolSize": 0,
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("autoscaling")
        request = _request(call, "UpdateAutoScalingGroup")
        before = _machines(_group(call, resource_id))
        client.update_auto_scaling_group(**request | {"AutoScalingGroupName": resource_id})
        _settle_machines(call, resource_id, before)
        self._retag(call, resource_id)
        self._switches(call, resource_id, old)
        old_target_groups = set(old.get("targetGroupArns") or ())
        target_groups = set(call.inputs.get("targetGroupArns") or ())
        for operation, arns in (
            (client.attach_load_balancer_target_groups, target_groups - old_target_groups),
            (client.detach_load_balancer_target_groups, old_target_groups - target_groups),
        ):
            if arns:
                operation(AutoScalingGroupName=resource_id, TargetGroupARNs=sorted(arns))

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        group = _group(call, resource_id)
        if group is None:
            return
        client = call.client("autoscaling")
        group_name = {"AutoScalingGroupName": resource_id}
        for policy in client.describe_policies(**group_name)["ScalingPolicies"]:
            client.delete_policy(**group_name, PolicyName=policy["PolicyName"])
        for hook in client.describe_lifecycle_hooks(**group_name)["LifecycleHooks"]:
            client.delete_lifecycle_hook(**group_name, LifecycleHookName=hook["LifecycleHookName"])
        client.delete_auto_scaling_group(**group_name, ForceDelete=True)
        ec2.drop_interfaces(call, _machines(group))

    def _switches(self, call: Call, name: str, old: Properties) -> None:
        client, inputs = call.client("autoscaling"), call.inputs
        suspended = set(inputs.get("suspendedProcesses") or ())
        resumed = set(old.get("suspendedProcesses") or ()) - suspended
        if suspended:
            client.suspend_processes(AutoScalingGroupName=name, ScalingProcesses=sorted(suspended))
        if resumed:
            client.resume_processes(AutoScalingGroupName=name, ScalingProcesses=sorted(resumed))
        if metrics := inputs.get("enabledMetrics"):
            client.enable_metrics_collection(
                AutoScalingGroupName=name,
                Metrics=metrics,
                Granularity=inputs.get("metricsGranularity") or "1Minute",
            )

    def _retag(self, call: Call, name: str) -> None:
        client = call.client("autoscaling")
        declared = _tag_list(name, call.inputs)
        keys = {tag["Key"] for tag in declared}
        existing = (_group(call, name) or {}).get("Tags", [])
        dropped = [
            {key: tag[key] for key in ("ResourceId", "ResourceType", "Key")}
            for tag in existing
            if tag["Key"] not in keys
        ]
        if declared:
            client.create_or_update_tags(Tags=declared)
        if dropped:
            client.delete_tags(Tags=dropped)


def _group(call: Call, name: str) -> dict[str, Any] | None:
    groups: list[dict[str, Any]] = call.client("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[name]
    )["AutoScalingGroups"]
    return groups[0] if groups else None


def _machines(group: dict[str, Any] | None) -> set[str]:
    return {machine["InstanceId"] for machine in (group or {}).get("Instances", [])}


def _settle_machines(call: Call, name: str, before: set[str]) -> None:
    """Apply AWS's effects of starting and ending machines, which moto lacks."""
    existing = _machines(_group(call, name))
    ec2.drop_interfaces(call, before - existing)
    template = call.inputs.get("launchTemplate")
    if mixed := call.inputs.get("mixedInstancesPolicy"):
        specification = mixed["launchTemplate"]["launchTemplateSpecification"]
        names = {"launchTemplateId": "id", "launchTemplateName": "name", "version": "version"}
        template = {names[key]: value for key, value in specification.items()}
    if template:
        set_metadata(call, existing - before, metadata_of(call, template))


def _request(call: Call, operation: str) -> dict[str, Any]:
    client, inputs = call.client("autoscaling"), call.inputs
    request = arguments(client, operation, without(inputs, _SEPARATE), _NAMES)
    if subnets := inputs.get("vpcZoneIdentifiers"):
        request["VPCZoneIdentifier"] = ",".join(subnets)
        request.pop("AvailabilityZones", None)
    if template := inputs.get("launchTemplate"):
        request |= arguments(client, operation, {"launchTemplate": template}, _TEMPLATE_NAMES)
    return request


def _tag_list(name: str, inputs: Properties) -> list[dict[str, Any]]:
    return [
        {
            "ResourceId": name,
            "ResourceType": "auto-scaling-group",
            "Key": tag["key"],
            "Value": str(tag["value"]),
            "PropagateAtLaunch": bool(tag["propagateAtLaunch"]),
        }
        for tag in inputs.get("tags") or []
    ]


def _tags(group: dict[str, Any], known: list[Properties]) -> list[Properties]:
    """Return the tags in the known order; AWS keeps them as a set."""
    place = {tag["key"]: index for index, tag in enumerate(known)}
    read = [
        {"key": tag["Key"], "value": tag["Value"], "propagateAtLaunch": tag["PropagateAtLaunch"]}
        for tag in group["Tags"]
        if tag["Key"] in tags.mapping([tag])
    ]
    return sorted(read, key=lambda tag: (place.get(tag["key"], len(place)), tag["key"]))


def _template(group: dict[str, Any], known: Properties | None) -> Properties | None:
    template = group.get("LaunchTemplate")
    if not template:
        return None
    read = {
        "id": template["LaunchTemplateId"],
        "name": template["LaunchTemplateName"],
        "version": template.get("Version"),
    }
    return read if known is None else {key: read[key] for key in known if key in read}


def _without_added_specification(
    read: Properties | None, known: Properties | None
) -> Properties | None:
    """Return a policy without what AWS adds to a launch template specification (name or id)."""
    if not read or not known:
        return read
    specified = known.get("launchTemplate", {}).get("launchTemplateSpecification", {})
    template = read["launchTemplate"]
    specification = {
        key: value
        for key, value in template["launchTemplateSpecification"].items()
        if key in specified
    }
    return read | {"launchTemplate": template | {"launchTemplateSpecification": specification}}

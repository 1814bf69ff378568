"""The parts of an Auto Scaling group: policies, lifecycle hooks, scheduled actions."""

import uuid
from datetime import datetime
from typing import Any, ClassVar

from gpuinfra.sandbox.aws import ec2
from gpuinfra.sandbox.aws.resource_handler import Properties, PutHandler
from gpuinfra.sandbox.aws.shapes import arguments, from_aws, moment
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts, read_fields

_POLICY_NAMES = {"metricDimensions": "Dimensions"}
HOOK_NAMES = facts("aws", "attributes")["aws:autoscaling/lifecycleHook:LifecycleHook"]
_HOOK_READ = ("lifecycleTransition", "heartbeatTimeout", "defaultResult", "notificationMetadata")
_POLICY_READ = facts("aws", "read")["aws:autoscaling/policy:Policy"]

_SIZES = ("minSize", "maxSize", "desiredCapacity")
_UNCHANGED_SIZE = -1  # how the provider writes "leave this size as it is"
_TIMES = {"startTime": "StartTime", "endTime": "EndTime"}


class _ScalingGroupPart(PutHandler):
    """A part of a group; also found by the import form ``<group>/<name>``."""

    name_key: ClassVar[str]

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        self.put(call, resource_id.rpartition("/")[2])

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        row = self._find(call, resource_id)
        if row is not None:
            names = {key: row[key] for key in ("AutoScalingGroupName", self.name_key)}
            self._delete(call.client("autoscaling"), **names)

    def _find(self, call: Call, resource_id: str) -> dict[str, Any] | None:
        group, _, name = resource_id.rpartition("/")
        group = call.inputs.get("autoscalingGroupName") or group
        client = call.client("autoscaling")
        groups = client.describe_auto_scaling_groups(AutoScalingGroupNames=[group])
        if not groups["AutoScalingGroups"]:
            return None
        return next(
            (row for row in self._describe_parts(client, group) if row[self.name_key] == name),
            None,
        )

    def _describe_parts(self, client: Any, group: str) -> Any:
        """Return all parts of this kind in a group, as AWS lists them."""
        raise NotImplementedError

    def _delete(self, client: Any, **names: str) -> None:
        """Delete one part."""
        raise NotImplementedError


class ScalingPolicy(_ScalingGroupPart):
    """``aws:autoscaling/policy:Policy``."""

    name_key = "PolicyName"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        policy = self._find(call, resource_id)
        if policy is None:
            return None
        client = call.client("autoscaling")
        read = from_aws(client, "ScalingPolicy", policy, _POLICY_NAMES)
        return {
            **{key: read.get(key) for key in _POLICY_READ},
            "enabled": read.get("enabled", True),
            **read_fields(call.token, policy),
        }

    def put(self, call: Call, resource_id: str) -> None:
        client = call.client("autoscaling")
        inputs = {key: value for key, value in call.inputs.items() if key != "enabled"}
        request = arguments(client, "PutScalingPolicy", inputs, _POLICY_NAMES)
        client.put_scaling_policy(**request | {"PolicyName": resource_id})

    def _describe_parts(self, client: Any, group: str) -> Any:
        return client.describe_policies(AutoScalingGroupName=group)["ScalingPolicies"]

    def _delete(self, client: Any, **identifiers: str) -> None:
        client.delete_policy(**identifiers)


class LifecycleHook(_ScalingGroupPart):
    """``aws:autoscaling/lifecycleHook:LifecycleHook``; moto returns its own target and role."""

    name_key = "LifecycleHookName"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        hook = self._find(call, resource_id)
        if hook is None:
            return None
        read = from_aws(call.client("autoscaling"), "LifecycleHook", hook, HOOK_NAMES)
        return {
            **{key: read.get(key) for key in _HOOK_READ if key in read or key in call.inputs},
            "name": hook["LifecycleHookName"],
            "autoscalingGroupName": hook["AutoScalingGroupName"],
        }

    def put(self, call: Call, resource_id: str) -> None:
        client = call.client("autoscaling")
        request = arguments(client, "PutLifecycleHook", call.inputs, HOOK_NAMES)
        client.put_lifecycle_hook(**request | {"LifecycleHookName": resource_id})

    def _describe_parts(self, client: Any, group: str) -> Any:
        return client.describe_lifecycle_hooks(AutoScalingGroupName=group)["LifecycleHooks"]

    def _delete(self, client: Any, **identifiers: str) -> None:
        client.delete_lifecycle_hook(**identifiers)


class ScalingSchedule(_ScalingGroupPart):
    """``aws:autoscaling/schedule:Schedule``, id its name."""

    name_key = "ScheduledActionName"

    id_input = "scheduledActionName"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        action = self._find(call, resource_id)
        if action is None:
            return None
        sizes = {key: action.get(key[0].upper() + key[1:], _UNCHANGED_SIZE) for key in _SIZES}
        times = {key: action.get(aws_name) for key, aws_name in _TIMES.items()}
        return {
            **sizes,
            **{key: moment(value) for key, value in times.items()},
            **read_fields(call.token, action),
            "arn": _schedule_arn(call, action),
        }

    def put(self, call: Call, resource_id: str) -> None:
        client = call.client("autoscaling")
        plain = {
            key: value
            for key, value in call.inputs.items()
            if key not in _TIMES and not (key in _SIZES and value == _UNCHANGED_SIZE)
        }
        request = arguments(client, "PutScheduledUpdateGroupAction", plain)
        for key, aws_name in _TIMES.items():
            if call.inputs.get(key):
                request[aws_name] = datetime.fromisoformat(call.inputs[key])
        client.put_scheduled_update_group_action(**request | {"ScheduledActionName": resource_id})

    def _describe_parts(self, client: Any, group: str) -> Any:
        answer = client.describe_scheduled_actions(AutoScalingGroupName=group)
        return answer["ScheduledUpdateGroupActions"]

    def _delete(self, client: Any, **identifiers: str) -> None:
        client.delete_scheduled_action(**identifiers)


def _schedule_arn(call: Call, action: dict[str, Any]) -> str:
    """Return the ARN of a scheduled action in AWS's form, which moto does not generate."""
    group, name = action["AutoScalingGroupName"], action["ScheduledActionName"]
    schedule_id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{group}/{name}"))
    owner = f"arn:aws:autoscaling:{call.region}:{ec2.account(call)}"
    return (
        f"{owner}:scheduledUpdateGroupAction:{schedule_id}"
        f":autoScalingGroupName/{group}:scheduledActionName/{name}"
    )

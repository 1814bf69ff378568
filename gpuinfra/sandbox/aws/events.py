"""EventBridge rules and their targets."""

import re
from typing import Any

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.generated_names import digest, physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments, from_aws, without
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields

_DEFAULT_BUS = "default"
_TARGET_NAMES = {"targetId": "Id"}
_SEPARATE = frozenset({"rule", "eventBusName", "region", "forceDestroy"})


class EventRule(ResourceHandler):
    """``aws:cloudwatch/eventRule:EventRule``, id its name; ``<bus>/<name>`` on another bus."""

    def create(self, call: Call) -> str:
        name = physical_name(call)
        self._put(call, name, Tags=tags.pairs(tags.declared_tags(call.inputs)))
        bus = _bus(call.inputs)
        return name if bus == _DEFAULT_BUS else f"{bus}/{name}"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("events")
        rule = client.describe_rule(**_rule_key(resource_id))
        return {
            **read_fields(call.token, rule),
            "description": rule.get("Description") or None,
            "scheduleExpression": rule.get("ScheduleExpression") or None,
            **tags.tag_outputs(call, tags.current_tags(client, ResourceARN=rule["Arn"])),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        self._put(call, _rule_key(resource_id)["Name"])
        tags.change(call, call.client("events"), ResourceARN=old["arn"])

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        call.client("events").delete_rule(**_rule_key(resource_id))

    def _put(self, call: Call, name: str, **more: Any) -> None:
        inputs = {key: value for key, value in call.inputs.items() if not key.startswith("tags")}
        request = arguments(call.client("events"), "PutRule", inputs)
        enabled = "DISABLED" if inputs.get("isEnabled") is False else "ENABLED"
        call.client("events").put_rule(**{"State": enabled} | request | {"Name": name} | more)


class EventTarget(ResourceHandler):
    """``aws:cloudwatch/eventTarget:EventTarget``, id ``<rule>-<target id>``."""

    def create(self, call: Call) -> str:
        inputs = call.inputs
        target = str(inputs.get("targetId") or f"terraform-{digest(call.urn)[:26]}")
        self._put(call, target)
        bus = _bus(inputs)
        rule = inputs["rule"]
        return f"{rule}-{target}" if bus == _DEFAULT_BUS else f"{bus}-{rule}-{target}"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("events")
        rule, target = _rule_and_target(call.inputs, resource_id)
        listed = client.list_targets_by_rule(Rule=rule, EventBusName=_bus(call.inputs))
        row = next((entry for entry in listed["Targets"] if entry["Id"] == target), None)
        if row is None:
            return None
        read = from_aws(client, "Target", row, _TARGET_NAMES)
        known = {key: None for key in call.inputs if key.endswith(("input", "Path", "roleArn"))}
        return {**known, **read, "rule": rule, "eventBusName": _bus(call.inputs)}

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        self._put(call, _rule_and_target(old, resource_id)[1])

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        rule, target = _rule_and_target(old, resource_id)
        call.client("events").remove_targets(
            Rule=rule, EventBusName=_bus(old), Ids=[target], Force=bool(old.get("forceDestroy"))
        )

    def _put(self, call: Call, target: str) -> None:
        client, inputs = call.client("events"), call.inputs
        request_target = {**without(inputs, _SEPARATE), "targetId": target}
        request = arguments(client, "PutTargets", {"targets": [request_target]}, _TARGET_NAMES)
        client.put_targets(Rule=inputs["rule"], EventBusName=_bus(inputs), **request)


def _bus(inputs: Properties) -> str:
    return str(inputs.get("eventBusName") or _DEFAULT_BUS)


def _rule_key(resource_id: str) -> dict[str, str]:
    bus, _, name = resource_id.rpartition("/")
    return {"Name": name, "EventBusName": bus or _DEFAULT_BUS}


def _rule_and_target(known: Properties, resource_id: str) -> tuple[str, str]:
    if "rule" in known:
        rule_name = re.escape(str(known["rule"]))
        target = known.get("targetId") or re.sub(rf"^(.*-)?{rule_name}-", "", resource_id, count=1)
        return str(known["rule"]), str(target)
    rule, _, target = resource_id.rpartition("/")
    return rule, target

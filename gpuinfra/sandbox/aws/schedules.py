"""EventBridge Scheduler: schedules and their groups."""

from datetime import datetime
from typing import Any

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments, from_aws, moment, without
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts, read_fields

_NAMES = {"kmsKeyArn": "KmsKeyArn"}
_DEFAULT_GROUP = "default"
_READ_PROPERTIES = facts("aws", "read")["aws:scheduler/schedule:Schedule"]
_DATES = ("startDate", "endDate")
# What AWS retries where the program says nothing (API_RetryPolicy of the Scheduler's reference).
_RETRIES = {"maximumEventAgeInSeconds": 86400, "maximumRetryAttempts": 185}


class Schedule(ResourceHandler):
    """``aws:scheduler/schedule:Schedule``, id ``<group>/<name>``."""

    def create(self, call: Call) -> str:
        client, name = call.client("scheduler"), physical_name(call)
        client.create_schedule(**_request(call, "CreateSchedule") | {"Name": name})
        return f"{call.inputs.get('groupName') or _DEFAULT_GROUP}/{name}"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("scheduler")
        schedule = client.get_schedule(**_schedule_key(resource_id))
        read = from_aws(client, "GetScheduleOutput", schedule, _NAMES)
        target = call.inputs.get("target") or {}
        if target and "retryPolicy" not in target and read["target"]["retryPolicy"] == _RETRIES:
            del read["target"]["retryPolicy"]
        dates = {key: moment(schedule.get(key[0].upper() + key[1:])) for key in _DATES}
        return {**{key: read.get(key) for key in _READ_PROPERTIES}, **dates}

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        request = _request(call, "UpdateSchedule")
        call.client("scheduler").update_schedule(**request | _schedule_key(resource_id))

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        call.client("scheduler").delete_schedule(**_schedule_key(resource_id))


class ScheduleGroup(ResourceHandler):
    """``aws:scheduler/scheduleGroup:ScheduleGroup``, id its name; it deletes its schedules."""

    def create(self, call: Call) -> str:
        name = physical_name(call)
        labels = tags.pairs(tags.declared_tags(call.inputs))
        call.client("scheduler").create_schedule_group(Name=name, Tags=labels)
        return name

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("scheduler")
        group = client.get_schedule_group(Name=resource_id)
        return {
            **read_fields(call.token, group),
            "creationDate": moment(group.get("CreationDate")),
            "lastModificationDate": moment(group.get("LastModificationDate")),
            **tags.tag_outputs(call, tags.current_tags(client, ResourceArn=group["Arn"])),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        tags.change(call, call.client("scheduler"), ResourceArn=old["arn"])

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("scheduler")
        client.get_schedule_group(Name=resource_id)  # moto breaks on deleting what is not there
        client.delete_schedule_group(Name=resource_id)


def _request(call: Call, operation: str) -> dict[str, Any]:
    request = arguments(call.client("scheduler"), operation, without(call.inputs, _DATES), _NAMES)
    for key in _DATES:
        if call.inputs.get(key):
            request[key[0].upper() + key[1:]] = datetime.fromisoformat(call.inputs[key])
    return request


def _schedule_key(resource_id: str) -> dict[str, str]:
    group, _, name = resource_id.rpartition("/")
    return {"GroupName": group or _DEFAULT_GROUP, "Name": name}

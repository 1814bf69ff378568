"""CloudWatch: log groups, alarms and dashboards."""

from typing import Any

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, PutHandler, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments, from_aws, without
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts, read_fields

_ALARM_NAMES = facts("aws", "attributes")["aws:cloudwatch/metricAlarm:MetricAlarm"]
_ALARM_READ = facts("aws", "read")["aws:cloudwatch/metricAlarm:MetricAlarm"]


class LogGroup(ResourceHandler):
    """``aws:cloudwatch/logGroup:LogGroup``; `skipDestroy` keeps the group."""

    def create(self, call: Call) -> str:
        client, name = call.client("logs"), physical_name(call)
        optional = {
            "kmsKeyId": call.inputs.get("kmsKeyId"),
            "logGroupClass": call.inputs.get("logGroupClass"),
            "tags": tags.declared_tags(call.inputs),
        }
        client.create_log_group(
            logGroupName=name, **{key: value for key, value in optional.items() if value}
        )
        self._retain(call, name)
        return name

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        group = self._find(call, resource_id)
        if group is None:
            return None
        arn = group["arn"].removesuffix(":*")
        return {
            "name": group["logGroupName"],
            "retentionInDays": group.get("retentionInDays", 0),
            "kmsKeyId": group.get("kmsKeyId"),
            "arn": arn,
            **tags.tag_outputs(call, tags.current_tags(call.client("logs"), resourceArn=arn)),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        self._retain(call, resource_id)
        group = self._find(call, resource_id) or {}
        arn = group["arn"].removesuffix(":*")
        tags.change(call, call.client("logs"), form=dict, resourceArn=arn)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        if not old.get("skipDestroy"):
            call.client("logs").delete_log_group(logGroupName=resource_id)

    def _retain(self, call: Call, name: str) -> None:
        client = call.client("logs")
        if days := call.inputs.get("retentionInDays"):
            client.put_retention_policy(logGroupName=name, retentionInDays=int(days))
        else:
            client.delete_retention_policy(logGroupName=name)

    def _find(self, call: Call, name: str) -> dict[str, Any] | None:
        listed = call.client("logs").describe_log_groups(logGroupNamePrefix=name)["logGroups"]
        return next((group for group in listed if group["logGroupName"] == name), None)


class MetricAlarm(ResourceHandler):
    """``aws:cloudwatch/metricAlarm:MetricAlarm``; metric queries are returned as last known."""

    def create(self, call: Call) -> str:
        name = physical_name(call)
        self._put(call, name, Tags=tags.pairs(tags.declared_tags(call.inputs)))
        return name

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("cloudwatch")
        listed = client.describe_alarms(AlarmNames=[resource_id])["MetricAlarms"]
        if not listed:
            return None
        read = from_aws(client, "MetricAlarm", listed[0], _ALARM_NAMES)
        arn = listed[0]["AlarmArn"]
        dimensions = {
            dimension["Name"]: dimension["Value"]
            for dimension in listed[0].get("Dimensions") or []
        }
        return {
            **{key: read.get(key) for key in _ALARM_READ},
            "name": resource_id,
            "dimensions": dimensions or None,
            "arn": arn,
            **tags.tag_outputs(call, tags.current_tags(client, ResourceARN=arn)),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        self._put(call, resource_id)
        tags.change(call, call.client("cloudwatch"), ResourceARN=old["arn"])

    def _put(self, call: Call, name: str, **more: Any) -> None:
        client = call.client("cloudwatch")
        plain = without(call.inputs, {"tags", "dimensions", "metricQueries"})
        request = arguments(client, "PutMetricAlarm", plain, _ALARM_NAMES)
        dimensions = call.inputs.get("dimensions") or {}
        request["Dimensions"] = [
            {"Name": key, "Value": value} for key, value in dimensions.items()
        ]
        if queries := call.inputs.get("metricQueries"):
            request["Metrics"] = [_query(client, query) for query in queries]
        client.put_metric_alarm(**request | {"AlarmName": name} | more)


def _query(client: Any, query: Properties) -> dict[str, Any]:
    metric = query.get("metric")
    built = {key: value for key, value in query.items() if key != "metric"}
    request = arguments(client, "PutMetricAlarm", {"Metrics": [built]})["Metrics"][0]
    if metric:
        dimensions = (metric.get("dimensions") or {}).items()
        request["MetricStat"] = {
            "Metric": {
                "MetricName": metric["metricName"],
                "Namespace": metric.get("namespace", ""),
                "Dimensions": [{"Name": key, "Value": value} for key, value in dimensions],
            },
            "Period": int(metric["period"]),
            "Stat": metric["stat"],
        }
    return dict(request)


class Dashboard(PutHandler):
    """``aws:cloudwatch/dashboard:Dashboard``."""

    id_input = "dashboardName"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        dashboard = call.client("cloudwatch").get_dashboard(DashboardName=resource_id)
        return {
            **read_fields(call.token, dashboard),
        }

    def put(self, call: Call, resource_id: str) -> None:
        body = call.inputs["dashboardBody"]
        call.client("cloudwatch").put_dashboard(DashboardName=resource_id, DashboardBody=body)

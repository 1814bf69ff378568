"""CloudWatch Logs metric filters."""

from typing import Any

from gpuinfra.sandbox.aws.resource_handler import Properties, PutHandler
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts

_FILTER_ATTRIBUTES = facts("aws", "attributes")["aws:cloudwatch/logMetricFilter:LogMetricFilter"]


class LogMetricFilter(PutHandler):
    """``aws:cloudwatch/logMetricFilter:LogMetricFilter``, id its name."""

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        group, name = _group_and_name(call.inputs, resource_id)
        listed = call.client("logs").describe_metric_filters(
            logGroupName=group, filterNamePrefix=name
        )["metricFilters"]
        row = next((entry for entry in listed if entry["filterName"] == name), None)
        if row is None:
            return None
        transformation = row["metricTransformations"][0]
        read = {
            property_name: transformation.get(aws_name)
            for property_name, aws_name in _FILTER_ATTRIBUTES.items()
            if transformation.get(aws_name)
        }
        default = transformation.get("defaultValue")
        return {
            "name": name,
            "logGroupName": row["logGroupName"],
            "pattern": row["filterPattern"],
            "metricTransformation": read
            | ({"defaultValue": f"{default:g}"} if default is not None else {}),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        """Replace the filter, as AWS does; moto would keep both."""
        self.delete(call, resource_id, old)
        self.put(call, _group_and_name(call.inputs, resource_id)[1])

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        group, name = _group_and_name(old, resource_id)
        call.client("logs").delete_metric_filter(logGroupName=group, filterName=name)

    def put(self, call: Call, resource_id: str) -> None:
        inputs = call.inputs
        declared = inputs["metricTransformation"]
        transformation: dict[str, Any] = {
            aws_name: declared[property_name]
            for property_name, aws_name in _FILTER_ATTRIBUTES.items()
            if declared.get(property_name)
        }
        if declared.get("defaultValue"):
            transformation["defaultValue"] = float(declared["defaultValue"])
        call.client("logs").put_metric_filter(
            logGroupName=inputs["logGroupName"],
            filterName=resource_id,
            filterPattern=inputs["pattern"].strip(),
            metricTransformations=[transformation],
        )


def _group_and_name(known: Properties, resource_id: str) -> tuple[str, str]:
    """Return the log group and the name; the import form is ``<group>:<name>``."""
    group, _, name = resource_id.rpartition(":")
    return str(known.get("logGroupName") or group), name

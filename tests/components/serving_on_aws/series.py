"""The series of CloudWatch: which a policy follows, which an alarm looks at, which come about."""

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.components.serving_on_aws.stacks import script

Series = tuple[str, str, tuple[tuple[str, Any], ...]]


def followed(policy: Mapping[str, Any]) -> set[Series]:
    """Namespace, name and dimensions of each series that a policy reads."""
    tracked = policy["targetTrackingConfiguration"]
    if "predefinedMetricSpecification" in tracked:
        return set()
    custom = tracked["customizedMetricSpecification"]
    shapes = (
        [(custom, custom["metricDimensions"])]
        if "metricName" in custom
        else [
            (metric["metricStat"]["metric"], metric["metricStat"]["metric"]["dimensions"])
            for metric in custom["metrics"]
            if "metricStat" in metric
        ]
    )
    return {
        (
            metric["namespace"],
            metric["metricName"],
            tuple((d["name"], d["value"]) for d in dimensions),
        )
        for metric, dimensions in shapes
    }


def looked_at(alarm: Mapping[str, Any]) -> set[Series]:
    """The same, of an alarm."""
    return {
        (metric["namespace"], metric["metricName"], tuple(metric["dimensions"].items()))
        for metric in (each["metric"] for each in alarm["metricQueries"] if "metric" in each)
    }


def emitted(seen: Any, name: str) -> set[Series]:
    """All series that come of what stands: the agent's on the machines, the group's, the queue's.

    A queue says these of itself, a group only what it is asked to, and the agent what its
    configuration collects, under the dimensions that it aggregates over.
    """
    group = seen.of(f"{name}-group")
    of_group = (("AutoScalingGroupName", group.outputs["name"]),)
    series: set[Series] = {
        ("AWS/AutoScaling", metric, of_group) for metric in group.inputs.get("enabledMetrics", ())
    }
    for resource in seen.resources:
        if resource.type == "aws:sqs/queue:Queue":
            of_queue = (("QueueName", resource.outputs["name"]),)
            series |= {
                ("AWS/SQS", f"ApproximateNumberOfMessages{kind}", of_queue)
                for kind in ("Visible", "NotVisible", "Delayed")
            }
    written = re.search(
        r"cat >/etc/gpuinfra/cloudwatch-agent.json <<'(END_*)'\n(.*?)\n\1\n",
        script(seen, name),
        re.DOTALL,
    )
    if written:
        agent = json.loads(written[2])["metrics"]
        assert agent["append_dimensions"] == {
            "AutoScalingGroupName": "${aws:AutoScalingGroupName}"
        }
        assert ["AutoScalingGroupName"] in agent["aggregation_dimensions"]
        series |= {
            (agent["namespace"], f"nvidia_smi_{measurement}", of_group)
            for measurement in agent["metrics_collected"]["nvidia_gpu"]["measurement"]
        }
    return series

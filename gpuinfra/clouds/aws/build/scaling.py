"""The figure that a pool follows, as a target tracking policy."""

from collections.abc import Mapping
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.stackfile.schema import ScaleOn

NAMESPACE: Final = "CWAgent"
DIMENSION: Final = "AutoScalingGroupName"
UTILIZATION: Final = "nvidia_smi_utilization_gpu"
MEMORY_USED: Final = "nvidia_smi_memory_used"
MEMORY_TOTAL: Final = "nvidia_smi_memory_total"
"""What the CloudWatch agent calls its GPU metrics:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Agent-NVIDIA-GPU.html"""

WARMUP: Final = 300
"""Seconds before a new machine's figures count: it pulls its image and loads its model first."""


def tracking(
    children: Children,
    scale_on: ScaleOn,
    group_name: pulumi.Input[str],
    requests_label: pulumi.Input[str],
) -> aws.autoscaling.Policy:
    """Register the policy: the group grows and shrinks to keep the figure at its target."""
    return children.make(
        aws.autoscaling.Policy,
        "tracking",
        autoscaling_group_name=group_name,
        policy_type="TargetTrackingScaling",
        estimated_instance_warmup=WARMUP,
        target_tracking_configuration=target(scale_on, group_name, requests_label),
    )


def target(
    scale_on: ScaleOn, group_name: pulumi.Input[str], requests_label: pulumi.Input[str]
) -> Mapping[str, Any]:
    """The figure and its target; a share is in percent there."""
    if scale_on.requests_per_target is not None:
        return {
            "target_value": float(scale_on.requests_per_target),
            "predefined_metric_specification": {
                "predefined_metric_type": "ALBRequestCountPerTarget",
                "resource_label": requests_label,
            },
        }
    dimensions = [{"name": DIMENSION, "value": group_name}]
    if scale_on.gpu_utilization is not None:
        return {
            "target_value": float(scale_on.gpu_utilization * 100),
            "customized_metric_specification": {
                "namespace": NAMESPACE,
                "metric_name": UTILIZATION,
                "metric_dimensions": dimensions,
                "statistic": "Average",
            },
        }
    if scale_on.gpu_memory is None:
        raise ValueError("a pool follows one figure")
    return {
        "target_value": float(scale_on.gpu_memory * 100),
        "customized_metric_specification": {
            "metrics": [
                _measured("used", MEMORY_USED, dimensions),
                _measured("total", MEMORY_TOTAL, dimensions),
                {
                    "id": "share",
                    "expression": "100 * used / total",
                    "label": "GPU memory in use, percent",
                    "return_data": True,
                },
            ]
        },
    }


def _measured(name: str, metric: str, dimensions: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": name,
        "metric_stat": {
            "metric": {
                "namespace": NAMESPACE,
                "metric_name": metric,
                "dimensions": dimensions,
            },
            "stat": "Average",
        },
        "return_data": False,
    }

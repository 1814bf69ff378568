"""The GPU metrics of machines: the names that agents, scaling and alarms share."""

from collections.abc import Mapping
from typing import Any, Final

NAMESPACE: Final = "CWAgent"
"""Where the CloudWatch agent puts everything that a machine sends of its GPUs."""

DIMENSION: Final = "AutoScalingGroupName"
"""The one dimension of a pool's series, which target tracking reads."""

RUN_DIMENSIONS: Final = ("Stack", "Workload")
"""The dimensions of a training workload's series: the stack's and the workload's name. A fleet has
no scaling group, and the interruption agent counts under the same two."""

UTILIZATION: Final = "nvidia_smi_utilization_gpu"
MEMORY_USED: Final = "nvidia_smi_memory_used"
MEMORY_TOTAL: Final = "nvidia_smi_memory_total"
"""What the agent calls its GPU metrics, in percent and MiB, a value for each GPU:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Agent-NVIDIA-GPU.html"""

XID_ERRORS: Final = "gpuinfra_xid_errors"
ECC_ERRORS: Final = "gpuinfra_ecc_errors"
"""Errors that the driver reported (Xid) and uncorrectable memory errors, new ones in each minute;
0 is sent too, so the alarm is Sum >= 1 and silence is no good news."""

GPU_MEASUREMENTS: Final = ("utilization_gpu", "memory_used", "memory_total")
"""The same as the agent's configuration has them, without its prefix nvidia_smi_."""

INTERVAL: Final = 60
"""Seconds between two values."""
ERRORS_PORT: Final = 8125
"""The agent's own StatsD port, on the loopback interface."""

EXPORTER_PORT: Final = 9400
"""Where the DCGM exporter answers Prometheus."""
EXPORTER: Final = "nvcr.io/nvidia/k8s/dcgm-exporter:4.6.0-4.8.3-distroless"
"""The exporter and the DCGM that it was tried with, one image for both architectures:
https://docs.nvidia.com/datacenter/dcgm/latest/installation/install-dcgm-exporter.html"""


def pool_configuration(*, errors: bool = False) -> dict[str, Any]:
    """Return the CloudWatch agent's configuration on a pool's machines.

    The dimension is appended and aggregated over: without that no series has it alone, and a
    scaling policy finds nothing.

    Args:
        errors: whether the machines count errors, too.
    """
    return _configuration(
        {"append_dimensions": {DIMENSION: "${aws:AutoScalingGroupName}"}},
        [DIMENSION],
        {"measurement": list(GPU_MEASUREMENTS)},
        errors=errors,
    )


def run_configuration(stack: str, workload: str) -> dict[str, Any]:
    """Return the CloudWatch agent's configuration on a training workload's machines.

    Only the series of the whole workload are kept, since each series is paid for. Every section
    takes dimensions of its own: github.com/aws/amazon-cloudwatch-agent,
    translator/translate/metrics/util/commonconfigutil.go.
    """
    gpus = {
        "measurement": list(GPU_MEASUREMENTS),
        "append_dimensions": dict(zip(RUN_DIMENSIONS, (stack, workload), strict=True)),
        "drop_original_metrics": list(GPU_MEASUREMENTS),
    }
    return _configuration({}, list(RUN_DIMENSIONS), gpus, errors=True)


def error_tags(stack: str, workload: str) -> str:
    """Return the StatsD tags that give a run's errors its dimensions."""
    pairs = zip(RUN_DIMENSIONS, (stack, workload), strict=True)
    return "|#" + ",".join(f"{name}:{value}" for name, value in pairs)


def _configuration(
    appended: Mapping[str, Any], aggregated: list[str], gpus: Mapping[str, Any], *, errors: bool
) -> dict[str, Any]:
    counted = {
        "service_address": f"127.0.0.1:{ERRORS_PORT}",
        "metrics_collection_interval": INTERVAL,
        "metrics_aggregation_interval": INTERVAL,
    }
    return {
        "agent": {"metrics_collection_interval": INTERVAL, "run_as_user": "root"},
        "metrics": {
            "namespace": NAMESPACE,
            **appended,
            "aggregation_dimensions": [aggregated],
            "metrics_collected": {"nvidia_gpu": gpus, **({"statsd": counted} if errors else {})},
        },
    }

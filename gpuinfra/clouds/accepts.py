"""Which words of the stack file each cloud builds: an allow-list, with why the others are refused.

A word is a key of the whole file, of a workload or of a bucket; `section.key` below `budget`,
`capacity` and `scale_on`, and `capacity.KIND` for a way to buy. A word that is not listed is
refused everywhere, so that a new key of the grammar can't be forgotten.
"""

from collections.abc import Mapping
from typing import Final

from gpuinfra.clouds import CLOUDS

EVERYWHERE: Final = frozenset(
    {
        *("version", "name", "owner", "budget", "prices", "where", "target", "energy"),
        *("training", "inference", "buckets", "usage", "rules", "waivers"),
        *("budget.per_hour", "budget.per_run", "budget.per_month", "budget.notify"),
        *("budget.billing_account", "budget.covers"),
        *("gpu", "instance", "max_price", "data", "disk", "machine_image"),
        *("nodes", "fabric", "capacity", "duration", "interruptions", "checkpoints", "command"),
        "runs",
        *("capacity.spot", "capacity.on-demand", "capacity.kind", "capacity.region"),
        "capacity.max_price",
        *("replicas", "expected", "scale_on", "image", "port", "health"),
        *("scale_on.gpu_utilization", "scale_on.gpu_memory", "scale_on.requests_per_target"),
        *("size", "reads", "writes", "versioned", "keep_noncurrent", "overwritten", "region"),
    }
)
"""What every cloud builds, or judges by itself: requests_per_target, say, with its reason."""

_BLOCKS: Final = "capacity blocks are available only on AWS"
_PASSED: Final = "its load balancer passes connections through"
_EFA: Final = "EFA and ENA are network interfaces of AWS"
_REPLACED: Final = "a managed group, or autoscale on Azure, brings back machines that are stopped"
_RESERVED: Final = (
    "on Google Cloud matching on-demand machines use an open reservation by themselves; Azure has "
    "none for ND, NCads H100 v5, spot or one placement group"
)
"""https://docs.cloud.google.com/compute/docs/instances/reservations-consume,
https://learn.microsoft.com/azure/virtual-machines/capacity-reservation-overview"""

_IN_PROGRAM: Final = "in a Pulumi program"

ONLY: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "tags": (
        ("aws",),
        f"only gpuinfra's own are set; {_IN_PROGRAM}, components take `tags`",
    ),
    "network": (
        ("aws",),
        f"each workload gets a network of its own; {_IN_PROGRAM}, components take `network`",
    ),
    "monitoring": (
        ("aws",),
        "its alarms, dashboard and report are CloudWatch's; use Cloud Monitoring or Azure Monitor",
    ),
    "deploy_role": (
        ("aws",),
        "it is a role of AWS IAM; use workload identity federation or a federated credential",
    ),
    "budget.on_breach": (("aws",), f"{_REPLACED}; `budget.notify` sends mails at the cap"),
    "capacity.reserved": (("aws",), _RESERVED),
    "capacity.reservation": (("aws",), _RESERVED),
    "capacity.reserve": (("aws",), _RESERVED),
    "capacity.placement_group": (
        ("aws",),
        "reservations of AWS have one; machines that use a fabric are placed together anyway",
    ),
    "capacity.capacity-block": (("aws",), _BLOCKS),
    "capacity.ends": (("aws",), _BLOCKS),
    "framework": (
        ("aws",),
        "what an image has is known of AWS's images alone; name an image with `machine_image`",
    ),
    "shared_storage": (
        ("aws",),
        "it is Amazon FSx for Lustre; mount buckets with `data` and `checkpoints`",
    ),
    "idle_stop": (("aws",), f"{_REPLACED}; `gpuinfra destroy` ends them"),
    "time_to_live": (("aws",), f"{_REPLACED}; run `gpuinfra destroy` when the time is over"),
    "all_or_nothing": (
        ("aws",),
        "it is a request of EC2 Fleet; groups and scale sets keep the machines that they get",
    ),
    "preflight": (("aws",), "the check is a part of the AWS agent; begin `command` with your own"),
    "efa_layout": (("aws",), _EFA),
    "ena_express": (("aws",), _EFA),
    "mixed": (("aws",), "a pool has one machine type; write a pool for each type"),
    "certificate": (("aws",), f"{_PASSED}; serve TLS from the container"),
    "idle_timeout": (("aws",), f"{_PASSED} and has no idle timeout"),
    "scale_on.queue": (("aws",), "the queue is Amazon SQS; use `scale_on.gpu_utilization`"),
    "encryption": (
        ("aws",),
        f"objects are encrypted with the cloud's keys; {_IN_PROGRAM}, `customize` sets your own",
    ),
    "tiering": (("aws",), f"{_IN_PROGRAM}, `customize` sets rules for the cloud's own classes"),
    "expire": (
        ("aws",),
        f"only old versions and unfinished uploads end by age; {_IN_PROGRAM}, `customize` does it",
    ),
    "access_logs": (
        ("aws",),
        "access is logged by the project's audit logs or Azure's diagnostic settings",
    ),
    "object_lock": (
        ("aws",),
        "retention is of a whole bucket, or of single objects, not of a part of a bucket",
    ),
    "replicate_to": (
        ("aws",),
        "a dual-region location, or an account with geo-redundant storage, replicates by itself",
    ),
}
"""Words that some clouds build, and why the others do not, with the way out where there is one."""


def accepts(cloud: str, word: str) -> bool:
    """Whether a cloud builds a word of the stack file."""
    return word in EVERYWHERE or cloud in ONLY.get(word, ((), ""))[0]


def builders_of(word: str) -> tuple[str, ...]:
    """The clouds that build a word."""
    return tuple(cloud for cloud in CLOUDS if accepts(cloud, word))


def reason(word: str) -> str:
    """Why a cloud refuses a word, and what to use instead; empty for a word that none builds."""
    return ONLY.get(word, ((), ""))[1]

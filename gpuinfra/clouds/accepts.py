"""Which words of the stack file each cloud builds: an allow-list, with why the others are refused.

A word is a key of the whole file, of a workload or of a bucket; `section.key` below `budget`,
`capacity` and `scale_on`, and `capacity.KIND` for a way to buy. A word that is not listed is
refused everywhere, so that a new key of the grammar can't be forgotten.
"""

from collections.abc import Mapping
from typing import Final

from gpuinfra.clouds import CLOUDS, title

EVERYWHERE: Final = frozenset(
    {
        *("version", "name", "owner", "budget", "prices", "where", "target", "energy"),
        *("training", "inference", "buckets", "usage", "rules", "waivers"),
        *("budget.per_hour", "budget.per_run", "budget.per_month", "budget.notify"),
        *("budget.billing_account", "budget.covers"),
        *("gpu", "instance", "max_price", "data", "disk", "machine_image", "time_to_live"),
        *("nodes", "fabric", "capacity", "duration", "interruptions", "checkpoints", "command"),
        "runs",
        *("capacity.spot", "capacity.on-demand", "capacity.kind", "capacity.region"),
        "capacity.max_price",
        *("replicas", "expected", "scale_on", "image", "args", "port", "health"),
        *("scale_on.gpu_utilization", "scale_on.gpu_memory", "scale_on.requests_per_target"),
        *("size", "reads", "writes", "versioned", "keep_noncurrent", "overwritten", "region"),
    }
)
"""What every cloud builds, or judges by itself: requests_per_target, say, with its reason."""

_BLOCKS: Final = "capacity blocks are available only on AWS"
_PASSED: Final = "its load balancer passes connections through"
_EFA: Final = "EFA and ENA are network interfaces of AWS"

_REPLACED: Final[Mapping[str, str]] = {
    "gcp": "a managed group restarts stopped machines",
    "azure": "autoscale brings back stopped machines",
}
"""https://docs.cloud.google.com/compute/docs/instance-groups/about-repair-in-migs"""

_POOLS: Final = "a pool's autoscaler replaces machines that end; run `gpuinfra destroy` instead"
"""https://docs.cloud.google.com/compute/docs/autoscaler/understanding-autoscaler-decisions,
https://learn.microsoft.com/azure/azure-monitor/autoscale/autoscale-best-practices"""

_RESERVED: Final = (
    "on Google Cloud matching on-demand machines use an open reservation by themselves; Azure has "
    "none for ND, NCads H100 v5, spot or one placement group"
)
"""https://docs.cloud.google.com/compute/docs/instances/reservations-consume,
https://learn.microsoft.com/azure/virtual-machines/capacity-reservation-overview"""

_IN_PROGRAM: Final = "in a Pulumi program"

BY_CLOUD: Final[Mapping[str, tuple[Mapping[str, str], str]]] = {
    "budget.on_breach": (_REPLACED, "`budget.notify` sends mails at the cap"),
    "idle_stop": (_REPLACED, "`gpuinfra destroy` ends them"),
}
"""Why each other cloud refuses a word, where that differs; and the way out."""


def _everywhere(word: str) -> str:
    reasons, way_out = BY_CLOUD[word]
    return "; ".join((*(f"{title(cloud)}: {why}" for cloud, why in reasons.items()), way_out))


AWS_ONLY: Final[Mapping[str, str]] = {
    "tags": f"only gpuinfra's own are set; {_IN_PROGRAM}, components take `tags`",
    "network": (
        f"each workload gets a network of its own; {_IN_PROGRAM}, components take `network`"
    ),
    "monitoring": (
        "its alarms, dashboard and report are CloudWatch's; use Cloud Monitoring or Azure Monitor"
    ),
    "deploy_role": (
        "it is a role of AWS IAM; use workload identity federation or a federated credential"
    ),
    **{word: _everywhere(word) for word in BY_CLOUD},
    "capacity.reserved": _RESERVED,
    "capacity.reservation": _RESERVED,
    "capacity.reserve": _RESERVED,
    "capacity.placement_group": (
        "reservations of AWS have one; machines that use a fabric are placed together anyway"
    ),
    "capacity.capacity-block": _BLOCKS,
    "capacity.ends": _BLOCKS,
    "framework": (
        "image contents are known for AWS images only; name an image with `machine_image`"
    ),
    "shared_storage": "it is Amazon FSx for Lustre; mount buckets with `data` and `checkpoints`",
    "all_or_nothing": (
        "it is an EC2 Fleet request; managed groups and scale sets can't request all or none"
    ),
    "preflight": "the check is a part of the AWS agent; begin `command` with your own",
    "efa_layout": _EFA,
    "ena_express": _EFA,
    "mixed": "a pool has one machine type; write a pool for each type",
    "certificate": f"{_PASSED}; serve TLS from the container",
    "idle_timeout": f"{_PASSED} and has no idle timeout",
    "scale_on.queue": "the queue is Amazon SQS; use `scale_on.gpu_utilization`",
    "encryption": (
        f"objects are encrypted with the cloud's keys; {_IN_PROGRAM}, `customize` sets your own"
    ),
    "tiering": f"{_IN_PROGRAM}, `customize` sets rules for the cloud's own classes",
    "expire": (
        f"only old versions and unfinished uploads end by age; {_IN_PROGRAM}, `customize` does it"
    ),
    "access_logs": "access is logged by the project's audit logs or Azure's diagnostic settings",
    "object_lock": (
        "retention is of a whole bucket, or of single objects, not of a part of a bucket"
    ),
    "replicate_to": (
        "a dual-region location, or an account with geo-redundant storage, replicates by itself"
    ),
}
"""Words that AWS alone builds, and why the others do not, with the way out where there is one."""

NOT_IN_POOLS: Final[Mapping[str, frozenset[str]]] = {"time_to_live": frozenset({"gcp", "azure"})}
"""Words that a cloud builds for training workloads alone."""

OF_THE_STACK: Final[Mapping[str, frozenset[str]]] = {"time_to_live": frozenset({"aws"})}
"""Words that a cloud builds with resources of the whole stack, which a component alone has not."""


def accepts(cloud: str, word: str, *, pool: bool = False) -> bool:
    """Whether a cloud builds a word of the stack file, also for a pool where it is for one."""
    if pool and cloud in NOT_IN_POOLS.get(word, ()):
        return False
    return word in EVERYWHERE or (cloud == "aws" and word in AWS_ONLY)


def builders_of(word: str, *, pool: bool = False) -> tuple[str, ...]:
    """The clouds that build a word."""
    return tuple(cloud for cloud in CLOUDS if accepts(cloud, word, pool=pool))


def reason(word: str, cloud: str = "") -> str:
    """Why a cloud refuses a word, and what to use instead; empty for a word that none builds.

    Without a cloud, why each of them does.
    """
    if word in NOT_IN_POOLS:
        return _POOLS if cloud else f"in a pool on AWS alone: {_POOLS}"
    reasons, way_out = BY_CLOUD.get(word, ({}, ""))
    if cloud in reasons:
        return f"{reasons[cloud]}; {way_out}"
    return AWS_ONLY.get(word, "")

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

_NOT_BUILT: Final = ""
_BLOCKS: Final = "capacity blocks are available only on AWS"
_PASSED: Final = "its load balancer passes connections through and has no idle timeout"
_EFA: Final = "EFA and ENA are network interfaces of AWS"

ONLY: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "tags": (("aws",), _NOT_BUILT),
    "network": (("aws",), _NOT_BUILT),
    "monitoring": (("aws",), _NOT_BUILT),
    "deploy_role": (("aws",), _NOT_BUILT),
    "budget.on_breach": (("aws",), _NOT_BUILT),
    "capacity.reserved": (("aws",), _NOT_BUILT),
    "capacity.reservation": (("aws",), _NOT_BUILT),
    "capacity.reserve": (("aws",), _NOT_BUILT),
    "capacity.placement_group": (("aws",), _NOT_BUILT),
    "capacity.capacity-block": (("aws",), _BLOCKS),
    "capacity.ends": (("aws",), _BLOCKS),
    "framework": (("aws",), _NOT_BUILT),
    "shared_storage": (("aws",), _NOT_BUILT),
    "idle_stop": (("aws",), _NOT_BUILT),
    "time_to_live": (("aws",), _NOT_BUILT),
    "all_or_nothing": (("aws",), _NOT_BUILT),
    "preflight": (("aws",), _NOT_BUILT),
    "efa_layout": (("aws",), _EFA),
    "ena_express": (("aws",), _EFA),
    "mixed": (("aws",), _NOT_BUILT),
    "certificate": (("aws",), _NOT_BUILT),
    "idle_timeout": (("aws",), _PASSED),
    "scale_on.queue": (("aws",), _NOT_BUILT),
    "encryption": (("aws",), _NOT_BUILT),
    "tiering": (("aws",), _NOT_BUILT),
    "expire": (("aws",), _NOT_BUILT),
    "access_logs": (("aws",), _NOT_BUILT),
    "object_lock": (("aws",), _NOT_BUILT),
    "replicate_to": (("aws",), _NOT_BUILT),
}
"""Words that some clouds build, and why the others don't; empty where it is not built yet."""


def accepts(cloud: str, word: str) -> bool:
    """Whether a cloud builds a word of the stack file."""
    return word in EVERYWHERE or cloud in ONLY.get(word, ((), ""))[0]


def builders_of(word: str) -> tuple[str, ...]:
    """The clouds that build a word."""
    return tuple(cloud for cloud in CLOUDS if accepts(cloud, word))


def reason(word: str) -> str:
    """Why a cloud refuses a word for good; empty where it is only not built yet."""
    return ONLY.get(word, ((), ""))[1]

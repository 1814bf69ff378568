"""Words that the grammar knows and this version does not build, each with what to do meanwhile."""

from collections.abc import Mapping
from typing import Final

Words = Mapping[str, str]

CLOUDS: Final[Words] = {
    "alibaba": "write aws, gcp or azure for now",
    "tencent": "write aws, gcp or azure for now",
    "lambda": "write aws, gcp or azure for now",
}

CAPACITIES: Final[Words] = {
    "capacity-block": "write spot or on-demand for now",
    "reserved": "write on-demand: a matching reservation is used by itself, and a prices.yaml"
    " beside the stack file says what it costs you",
    "flex-start": "write spot or on-demand for now",
}

_ANYWHERE: Final[Words] = {
    "network": "remove it; the network is made, and components take one of yours",
    "tags": "remove it; owner, stack and workload are tagged, and components take tags of yours",
    "framework": "remove it; the start-up script suits torchrun",
    "shared_storage": "remove it; use a bucket under data",
    "time_to_live": "remove it; gpuinfra destroy ends the stack",
    "idle_stop": "remove it; gpuinfra destroy ends the stack",
    "scheduler": "remove it; each cluster stands alone",
}

STACK: Final[Words] = {
    **_ANYWHERE,
    "on_breach": "remove it; a cap refuses before anything is created",
    "environments": "remove it; write one stack file for each environment",
}

WORKLOAD: Final[Words] = {
    **_ANYWHERE,
    "run": "remove it, or write command for what each node starts",
}

BUDGET: Final[Words] = {"on_breach": STACK["on_breach"]}

SCALE_ON: Final[Words] = {"queue": "write gpu_utilization, gpu_memory or requests_per_target"}

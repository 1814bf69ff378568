"""Words that the grammar knows and this version does not build, each with what to do meanwhile."""

from collections.abc import Mapping
from typing import Final

Words = Mapping[str, str]

CLOUDS: Final[Words] = {
    "alibaba": "write aws, gcp or azure for now",
    "tencent": "write aws, gcp or azure for now",
    "lambda": "write aws, gcp or azure for now",
}

CAPACITIES: Final[Words] = {"flex-start": "write spot, on-demand, reserved or capacity-block"}

POOL_CAPACITIES: Final[Words] = {
    "capacity-block": "write spot or on-demand: a pool outlives a block",
    "reserved": "write on-demand: a matching open reservation is used by itself, and a prices.yaml"
    " beside the stack file says what it costs you",
    "flex-start": "write spot or on-demand for now",
}

_SCHEDULER: Final[Words] = {
    "scheduler": "remove it; each cluster stands alone",
}

STACK: Final[Words] = {
    **_SCHEDULER,
    "framework": "write it under the training workload whose image has to have it",
    "shared_storage": "write it under the training workload that reads it",
    "time_to_live": "write it under each workload",
    "idle_stop": "write it under the training workload",
    "on_breach": "write it under budget",
    "environments": "remove it; write one stack file for each environment",
}

WORKLOAD: Final[Words] = {
    **_SCHEDULER,
    "run": "remove it, or write command for what each node starts",
    "tags": "write tags at the top of the file; owner, stack and workload are tagged anyway",
}

INFERENCE: Final[Words] = {
    **WORKLOAD,
    "shared_storage": "remove it; use a bucket under data",
    "idle_stop": "remove it; a pool that follows a queue goes down to zero machines",
    "framework": "remove it; the container brings its own",
}

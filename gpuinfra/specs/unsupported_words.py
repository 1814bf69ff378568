"""Words that the grammar knows and this version does not support, each with an alternative."""

from collections.abc import Mapping
from typing import Final

Words = Mapping[str, str]

CLOUDS: Final[Words] = {
    "alibaba": "use aws, gcp or azure",
    "tencent": "use aws, gcp or azure",
    "lambda": "use aws, gcp or azure",
}

CAPACITIES: Final[Words] = {"flex-start": "use spot, on-demand, reserved or capacity-block"}

POOL_CAPACITIES: Final[Words] = {
    "capacity-block": "use spot or on-demand: a capacity block ends, a pool doesn't",
    "reserved": (
        "use on-demand: a matching open reservation applies automatically; set your price in a "
        "prices.yaml next to the stack file"
    ),
    "flex-start": "use spot or on-demand",
}

_SCHEDULER: Final[Words] = {
    "scheduler": "remove it; clusters are independent",
}

STACK: Final[Words] = {
    **_SCHEDULER,
    "framework": "set it under the training workload whose image must include it",
    "shared_storage": "set it under the training workload that reads it",
    "time_to_live": "set it under each workload",
    "idle_stop": "set it under the training workload",
    "on_breach": "set it under budget",
    "environments": "remove it; write one stack file for each environment",
}

WORKLOAD: Final[Words] = {
    **_SCHEDULER,
    "run": "remove it, or set command to what each node starts",
    "tags": "set tags at the top of the file; owner, stack and workload tags are always added",
}

INFERENCE: Final[Words] = {
    **WORKLOAD,
    "shared_storage": "remove it; use a bucket under data",
    "idle_stop": "remove it; a pool with a queue scales down to zero machines",
    "framework": "remove it; the container includes its own",
}

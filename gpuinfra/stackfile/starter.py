"""The commented stack file that `gpuinfra init` writes."""

from typing import Final

from gpuinfra.stackfile.edit import written
from gpuinfra.stackfile.reader import loads

_TEXT: Final = """\
# A stack file says what a team wants, and what it may cost. Try:
#   gpuinfra check     judge it offline: budget, spot, fabric, security
#   gpuinfra cost      what it costs an hour, a month and a run, line by line
#   gpuinfra up --target sandbox    build it in the local cloud, without an account
version: 1
name: @NAME@
owner: ml-platform            # a team or a person; every resource is tagged with it

# The caps, in US dollars. What would cross one is refused before it is created.
budget:
  per_hour: 8                 # all that may run at once, pools at their maximum
  per_run: 20                 # each training run; needs its duration
  per_month: 2200             # 730 hours; also kept as a budget in the cloud
  notify: [ml-platform@example.com]

# The list prices that gpuinfra brings have a date, and they age.
prices:
  accept_outdated: true       # warn about an old price instead of refusing it

# Regions are tried in this order. A workload may have a `where` of its own.
where:
  cloud: aws
  regions: [us-east-1]

# A training run: one node, or several that stand together.
training:
  trainer:
    instance: g6.8xlarge      # or gpu: H100:8, or gpu: {memory: 80GB.., count: 8, nvlink: true}
    nodes: 2
    fabric: required          # RDMA between the nodes (EFA on AWS); or preferred, or none
    capacity: [spot, on-demand]   # tried in this order
    max_price: 1.50           # USD per node-hour that a spot request may cost
    duration: 4h
    data: [{bucket: data, prefix: tokens/}]
    checkpoints: {bucket: data, every: 10m}

# A pool of machines that serve behind one address.
inference:
  chat:
    gpu: L4:1                 # the cheapest machine that has it is chosen
    replicas: 1..3
    scale_on: {gpu_utilization: 70%}
    capacity: {on_demand_base: 1, above: spot}   # one always on demand, spot above it
    image: vllm/vllm-openai:v0.11.0
    port: 8000

# Private, encrypted buckets; only workloads that name one may read or write it.
buckets:
  data: {size: 100GB, keep_noncurrent: 30d}

# Rules can be tuned by their id, for example the least share of GPUs on spot:
# rules:
#   spot-share: {minimum: 50%}
"""


def starter(name: str) -> str:
    """A commented stack file of a small training run, a small pool and a bucket.

    Raises:
        InputError: the name can't be a stack's name.
    """
    text = _TEXT.replace("@NAME@", written(name))
    loads(text, "stack.yaml")
    return text

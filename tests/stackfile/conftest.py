"""A valid stack that uses the whole grammar, and the independent validator of its schema."""

import jsonschema
import pytest

from gpuinfra.stackfile.json_schema import schema

WHOLE = """\
# a comment at the top
version: 1
name: llama-sft
owner: ml-platform
budget: {per_hour: 260, per_run: 16500.50, per_month: "40000", notify: [ml-platform@example.com]}
prices: {accept_outdated: true, outdated_after_days: 90, not_counted: ["aws:ec2/eip:Eip"]}
where: {cloud: aws, regions: [us-east-1, us-west-2], zones: [us-east-1a]}
target: sandbox
training:
  trainer:
    gpu: H100:8
    nodes: 4
    fabric: required                # required | preferred | none
    capacity: [spot, {spot: {region: us-west-2, max_price: 30}}, on-demand]
    max_price: 40
    duration: 72h
    interruptions: 2.5%
    data: [{bucket: data, prefix: tokens/, mode: read, rate: 4GB/s}]
    checkpoints: {bucket: data, prefix: checkpoints/, every: 10m, size: 140GB, write: 2GB/s,
                  restart: 10m}
    disk: {size: 500GB, iops: 6000, throughput: 250}
    machine_image: ami-0123456789abcdef0
    command: |
      torchrun train.py --steps 100
  tuner:
    gpu:
      memory: 80GB..
      count: 8
      nvlink: true
      nvlink_domain: 8
      fabric: efa
      fabric_speed: 3200Gbps
      precision: bf16
      vcpu_per_gpu: 8
      ram_per_gpu: 64GiB
      architecture: x86_64
      max_per_hour: 98.32
    capacity: spot
    disk: 1TiB
    where: {cloud: any, regions: [eu-west-1]}
  sft:
    gpu:
      for_model: {parameters: 70B, task: lora, precision: int4, sharding: fsdp, context: 4096,
                  batch: 2, optimizer: adamw-8bit, recompute: selective, rank: 8, layers: 80,
                  hidden: 8192}
  small-model:
    gpu: {for_model: llama-3.1-8b, count: 1}
inference:
  chat:
    instance: g6.xlarge
    replicas: 1..20
    scale_on: {gpu_utilization: 70%}
    capacity: {on_demand_base: 1, above: spot}
    image: vllm/vllm-openai:v0.11.0
    port: 8000
    health: /ready
  embed:
    gpu: {model: L4, memory: 20GB..24GB}
    replicas: 2
    scale_on: {requests_per_target: 50}
    capacity: spot
    max_price: 0.5
    image: ghcr.io/huggingface/text-embeddings-inference:1.8
    port: 80
buckets:
  data: {size: 2TB, versioned: true, keep_noncurrent: 30d, region: us-east-1, reads: 10M}
  logs: {reads: 12000, writes: 2.5k}
usage: {data_out: 2TB, between_zones: 500GB, between_regions: 1TB, nat_data: 3TB, logs: 50GB}
energy: {pue: 1.5, carbon: 400 g/kWh}
rules:
  spot-share: {minimum: 60%, level: advisory}
  no-cap: {level: disabled, names: [a, b], limit: 1.5}
waivers:
  - rule: spot-share
    resource: training.trainer
    reason: no spot capacity this week
    owner: jane@example.com
    until: 2026-12-31
"""

SMALL = """\
version: 1
name: small
owner: me
where: {cloud: aws, regions: [us-east-1]}
training:
  t: {gpu: L4:1}
"""


@pytest.fixture(scope="session")
def validator():
    whole_schema = schema()
    jsonschema.Draft202012Validator.check_schema(whole_schema)
    return jsonschema.Draft202012Validator(whole_schema)


@pytest.fixture(scope="session")
def whole():
    return WHOLE


@pytest.fixture(scope="session")
def small():
    return SMALL


@pytest.fixture(scope="session")
def accepts(validator):
    """Whether the validator accepts; a function, so that Hypothesis prints it in short."""

    def judge(value):
        return validator.is_valid(value)

    return judge

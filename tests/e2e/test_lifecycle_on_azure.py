"""A small stack's whole life on Azure, on the real engine in the sandbox."""

from typing import ClassVar

import pytest

from tests.e2e.lives import Life

pytestmark = [
    pytest.mark.e2e,
    # The SDKs' own import warnings: as errors they leave half a module behind.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pulumi_.*"),
]


class TestAzure(Life):
    text = """\
version: 1
name: life
owner: ml-platform
budget: {per_hour: 20, per_run: 40, per_month: 12000}
prices: {accept_outdated: true}
where: {cloud: azure, regions: [eastus]}
training:
  trainer:
    instance: Standard_NC4as_T4_v3
    nodes: 2
    fabric: none
    capacity: [spot, on-demand]
    duration: 4h
    disk: 200GB
    data: [{bucket: data, prefix: tokens/}]
    checkpoints: {bucket: data, prefix: checkpoints/, every: 10m}
inference:
  chat:
    gpu: T4:1
    replicas: 1..3
    scale_on: {gpu_utilization: 70%}
    capacity: {on_demand_base: 1, above: spot}
    image: vllm/vllm-openai:v0.11.0
    port: 8000
    disk: 200GB
buckets:
  data: {size: 500GB}
"""
    machine = ("Standard_NC4as_T4_v3", "Standard_NC8as_T4_v3")
    region = "eastus"
    drifted: ClassVar = {"sku.capacity": 1}
    removed = "chat-autoscale"
    scaler = ("chat-autoscale", "profiles[0].capacity.maximum")
    no_room = "SkuNotAvailable"
    moved = frozenset({"trainer-group"})
    cause = "sku.name"

"""A small stack's whole life on Google Cloud, on the real engine in the sandbox."""

from typing import ClassVar

import pytest

from tests.e2e.lives import Life

pytestmark = [
    pytest.mark.e2e,
    # The SDKs' own import warnings: as errors they leave half a module behind.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pulumi_.*"),
]


class TestGoogleCloud(Life):
    text = """\
version: 1
name: life
owner: ml-platform
budget: {per_hour: 20, per_run: 40, per_month: 12000}
prices: {accept_outdated: true}
where: {cloud: gcp, regions: [us-central1]}
training:
  trainer:
    instance: g2-standard-4
    nodes: 2
    fabric: none
    capacity: [spot, on-demand]
    duration: 4h
    disk: 200GB
    data: [{bucket: data, prefix: tokens/}]
    checkpoints: {bucket: data, prefix: checkpoints/, every: 10m}
inference:
  chat:
    gpu: L4:1
    replicas: 2..3
    scale_on: {gpu_utilization: 70%}
    capacity: {on_demand_base: 1, above: spot}
    image: vllm/vllm-openai:v0.11.0
    port: 8000
    disk: 200GB
buckets:
  data: {size: 500GB}
"""
    machine = ("g2-standard-4", "g2-standard-8")
    region = "us-central1"
    drifted: ClassVar = {"targetSize": 1}
    removed = "chat-autoscaler"
    scaler = ("chat-autoscaler", "autoscalingPolicy.maxReplicas")
    no_room = "not all of its machines started in time"
    moved = frozenset({"trainer-group", "trainer-template"})
    cause = "versions[0].instanceTemplate"

"""Stack files, as they are read: the shipped ones, and of what those leave out."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from gpuinfra.stackfile import StackDocument, loads, read_stack_file

STACKS = Path(__file__).parents[2] / "stacks"

MORE = """\
version: 1
name: more
owner: ml-platform
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1]}
training:
  dev: {gpu: "L4:1", disk: {size: 1TB, iops: 6000, throughput: 500}}
  wide: {instance: p5en.48xlarge, nodes: 3, duration: 10h}
  old: {instance: p4d.24xlarge, nodes: 2, capacity: spot, max_price: 20, duration: 5h}
  plain: {instance: g6.12xlarge, nodes: 2, fabric: none, capacity: spot, duration: 5h}
inference:
  steady: {gpu: "L4:1", replicas: 2, scale_on: {requests_per_target: 100}, image: a/b:1, port: 80}
  cheap:
    gpu: L4:1
    replicas: 1..4
    expected: 2
    capacity: spot
    max_price: 0.5
    scale_on: {gpu_memory: 80%}
    image: a/b:1
    port: 80
buckets:
  empty: {versioned: false}
  huge: {size: 700TB, reads: 40M, writes: 2.5M}
usage: {data_out: 60TB, between_zones: 9TB, between_regions: 1TB, nat_data: 3TB, logs: 50GB}
"""


CAPACITY = """\
version: 1
name: capacity
owner: ml-platform
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1]}
training:
  kept: {instance: p5.48xlarge, nodes: 4, capacity: [{on-demand: {reserve: true}}], duration: 9h}
  alone: {instance: g6.xlarge, capacity: [{on-demand: {reserve: true}}]}
  held:
    instance: p5.48xlarge
    nodes: 2
    capacity: [{reserved: {reservation: cr-0123456789abcdef0, placement_group: theirs}}, spot]
    duration: 9h
  block:
    instance: p5en.48xlarge
    nodes: 2
    capacity:
      - {capacity-block: {reservation: cr-0123456789abcdef0, ends: 2026-12-01T11:30Z}}
      - on-demand
    duration: 72h
  whole: {instance: p4d.24xlarge, nodes: 2, all_or_nothing: true, duration: 5h}
  cheap:
    instance: p4d.24xlarge
    nodes: 2
    all_or_nothing: true
    capacity: spot
    max_price: 20
    duration: 5h
  blocked:
    instance: p5.48xlarge
    nodes: 2
    all_or_nothing: true
    capacity: [{capacity-block: {reservation: cr-0123456789abcdef0, ends: 2026-12-01T11:30Z}}]
"""

GUARDED = """\
version: 1
name: guarded
owner: ml-platform
budget: {per_month: 900000, notify: [a@example.com], on_breach: stop}
prices: {accept_outdated: true}
monitoring: {dashboard: true, report: true}
deploy_role: {repository: example/lab}
where: {cloud: aws, regions: [us-east-1]}
training:
  dev: {gpu: "L4:1", idle_stop: {below: 5%, after: 30m}, time_to_live: 72h}
  run: {instance: p4d.24xlarge, nodes: 2, capacity: [spot, on-demand], duration: 5h}
  chips: {instance: trn1.32xlarge, time_to_live: 10h}
inference:
  chat: {gpu: "L4:1", replicas: 1..3, scale_on: {gpu_memory: 80%}, image: a/b:1, port: 80}
"""

IDLE = """\
version: 1
name: idle
owner: ml-platform
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1]}
training:
  dev: {gpu: "L4:1", idle_stop: {below: 10%, after: 3h}}
"""

STORAGE = """\
version: 1
name: storage
owner: ml-platform
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1]}
training:
  first:
    instance: p4d.24xlarge
    shared_storage: {deployment: scratch-1, size: 3600GiB}
  second:
    instance: p4d.24xlarge
    shared_storage: {deployment: scratch-2, size: 1.2TiB, bucket: locked}
  third:
    instance: p4d.24xlarge
    shared_storage: {deployment: persistent-1, storage: hdd, size: 6000GiB, throughput: 12}
  fourth:
    instance: p4d.24xlarge
    shared_storage: {size: 4.8TiB, throughput: 250, metadata_iops: 6000, bucket: all, export: true}
  tiered:
    instance: p4d.24xlarge
    shared_storage: {storage: intelligent-tiering, throughput: 8000}
  efa:
    instance: p4d.24xlarge
    nodes: 2
    shared_storage: {size: 4800GiB, throughput: 1000, efa: true}
buckets:
  all:
    size: 80TB
    writes: 3M
    encryption: kms
    tiering: 30d
    expire: [{prefix: tmp/, after: 7d}]
    access_logs: own
    object_lock: {mode: governance, keep: 30d}
    replicate_to: us-west-2
  theirs:
    encryption: arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555
    access_logs: their-logs
    replicate_to: eu-west-1
  locked: {object_lock: {keep: 7d}, replicate_to: us-east-2}
"""

SERVED = """\
version: 1
name: served
owner: ml-platform
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1]}
inference:
  work:
    instance: g6.xlarge
    mixed: [g5.xlarge, g6.12xlarge]
    replicas: 0..4
    expected: 1
    capacity: spot
    image: "123456789012.dkr.ecr.us-east-1.amazonaws.com/team/worker:v3"
    port: 80
    scale_on: {queue: {messages_per_machine: 10}}
  awake:
    gpu: "L4:1"
    replicas: 2..4
    capacity: {on_demand_base: 1, above: spot}
    max_price: 0.5
    image: a/b:1
    port: 80
    scale_on: {queue: {messages_per_machine: 1}}
  theirs:
    gpu: "T4:1"
    replicas: 0..2
    image: a/b:1
    port: 80
    scale_on: {queue: {messages_per_machine: 10, name: jobs}}
  web:
    instance: g6.xlarge
    mixed: [g5.xlarge]
    replicas: 1..4
    image: a/b:1
    port: 80
    scale_on: {requests_per_target: 500}
    certificate: "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d"
"""

CLOSED = """\
version: 1
name: closed
owner: ml-platform
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1], zones: [us-east-1a, us-east-1b, us-east-1c]}
network: {nat: false, flow_logs: true}
training:
  run: {instance: p5.48xlarge, nodes: 2, duration: 9h}
inference:
  web:
    instance: g6.xlarge
    replicas: 1..4
    image: "123456789012.dkr.ecr.us-east-1.amazonaws.com/team/model:v3"
    port: 80
    scale_on: {requests_per_target: 500}
"""

SHARED = """\
version: 1
name: shared
owner: ml-platform
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1, us-west-2]}
network: {shared: true, flow_logs: true}
training:
  run: {instance: g6.8xlarge, nodes: 2, duration: 9h, capacity: [spot, on-demand]}
  kept: {instance: p5.48xlarge, nodes: 2, capacity: [{on-demand: {reserve: true}}]}
  apart: {gpu: "L4:1", network: {cidr: 10.20.0.0/16}}
inference:
  web: {instance: g6.xlarge, replicas: 1..4, image: "a/b:1", port: 80}
buckets: {data: {}}
"""

MORE_GCP = """\
version: 1
name: more-gcp
owner: ml-platform
budget: {per_month: 900000, billing_account: 01ABCD-234567-89EF01}
prices: {accept_outdated: true}
where: {cloud: gcp, regions: [us-central1]}
training:
  dev: {gpu: "L4:1", disk: {size: 1TB}}
  high: {instance: a3-highgpu-8g, nodes: 3, fabric: required, duration: 10h}
  mega: {instance: a3-megagpu-8g, nodes: 2, fabric: required, capacity: spot, duration: 5h}
  ultra: {instance: a3-ultragpu-8g, nodes: 2, fabric: required, capacity: spot, duration: 5h}
  many: {instance: a2-highgpu-1g, nodes: 40, fabric: none, duration: 5h}
inference:
  steady: {gpu: "L4:1", replicas: 2..3, scale_on: {gpu_utilization: 70%}, image: a/b:1, port: 80}
  mixed:
    gpu: L4:1
    replicas: 3..6
    capacity: {on_demand_base: 2, above: spot}
    scale_on: {gpu_memory: 80%}
    image: a/b:1
    port: 80
buckets:
  empty: {versioned: false}
  huge: {size: 700TB, reads: 40M, writes: 0}
usage: {data_out: 12TB, between_zones: 9TB, between_regions: 1TB, nat_data: 3TB}
"""

MORE_AZURE = """\
version: 1
name: more-azure
owner: ml-platform
budget: {per_month: 900000, notify: [a@example.com]}
prices: {accept_outdated: true}
where: {cloud: azure, regions: [eastus]}
training:
  dev: {gpu: "T4:1", disk: {size: 1TB}}
  wide: {instance: Standard_ND96isr_H100_v5, nodes: 3, fabric: required, duration: 10h}
  old:
    instance: Standard_ND96asr_v4
    nodes: 2
    fabric: required
    capacity: spot
    max_price: 20
    duration: 5h
  plain: {instance: Standard_NC24ads_A100_v4, nodes: 2, fabric: none, capacity: spot, duration: 5h}
inference:
  steady: {gpu: "T4:1", replicas: 2..3, scale_on: {gpu_utilization: 70%}, image: a/b:1, port: 80}
  mixed:
    gpu: T4:1
    replicas: 1..6
    capacity: {on_demand_base: 1, above: spot}
    max_price: 0.3
    scale_on: {gpu_memory: 80%}
    image: a/b:1
    port: 80
buckets:
  empty: {versioned: false}
  huge: {size: 700TB, writes: 3B}
usage: {data_out: 9TB, nat_data: 3TB}
"""


@cache
def documents() -> Mapping[str, StackDocument]:
    shipped = {
        folder.parent.name: read_stack_file(folder) for folder in STACKS.glob("*/stack.yaml")
    }
    own = {
        "more": MORE,
        "storage": STORAGE,
        "served": SERVED,
        "capacity": CAPACITY,
        "guarded": GUARDED,
        "idle": IDLE,
        "closed": CLOSED,
        "shared": SHARED,
        "more-gcp": MORE_GCP,
        "more-azure": MORE_AZURE,
    }
    return {**shipped, **{name: loads(text) for name, text in own.items()}}

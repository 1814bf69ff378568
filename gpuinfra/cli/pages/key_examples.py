"""Examples of the keys of a stack file that take a mapping or a list, as lines of the file."""

from collections.abc import Mapping
from typing import Final

from gpuinfra.cli.pages.grammar import list_examples

_NETWORKS: Final = (
    "{shared: true}",
    "{vpc: vpc-0123456789abcdef0, subnets: [subnet-0123456789abcdef0]}",
)

_EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "budget": ("{per_hour: 60, per_run: 700, notify: [jane@example.com]}",),
    "prices": ("{accept_outdated: true}",),
    "prices.exchange_rates": ("{EUR: 1.16}",),
    "where": ("{cloud: aws, regions: [us-east-1, us-west-2]}",),
    "tags": ("{cost-center: vision}",),
    "network": _NETWORKS,
    "monitoring": ("{dashboard: true, notify: [jane@example.com]}",),
    "deploy_role": ("{repository: example/train}",),
    "training": ('{lora: {gpu: "H100:8", duration: 24h}}',),
    "training.gpu": (
        "H100:8",
        "{model: H100, count: 8, for_model: llama-3.1-70b}",
        "{memory: 80GB.., count: 8, nvlink: true}",
    ),
    "training.gpu.for_model": ("70B", "{name: llama-3.1-70b, task: lora}"),
    "training.disk": ("500GB", "{size: 500GB, iops: 6000}"),
    "training.where": ("{cloud: aws, regions: [us-west-2]}",),
    "training.network": _NETWORKS[1:],
    "training.capacity": ("spot", "[spot, on-demand]", "[spot, {on-demand: {region: us-west-2}}]"),
    "training.capacity.spot": ("{region: us-west-2, max_price: 30}",),
    "training.capacity.on-demand": ("{reserve: true}",),
    "training.capacity.reserved": ("{reservation: cr-0123456789abcdef0}",),
    "training.capacity.capacity-block": (
        "{reservation: cr-0123456789abcdef0, ends: 2026-12-01T11:30Z}",
    ),
    "training.checkpoints": ("{bucket: runs, every: 10m}",),
    "training.framework": ('{cuda: "12.8", pytorch: "2.7"}',),
    "training.shared_storage": ("{size: 4.8TiB}",),
    "training.idle_stop": ("{below: 5%, after: 1h}",),
    "inference": (
        '{chat: {gpu: "L4:1", replicas: 2..4, image: "vllm/vllm-openai:v0.11.0", port: 8000}}',
    ),
    "inference.scale_on": ("{gpu_utilization: 70%}", "{queue: {messages_per_machine: 10}}"),
    "inference.scale_on.queue": ("{messages_per_machine: 10}",),
    "inference.capacity": ("spot", "{on_demand_base: 1, above: spot}"),
    "buckets": ("{runs: {size: 500GB, keep_noncurrent: 30d}}",),
    "buckets.object_lock": ("{mode: governance, keep: 30d}",),
    "usage": ("{data_out: 500GB}",),
    "rules": ("{spot-share: {minimum: 50%}}",),
    "rules.workloads": ("{trainer: {minimum: 50%}}",),
    "waivers": (
        "[{rule: time-limit, resource: training.box, reason: ours, owner: ml, until: 2026-12-31}]",
    ),
    "energy": ("{pue: 1.3, carbon: 400 g/kWh}",),
}


def examples(path: str) -> tuple[str, ...]:
    """Return the examples of a key, as lines of a stack file."""
    own_example = _EXAMPLES.get(path)
    if own_example is None:
        return list_examples(path)
    return tuple(f"{path.rpartition('.')[2]}: {value}" for value in own_example)

"""One product: what is declared is what the engine gets, and strangers' resources read alike."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from gpuinfra.clouds.declaring.budget_only_guards import ROOT_KEY
from gpuinfra.clouds.declaring.children import ROOT
from gpuinfra.components.program import program
from gpuinfra.cost import PricingTerms, Quote, estimate
from gpuinfra.graph import Ref
from gpuinfra.model import UNKNOWN, Bucket, Group, Plan, Resource, Usage
from gpuinfra.planning import choices, from_resources, from_stack, stack_graph, to_usage
from gpuinfra.planning.observed_plan import observed_usage
from gpuinfra.source import Source
from gpuinfra.stackfile import StackDocument, loads, read_stack_file
from tests.components.exactness import complaints, differences

STACKS = Path(__file__).parents[2] / "stacks"
TODAY = date(2026, 11, 21)
CENT = Decimal("0.01")
OURS = ("tags", "labels", "tagSpecifications", "description", "userData")
CONFIG = {"gcp:project": "research-1"}

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


def clouds(plan: Plan) -> tuple[str, ...]:
    rows: tuple[Group | Bucket, ...] = (*plan.groups, *plan.buckets)
    return tuple({row.cloud: None for row in rows})


def stripped(resources: Sequence[Resource], usage: Usage) -> tuple[tuple[Resource, ...], Usage]:
    """The resources as a stranger's: no component, no tag of ours, every name another."""
    raw = [resource for resource in resources if not resource.type.startswith("gpuinfra:")]
    names = sorted({resource.name for resource in raw}, key=len, reverse=True)
    other = {name: f"r{uuid4().hex}" for name in names}
    spelled = re.compile("|".join(re.escape(name) for name in names))

    def untagged(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {k: untagged(v) for k, v in value.items() if k not in OURS}
        return [untagged(item) for item in value] if isinstance(value, list | tuple) else value

    def renamed(value: Any) -> Any:
        text = json.dumps(value, default=str)
        return json.loads(spelled.sub(lambda hit: other[hit[0]], text))

    strangers = tuple(
        replace(
            resource,
            name=other[resource.name],
            urn=renamed(resource.urn),
            parent=None,
            inputs=renamed(untagged(resource.inputs)),
            outputs=renamed(untagged(resource.outputs)),
            relations={
                k: tuple(renamed(v)) for k, v in resource.relations.items() if k not in OURS
            },
        )
        for resource in raw
    )
    by_name = {
        field: {other.get(key, key): value for key, value in getattr(usage, field).items()}
        for field in Usage.__dataclass_fields__
        if field != "trust"
    }
    return strangers, replace(usage, **by_name)


def standing(plan: Plan) -> Plan:
    """A stack file's plan with the rung that stands as the only one."""
    groups = tuple(replace(group, rungs=(group.rung,), active_rung=0) for group in plan.groups)
    return replace(plan, groups=groups)


def quote(plan: Plan) -> Quote:
    return estimate(plan, PricingTerms(as_of=TODAY, accept_outdated=True))


def rows(plan: Plan) -> list[tuple[Any, ...]]:
    """The machines: type, market, counts, place, ceiling of the price, fabric."""
    priced = {rung.group: rung.node_rate for rung in quote(plan).rungs}
    return sorted(
        (
            group.rung.machine,
            group.rung.capacity,
            str(group.maximum),
            str(group.minimum),
            group.rung.region,
            str(group.rung.on_demand_base),
            str(priced[group.name]),
            fabric(group),
        )
        for group in plan.groups
    )


def fabric(group: Group) -> str:
    """The fabric's facts, without what no resource shows: the wish, and what is in an image.

    Of the networks, placements and firewalls, which have other names here, the numbers.
    """
    facts = group.fabric
    if facts is None:
        return "none"
    numbers = [len(site) for site in facts.sites], len(facts.placements)
    walls = [(len(each.groups), len(each.ingress), len(each.egress)) for each in facts.firewalls]
    shown = replace(facts, requirement="required", driver_image=UNKNOWN)
    shown = replace(shown, sites=(), placements=(), firewalls=(), subnets=())
    return f"{shown!r}, {numbers}, {walls}"


def lines(plan: Plan) -> list[tuple[str, str, str, str]]:
    """Everything that is paid: what, how much, its rate and its month."""
    return sorted(
        (line.item, str(line.quantity), str(line.rate), cents(line.per_month))
        for line in quote(plan).lines
    )


def cents(amount: Decimal | None) -> str:
    return "unknown" if amount is None else str(amount.quantize(CENT))


def totals(plan: Plan) -> tuple[str, ...]:
    quoted = quote(plan)
    run = "none" if quoted.per_run is None else cents(quoted.per_run.ceiling)
    likely = cents(quoted.per_hour.expected)
    return cents(quoted.per_hour.ceiling), cents(quoted.per_month.ceiling), run, likely


@pytest.mark.parametrize("name", documents())
@pytest.mark.parametrize("rung", ["first", "last"])
def test_file_and_resources_are_the_same_rows(
    record: Callable[..., Any], name: str, rung: str
) -> None:
    document = documents()[name]
    plan = from_stack(document.stack)
    index = 0 if rung == "first" else -1
    rungs = {group.name: group.rungs[index].label for group in plan.groups}
    written = standing(from_stack(document.stack, rungs=rungs))
    seen = record(program(Source(document=document), rungs), CONFIG, clouds(plan))
    strangers, usage = stripped(seen.rows(), observed_usage(to_usage(document.stack)))
    observed = from_resources(strangers, name="stranger", caps=written.caps, usage=usage)

    assert observed.not_judged == ()
    assert rows(observed) == rows(written)
    assert lines(observed) == lines(written)
    assert totals(observed) == totals(written)
    tagged = from_resources(seen.rows(), name="ours", caps=written.caps, usage=Usage())
    assert tagged.cloud_budget == written.cloud_budget  # it counts by the tags of this project


@pytest.mark.parametrize("name", documents())
@pytest.mark.parametrize("rung", ["first", "last"])
def test_the_engine_gets_exactly_what_is_declared(
    record: Callable[..., Any], name: str, rung: str
) -> None:
    """Types, names, parents, inputs, relations and options, of every resource and no other."""
    document = documents()[name]
    plan = choices(document.stack)
    index = 0 if rung == "first" else -1
    rungs = {group.name: group.rungs[index].label for group in plan.groups}
    graph = stack_graph(document.stack, choices(document.stack, rungs=rungs))
    seen = record(program(Source(document=document), rungs), CONFIG, clouds(plan))
    registered = seen.registered()
    root = registered.pop(("", ROOT, document.stack.name))
    del graph.resources[ROOT_KEY]  # its inputs are what packs read of the stack file

    assert len(graph.resources) == len(registered)
    assert list(complaints(graph, {ROOT_KEY: root.name}, registered)) == []


def test_the_comparison_of_inputs_sees_a_difference() -> None:
    declared_ = {"a": [1, {"b": True}], "c": Ref("x", "id")}

    assert differences(declared_, {"a": [1, {"b": True}], "c": "i-1"}) == []
    assert differences(declared_, {"a": [1, {"b": False}], "c": "i-1"}) == [
        ".a[1].b: True became False"
    ]
    assert differences(declared_, {"a": [1], "d": 1}) != []


def test_the_comparison_sees_one_machine_more(record: Callable[..., Any]) -> None:
    document = read_stack_file(STACKS / "quickstart")
    plan = standing(from_stack(document.stack))
    trainer, *others = plan.groups
    more = replace(plan, groups=(replace(trainer, maximum=3), *others))

    assert rows(more) != rows(plan)
    assert totals(more) != totals(plan)

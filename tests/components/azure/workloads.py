"""Planned workloads of Azure, built by themselves: without a stack file or a plan of one."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, cast

import pulumi

from gpuinfra.clouds.azure.declare.budget import declare_budget
from gpuinfra.clouds.build_spec import BucketOutputs, BuildSpec, InferenceOutputs, TrainingOutputs
from gpuinfra.clouds.declaring.budget_only_guards import ROOT_KEY
from gpuinfra.clouds.declaring.inputs import NOW
from gpuinfra.components.caller import CallerInputs
from gpuinfra.components.declared import build
from gpuinfra.components.planned import PlannedComponent
from gpuinfra.components.register import register
from gpuinfra.graph import ResourceGraph
from gpuinfra.model import Caps, Fabric, Group, Rung
from gpuinfra.specs import Bucket, Inference, Training
from tests.rules.cases.grouped import grouped

REGION = "eastus"
STORED = "llamadata0123456789ab/data"
ND, NC = "Standard_ND96isr_H100_v5", "Standard_NC4as_T4_v3"

_RUNG = ("capacity", "zones", "max_price", "on_demand_base", "spot_share_above_base")


class Component(pulumi.ComponentResource):
    """Stands where the components of gpuinfra stand."""

    def __init__(self, name: str) -> None:
        super().__init__("tests:index:Component", name)


def order(name: str, tags: Mapping[str, str] | None = None) -> BuildSpec:
    return BuildSpec(
        name=name, stack="llama", owner="ml-platform", region=REGION, tags=dict(tags or {})
    )


def group(name: str, machine: str, **more: Any) -> Group:
    """A planned group; keys of a rung make its rung."""
    rung = {"capacity": "on-demand", "zones": ()}
    rung |= {key: more.pop(key) for key in _RUNG if key in more}
    rungs = (Rung(machine=machine, region=REGION, **rung),)
    return grouped(name=name, subject=name, cloud="azure", rungs=rungs, **more)


def training(
    machine: str = ND,
    *,
    words: Mapping[str, Any] | None = None,
    fabric: bool = True,
    given: Mapping[str, Any] | None = None,
    tags: Mapping[str, str] | None = None,
    **rung: Any,
) -> TrainingOutputs:
    """A cluster that uses everything."""
    work = Training.model_validate(
        {
            "instance": machine,
            "nodes": 2,
            "data": [{"bucket": "data", "prefix": "tokens/"}],
            "checkpoints": {"bucket": "data"},
            "command": "gpuinfra-torchrun train.py",
            **(words or {}),
        }
    )
    joined = Fabric(requirement="required", interfaces=8) if fabric else None
    planned = group("trainer", machine, purpose="training", fabric=joined, **rung)
    passed = {"buckets": {"data": STORED}, **(given or {})}
    run_time = CallerInputs(parent=Component("trainer"), **passed)
    return _built(work, order("trainer", tags), planned, caller=run_time)


def pool(
    machine: str = NC,
    *,
    words: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    **rung: Any,
) -> InferenceOutputs:
    """A pool with one machine on demand and spot above."""
    work = Inference.model_validate(
        {
            "instance": machine,
            "replicas": "1..20",
            "scale_on": {"gpu_utilization": "70%"},
            "image": "vllm/vllm-openai:v0.11.0",
            "port": 8000,
            **(words or {}),
        }
    )
    mixed = {"on_demand_base": 1, "capacity": "spot", "spot_share_above_base": Decimal(1)}
    mixed |= {"minimum": 1, "maximum": 20}
    planned = group("chat", machine, purpose="inference", **{**mixed, **rung})
    run_time = CallerInputs(parent=Component("chat"), **(given or {}))
    return _built(work, order("chat"), planned, caller=run_time)


def bucket(
    *, words: Mapping[str, Any] | None = None, given: Mapping[str, Any] | None = None
) -> BucketOutputs:
    run_time = CallerInputs(parent=Component("data"), **(given or {}))
    return _built(Bucket.model_validate(words or {}), order("data"), caller=run_time)


def budget(now: str, **caps: Any) -> None:
    """The budget of a stack, without its component."""
    graph, nothing = ResourceGraph(), cast("Any", None)
    declare_budget(order("llama"), Caps(**caps), graph)
    register(graph, {ROOT_KEY: nothing}, {NOW.name: now})


def _built(
    spec: Any, order: BuildSpec, machines: Group | None = None, *, caller: CallerInputs
) -> Any:
    planned = PlannedComponent(
        spec=spec,
        group=machines,
        stack=order.stack,
        owner=order.owner,
        cloud="azure",
        region=order.region,
    )
    made, _ = build(planned, order, caller=caller)
    return made

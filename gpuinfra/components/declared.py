"""The registration of a planned workload: its graph, the caller's arguments, Pulumi."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final

import pulumi

from gpuinfra.clouds import provider_of
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.clouds.declaring.budget_only_guards import WatchedStack
from gpuinfra.clouds.declaring.inputs import CallersNetwork, RuntimeInputs
from gpuinfra.components.caller import CallerInputs
from gpuinfra.components.customizing import apply_customizations
from gpuinfra.components.planned import PlannedComponent
from gpuinfra.components.register import register
from gpuinfra.components.runtime_values import is_output
from gpuinfra.graph import ResourceGraph, RuntimeInput
from gpuinfra.model import Caps, Group, Plan
from gpuinfra.planning.declared_stack import declare_work
from gpuinfra.specs import Bucket, Stack, Training

IMAGES: Final = "images"
"""The key of Pulumi configuration, `gpuinfra:images`, that holds when images were last renewed.

Its value is in the name of each image's pin: as long as it stays, so do the images, and another
value has all of them looked up again. `gpuinfra up --update-images` writes the time, `pulumi
config set gpuinfra:images 2026-11-21` does it by hand."""


_SUBNETS: Final = "network.subnet_ids"


def build(
    planned: PlannedComponent[Any], spec: BuildSpec, *, caller: CallerInputs
) -> tuple[Any, ResourceGraph]:
    """Declare a planned bucket or workload as its component, and register its children.

    Returns its created resources as outputs, and its graph.
    """
    declare, bucket = provider_of(planned.cloud).declare, planned.spec
    if isinstance(bucket, Bucket):
        key = f"bucket.{spec.name}"
        graph = declare.declare_bucket(spec, bucket, key)
    else:
        key = f"{'training' if isinstance(bucket, Training) else 'pool'}.{spec.name}"
        graph = declare_work(spec, planned.machines, bucket, key, runtime_inputs(caller))
        if planned.alarm_stack is not None:
            _declare_alarms(spec, planned.alarm_stack, planned.machines, key, graph)
    graph = apply_customizations(graph, key, caller.customize, declare.MARKS)
    if isinstance(bucket, Bucket):
        graph.outputs[key] = declare.bucket_outputs(graph, key)
    inputs = {**values(caller), **planned.late_outputs}
    registered = register(graph, {key: caller.parent, **planned.after}, inputs)
    return outputs(registered, graph.outputs[key]), graph


def _declare_alarms(
    spec: BuildSpec, stack: Stack, group: Group, key: str, graph: ResourceGraph
) -> None:
    """Declare the alarms of a component outside a stack, as its own children.

    Args:
        spec: the component's.
        stack: has the component's workload alone.
        group: its machines.
        key: the component's.
        graph: of the component, with its machines.
    """
    declare, alarm_spec = provider_of(group.cloud).declare, replace(spec, alarms_of=key)
    plan = Plan(name=spec.name, owner=spec.owner, caps=Caps(), groups=(group,))
    guarded = declare.declare_guards(alarm_spec, stack, plan, graph)
    watched = WatchedStack(
        stack=stack,
        plan=plan,
        workload_outputs={group.name: graph.outputs[key]},
        guardrail_outputs=guarded,
        graph=graph,
    )
    declare.declare_watch(alarm_spec, watched, graph)


def outputs(registered: Any, declared: Any) -> Any:
    """Return the outputs of a component, resolved; None stays None."""
    declared_fields = {field.name: getattr(declared, field.name) for field in fields(declared)}
    return replace(
        declared,
        **{
            name: None if value is None else registered.output(value)
            for name, value in declared_fields.items()
        },
    )


def runtime_inputs(caller: CallerInputs) -> RuntimeInputs:
    """Return the caller's values for a graph: plain text is kept, all else is a run-time input."""
    network = caller.network
    return RuntimeInputs(
        network=None
        if network is None
        else CallersNetwork(
            vpc_id=_value("network.vpc_id", network.vpc_id),
            subnet_ids=_subnets(network.subnet_ids),
            cidr_block=_value("network.cidr_block", network.cidr_block),
        ),
        buckets={
            name: _value(f"buckets.{name}", bucket) for name, bucket in caller.buckets.items()
        },
        keys={name: _value(f"keys.{name}", key) for name, key in caller.keys.items()},
        images_renewed=pulumi.Config("gpuinfra").get(IMAGES) or "",
    )


def values(caller: CallerInputs) -> Mapping[str, Any]:
    """Return the run-time values by their names in a graph."""
    network = caller.network
    inputs = {f"buckets.{name}": bucket for name, bucket in caller.buckets.items()}
    inputs |= {f"keys.{name}": key for name, key in caller.keys.items()}
    if network is not None:
        inputs["network.vpc_id"] = network.vpc_id
        inputs["network.cidr_block"] = network.cidr_block
        inputs[_SUBNETS] = network.subnet_ids
        subnets: Any = network.subnet_ids
        if not is_output(subnets):
            inputs |= {f"{_SUBNETS}.{index}": subnet for index, subnet in enumerate(subnets)}
    return inputs


def _subnets(subnets: Any) -> Any:
    """Return the caller's subnets: a list that may have run-time items, or one run-time value."""
    if is_output(subnets):
        return RuntimeInput(_SUBNETS)
    return [_value(f"{_SUBNETS}.{index}", subnet) for index, subnet in enumerate(subnets)]


def _value(name: str, value: Any) -> Any:
    return value if value is None or isinstance(value, str) else RuntimeInput(name)

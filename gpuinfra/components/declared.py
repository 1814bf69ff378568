"""From a planned workload to registered resources: its graph, the caller's own words, Pulumi."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import pulumi

from gpuinfra.clouds import part
from gpuinfra.clouds.declaring.inputs import CallersNetwork, RuntimeInputs
from gpuinfra.clouds.order import Given, Order
from gpuinfra.components.customizing import customized
from gpuinfra.components.register import register
from gpuinfra.graph import Given as GivenValue
from gpuinfra.graph import ResourceGraph

_NONE = ResourceGraph()


def build(
    cloud: str, kind: str, order: Order, *planned: Any, given: Given
) -> tuple[Any, ResourceGraph]:
    """Declare a component of a kind (bucket, training, pool), and register its children.

    Returns what stands of it, as outputs, and its graph.
    """
    declare = getattr(part(cloud, "declare"), f"declare_{kind}", None)
    if declare is None:
        return getattr(part(cloud, "build"), f"build_{kind}")(order, *planned, given), _NONE
    key = f"{kind}.{order.name}"
    if kind == "bucket":
        graph = declare(order, *planned, key)
    else:
        graph = declare(order, *planned, key, runtime_inputs(given))
    graph = customized(graph, key, given.customize, part(cloud, "declare").MARKS)
    registered = register(graph, {key: given.parent}, values(given))
    return outputs(registered, graph.outputs[key]), graph


def outputs(registered: Any, declared: Any) -> Any:
    """What a component gives to others, resolved; None stays None."""
    found = {one.name: getattr(declared, one.name) for one in fields(declared)}
    return replace(
        declared,
        **{
            name: None if value is None else registered.output(value)
            for name, value in found.items()
        },
    )


def runtime_inputs(given: Given) -> RuntimeInputs:
    """What the caller passes, as values of a graph: plain text stays, all else is given later."""
    network = given.network
    return RuntimeInputs(
        network=None
        if network is None
        else CallersNetwork(
            vpc_id=_value("network.vpc_id", network.vpc_id),
            subnet_ids=[
                _value(f"network.subnet_ids.{index}", one)
                for index, one in enumerate(network.subnet_ids)
            ],
            cidr_block=_value("network.cidr_block", network.cidr_block),
        ),
        buckets={name: _value(f"buckets.{name}", one) for name, one in given.buckets.items()},
        keys={name: _value(f"keys.{name}", one) for name, one in given.keys.items()},
        images_renewed=pulumi.Config("gpuinfra").get("images") or "",
    )


def values(given: Given) -> Mapping[str, Any]:
    """The run-time values by the names under which a graph asks for them."""
    network = given.network
    found = {f"buckets.{name}": one for name, one in given.buckets.items()}
    found |= {f"keys.{name}": one for name, one in given.keys.items()}
    if network is not None:
        found["network.vpc_id"] = network.vpc_id
        found["network.cidr_block"] = network.cidr_block
        for index, one in enumerate(network.subnet_ids):
            found[f"network.subnet_ids.{index}"] = one
    return found


def _value(name: str, value: Any) -> Any:
    return value if value is None or isinstance(value, str) else GivenValue(name)

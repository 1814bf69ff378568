"""From a planned workload to registered resources: its graph, the caller's own words, Pulumi."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final

import pulumi

from gpuinfra.clouds import part
from gpuinfra.clouds.declaring.inputs import CallersNetwork, RuntimeInputs
from gpuinfra.clouds.order import Order
from gpuinfra.components.caller import Caller
from gpuinfra.components.customizing import customized
from gpuinfra.components.register import register
from gpuinfra.graph import Given, ResourceGraph

IMAGES: Final = "images"
"""The key of Pulumi configuration, `gpuinfra:images`, that holds when images were last renewed.

Its value is in the name of each image's pin: as long as it stays, so do the images, and another
value has every one looked up anew. `gpuinfra up --update-images` writes the time, `pulumi config
set gpuinfra:images 2026-11-21` does it by hand."""


def build(
    cloud: str, kind: str, order: Order, *planned: Any, caller: Caller
) -> tuple[Any, ResourceGraph]:
    """Declare a component of a kind (bucket, training, pool), and register its children.

    Returns what stands of it, as outputs, and its graph. Where what stands depends on the caller's
    own arguments, the cloud's `<kind>_outputs` says it once they are in the graph.
    """
    place, key = part(cloud, "declare"), f"{kind}.{order.name}"
    declare = getattr(place, f"declare_{kind}")
    if kind == "bucket":
        graph = declare(order, *planned, key)
    else:
        graph = declare(order, *planned, key, runtime_inputs(caller))
    graph = customized(graph, key, caller.customize, place.MARKS)
    if settle := getattr(place, f"{kind}_outputs", None):
        graph.outputs[key] = settle(graph, key)
    registered = register(graph, {key: caller.parent}, values(caller))
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


def runtime_inputs(caller: Caller) -> RuntimeInputs:
    """What the caller passes, as values of a graph: plain text stays, all else is given later."""
    network = caller.network
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
        buckets={name: _value(f"buckets.{name}", one) for name, one in caller.buckets.items()},
        keys={name: _value(f"keys.{name}", one) for name, one in caller.keys.items()},
        images_renewed=pulumi.Config("gpuinfra").get(IMAGES) or "",
    )


def values(caller: Caller) -> Mapping[str, Any]:
    """The run-time values by the names under which a graph asks for them."""
    network = caller.network
    found = {f"buckets.{name}": one for name, one in caller.buckets.items()}
    found |= {f"keys.{name}": one for name, one in caller.keys.items()}
    if network is not None:
        found["network.vpc_id"] = network.vpc_id
        found["network.cidr_block"] = network.cidr_block
        for index, one in enumerate(network.subnet_ids):
            found[f"network.subnet_ids.{index}"] = one
    return found


def _value(name: str, value: Any) -> Any:
    return value if value is None or isinstance(value, str) else Given(name)

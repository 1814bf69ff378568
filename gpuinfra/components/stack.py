"""The root component of a stack file: inputs for policies, and everything in the file."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final

import pulumi

from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.clouds import provider_of
from gpuinfra.clouds.build_spec import GuardrailOutputs
from gpuinfra.clouds.declaring.budget_only_guards import ROOT_KEY, WatchedStack
from gpuinfra.components.bucket import DataBucket
from gpuinfra.components.inference import InferencePool
from gpuinfra.components.network import Network
from gpuinfra.components.planned import PlannedComponent, Spec
from gpuinfra.components.register import register
from gpuinfra.components.training import TrainingCluster, TrainingNode
from gpuinfra.components.usage_inputs import camel, carried_value, usage_inputs
from gpuinfra.graph import Resource, ResourceGraph
from gpuinfra.graph import RuntimeInput as GivenValue
from gpuinfra.model import Group, Plan
from gpuinfra.planning import to_usage
from gpuinfra.planning.colocation import used_buckets
from gpuinfra.planning.declared_stack import (
    clouds_of,
    declare_networks,
    monitoring_spec,
    outside_dependencies,
    stack_spec,
    stack_wide_inputs,
)
from gpuinfra.planning.observed_plan import observed_usage
from gpuinfra.price_overrides.price_inputs import needed_price_inputs
from gpuinfra.specs import Inference, Stack, Training

ROOT: Final = "gpuinfra:index:Stack"

Trainer = TrainingNode | TrainingCluster


class StackComponent(pulumi.ComponentResource):
    """Everything of a stack file, under one component.

    It is registered before anything else, and its inputs carry the budget, the rules' settings,
    the waivers, how prices may age, those that are the user's own, and the usage that no resource
    shows: a policy pack sees them before the first child.

    Attributes:
        training: the training components by workload.
        inference: the pools by workload.
        buckets: the buckets by name.
    """

    training: Mapping[str, Trainer]
    inference: Mapping[str, InferencePool]
    buckets: Mapping[str, DataBucket]

    def __init__(
        self,
        stack: Stack,
        plan: Plan,
        opts: pulumi.ResourceOptions | None = None,
        *,
        prices: PriceBook = CATALOG,
    ) -> None:
        super().__init__(ROOT, stack.name, inputs(stack, plan, prices), opts)
        self._stack = stack
        self._groups = {group.name: group for group in plan.groups}
        child_options = pulumi.ResourceOptions(parent=self)
        self._graph = ResourceGraph()
        self._graph.add(Resource(ROOT_KEY, ROOT, stack.name, {}))
        self._registered = register(self._graph, {ROOT_KEY: self}, {})
        self._guards_made = self._guards(plan)
        self._shared = declare_networks(stack, plan, self._graph)
        self._registered.add_all(self._graph)
        buckets_by_name = {bucket.name: bucket for bucket in plan.buckets}
        self.buckets = {
            name: DataBucket(
                name,
                self._planned_component(
                    bucket, None, buckets_by_name[name].cloud, buckets_by_name[name].region
                ),
                opts=child_options,
            )
            for name, bucket in stack.buckets.items()
        }
        self.training = {
            name: (TrainingNode if training.nodes == 1 else TrainingCluster)(
                name,
                self._machines(name, training),
                network=self._network(name),
                buckets=self._mounted_buckets(training),
                opts=child_options,
            )
            for name, training in stack.training.items()
        }
        self.inference = {
            name: InferencePool(
                name,
                self._machines(name, inference),
                network=self._network(name),
                buckets=self._mounted_buckets(inference),
                opts=child_options,
            )
            for name, inference in stack.inference.items()
        }
        self._watch(plan, self._guards_made)
        self.register_outputs(self.pulumi_outputs())

    def pulumi_outputs(self) -> dict[str, Any]:
        """Return the outputs of all components, by kind and name."""
        kinds: dict[str, Mapping[str, Any]] = {
            "training": self.training,
            "inference": self.inference,
            "buckets": self.buckets,
        }
        return {
            **{
                kind: {name: component.pulumi_outputs() for name, component in components.items()}
                for kind, components in kinds.items()
                if components
            },
            **self._guard_inputs(),
        }

    def _guard_inputs(self) -> dict[str, Any]:
        """Return when each workload's time ends, and the role of continuous integration."""
        output = self._registered.output
        ends = {
            name: output(end)
            for outputs in self._guards_made.values()
            for name, end in outputs.ends.items()
        }
        roles = [
            output(outputs.deploy_role_id)
            for outputs in self._guards_made.values()
            if outputs.deploy_role_id is not None
        ]
        return {
            **({"ends": ends} if ends else {}),
            **({"deployRole": roles[0]} if roles else {}),
        }

    def _mounted_buckets(self, workload: Training | Inference) -> dict[str, DataBucket]:
        """Return the buckets that a workload mounts."""
        return {name: self.buckets[name] for name in used_buckets(workload)}

    def _machines(self, name: str, workload: Any) -> Any:
        group = self._groups[name]
        planned = self._planned_component(workload, group, group.cloud, group.rung.region)
        ended_by = self._guards_made[group.cloud].ended_by.get(name)
        keys = outside_dependencies(ended_by, self._shared.get(name))
        return replace(planned, after={key: self._registered.resources[key] for key in keys})

    def _network(self, name: str) -> Network | None:
        """Return the network that a workload shares; None where it has its own."""
        shared_network = self._shared.get(name)
        if shared_network is None:
            return None
        output = self._registered.output
        return Network(
            vpc_id=output(shared_network.vpc_id),
            subnet_ids=[output(subnet) for subnet in shared_network.subnet_ids],
            cidr_block=shared_network.cidr_block,
        )

    def _planned_component(
        self, spec: Spec, group: Group | None, cloud: str, region: str | None
    ) -> PlannedComponent[Spec]:
        return PlannedComponent(
            spec=spec,
            group=group,
            stack=self._stack.name,
            owner=self._stack.owner,
            cloud=cloud,
            region=region or self._stack.where.regions[0],
            **stack_wide_inputs(self._stack, spec),
        )

    def _guards(self, plan: Plan) -> dict[str, GuardrailOutputs]:
        """Register and return the budget and time guards, in each cloud that the plan uses."""
        guarded = {
            cloud: provider_of(cloud).declare.declare_guards(
                stack_spec(self._stack, region), self._stack, plan, self._graph
            )
            for cloud, region in sorted(clouds_of(plan).items())
        }
        self._registered.add_all(self._graph)
        return guarded

    def _watch(self, plan: Plan, guarded: Mapping[str, GuardrailOutputs]) -> None:
        """Register the monitoring of the active workloads, in each cloud that the plan uses."""
        components = {**self.training, **self.inference}
        outputs = {
            name: _passed_on(name, component.built) for name, component in components.items()
        }
        values = {
            f"{name}.{field.name}": getattr(component.built, field.name)
            for name, component in components.items()
            for field in fields(component.built)
        }
        everything = ResourceGraph(dict(self._graph.resources))
        for component in (*self.buckets.values(), *components.values()):
            everything.resources |= component.graph.resources
        for cloud, region in sorted(clouds_of(plan).items()):
            watched = WatchedStack(
                stack=self._stack,
                plan=plan,
                workload_outputs=outputs,
                guardrail_outputs=guarded[cloud],
                graph=everything,
            )
            provider_of(cloud).declare.declare_watch(
                monitoring_spec(self._stack, plan, region), watched, self._graph
            )
        self._registered.add_all(self._graph, values)


def _passed_on(name: str, built: Any) -> Any:
    """Return the outputs of a workload as values that a graph is given."""
    passed = {
        field.name: GivenValue(f"{name}.{field.name}")
        for field in fields(built)
        if getattr(built, field.name) is not None
    }
    return replace(built, **passed)


def inputs(stack: Stack, plan: Plan, prices: PriceBook = CATALOG) -> dict[str, Any]:
    """Return the inputs of a stack file that policy packs read, in Pulumi's spelling."""
    caps = {
        "perHour": plan.caps.per_hour,
        "perRun": plan.caps.per_run,
        "perMonth": plan.caps.per_month,
    }
    price_inputs = needed_price_inputs(plan, prices)
    return {
        "budget": {name: f"{cap:f}" for name, cap in caps.items() if cap is not None},
        "prices": {
            camel(name): carried_value(getattr(stack.prices, name))
            for name in sorted(stack.prices.model_fields_set)
        }
        | ({"exchangeRates": carried_value(prices.rates)} if prices.rates else {}),
        "rules": {
            rule: carried_value(
                {**settings.settings, **({"level": settings.level} if settings.level else {})}
            )
            for rule, settings in stack.rules.items()
        },
        "waivers": [carried_value(waiver.model_dump()) for waiver in stack.waivers],
        "usage": usage_inputs(observed_usage(to_usage(stack))),
        **({"ownPrices": price_inputs} if price_inputs else {}),
    }

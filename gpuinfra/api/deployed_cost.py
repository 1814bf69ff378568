"""The price of a state's resources, for the cost change of an up, a refresh or a destroy."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from gpuinfra import cost, planning, source
from gpuinfra.api.check_files import seen_usage
from gpuinfra.cost import PricingTerms
from gpuinfra.engine.contract import StackStatus, StateResource
from gpuinfra.errors import GpuinfraError
from gpuinfra.model import Plan, Resource
from gpuinfra.specs import Stack
from gpuinfra.stackfile import StackDocument
from gpuinfra.today import today


def plan_and_quote(
    resources: Iterable[Resource], stack: Stack, terms: PricingTerms
) -> tuple[Plan, cost.Quote]:
    """Return the plan and quote of resources by the stack file's usage, caps and terms."""
    plan = planning.from_resources(
        list(resources),
        name=stack.name,
        caps=planning.caps(stack),
        usage=seen_usage(stack),
        owner=stack.owner,
    )
    return plan, cost.estimate(plan, terms)


def deployed_quote(
    status: StackStatus | None, document: StackDocument, day: date | None = None
) -> cost.Quote | None:
    """Return the quote of a state's resources by the terms of the stack file.

    None where there are no resources.
    """
    if status is None or not status.resources:
        return None
    resources = [resource.resource for resource in status.resources]
    return plan_and_quote(resources, document.stack, _terms(document, day or today()))[1]


class RefreshedResources:
    """The properties that a refresh read of each resource, added by the engine's events."""

    def __init__(self) -> None:
        self._refreshed: dict[str, tuple[Any, Any]] = {}

    def __call__(
        self, urn: str, inputs: Mapping[str, Any] | None, outputs: Mapping[str, Any] | None
    ) -> None:
        """Store a resource's refreshed properties; None for both if it no longer exists."""
        self._refreshed[urn] = (inputs, outputs)

    def with_refreshed_properties(self, status: StackStatus | None) -> StackStatus | None:
        """Return a state with the refreshed properties, without resources that no longer exist."""
        if status is None:
            return None
        return replace(status, resources=tuple(self._update_price_properties(status.resources)))

    def _update_price_properties(
        self, resources: Iterable[StateResource]
    ) -> Iterator[StateResource]:
        for resource in resources:
            inputs, outputs = self._refreshed.get(resource.resource.urn, ({}, {}))
            if inputs is not None and outputs is not None:
                all_inputs = {**resource.resource.inputs, **inputs}
                all_outputs = {**resource.resource.outputs, **outputs}
                yield replace(
                    resource,
                    resource=replace(resource.resource, inputs=all_inputs, outputs=all_outputs),
                )


def _terms(document: StackDocument, day: date) -> PricingTerms:
    """Return the pricing terms of the stack file, with its `prices.yaml` if that is valid."""
    try:
        return source.read_for_comparison(document.path, day).terms(day)
    except GpuinfraError:
        return source.Source(document=document).terms(day)

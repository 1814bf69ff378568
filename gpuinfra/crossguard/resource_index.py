"""Resources that may refer to each other, with each one's plan and cost."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds import cloud_of, provider_of
from gpuinfra.clouds.observing.reservation_use import Occupancy
from gpuinfra.clouds.observing.values import texts_in
from gpuinfra.clouds.provider_contract import Observe
from gpuinfra.cost import Quote
from gpuinfra.crossguard.update_cost import Amount, Cost
from gpuinfra.model import UNKNOWN, Caps, Plan, Resource, Rows, Usage
from gpuinfra.planning.exposed_secrets import exposures
from gpuinfra.planning.resource_plan import clouds_of_types, grants_outside_clouds
from gpuinfra.rules.waivers import short_name

_INPUTS_WITHOUT_PRICE: Final = frozenset(
    {
        *("annotations", "description", "displayName", "labels", "resourceLabels", "tags"),
        *("tagsAll", "userLabels"),
        *("deletionProtection", "skipFinalSnapshot", "timeouts"),
    }
)
"""Inputs that change no service's price: what it is called, and how it is deleted."""


class ResourceIndex:
    """The resources known so far; each is judged by its own cloud's provider.

    A provider is loaded with the first resource of its cloud.
    """

    def __init__(self, usage: Usage, estimate: Callable[[Plan], Quote]) -> None:
        self.usage = usage
        self._estimate = estimate
        self._known: dict[str, Resource] = {}
        self._indexes: dict[str, Any] = {}
        self._last: tuple[Resource, Usage, Plan] | None = None
        """A resource is counted first and judged right after: both ask for its plan."""

    def add(self, resource: Resource, former_urn: str = "") -> None:
        """Add a resource, or replace an earlier version of it, also under a former URN."""
        self._known.pop(former_urn, None)
        self._last = None
        self._known[resource.urn] = resource
        for index in self._indexes.values():
            index.add(resource, former_urn)

    def cost(self, resource: Resource) -> Cost:
        """Return the maximum cost of the resource, with the resources that it refers to."""
        return self._cost_of(resource, self.plan(resource))

    def kept_cost(self, resource: Resource, used_machines: int) -> Cost:
        """Return the cost of reserved capacity that remains unused by that many machines."""
        observe, index = self._observer_of(resource)
        rows = observe.COST_FALLS_IN_USE[resource.type](
            resource, index, self.usage, (used_machines, used_machines)
        )
        return self._cost_of(resource, _plan(resource, rows))

    def occupancy(self, resource: Resource) -> Occupancy:
        """Return the machines that are certain to run in the reserved capacity."""
        observe, index = self._observer_of(resource)
        return observe.OCCUPANCIES[resource.type](resource, index)

    def _cost_of(self, resource: Resource, plan: Plan) -> Cost:
        plan = ends_unknown(plan)
        quote = self._estimate(plan)
        return Cost(
            per_hour=quote.per_hour.ceiling,
            per_month=quote.per_month.ceiling,
            unknown=tuple(f"{short_name(resource.urn)}: {reason}" for reason in quote.unpriced),
            amounts=tuple(_amounts(plan, resource)) if quote.unpriced else (),
            machines=_machine_count(plan),
        )

    def reserves(self, resource: Resource) -> bool:
        """Return whether a resource reserves machines, for example a capacity reservation."""
        (cloud,) = clouds_of_types((resource.type,), tuple(self._indexes))
        return resource.type in provider_of(cloud).observe.COST_FALLS_IN_USE

    def names(self, resource: Resource) -> Iterator[str]:
        """Yield names by which others may refer to a resource in its cloud, for example its id."""
        if not is_judged(resource.type):
            return  # no price depends on it
        (cloud,) = clouds_of_types((resource.type,), tuple(self._indexes))
        keys = self._index(cloud).KEYS
        values = [resource.outputs.get(key) for key in keys.outputs]
        values += [resource.inputs.get(key) for key in keys.inputs]
        for value in dict.fromkeys(values):
            if isinstance(value, str) and value:
                yield keys.spelled(value)

    def named_by(self, resource: Resource) -> Iterator[str]:
        """Yield the texts in a resource's inputs, any of which may be another resource's name."""
        if is_judged(resource.type):
            (cloud,) = clouds_of_types((resource.type,), tuple(self._indexes))
            spelled = self._index(cloud).KEYS.spelled
            inputs = resource.inputs.items()
            naming = {key: value for key, value in inputs if key not in _INPUTS_WITHOUT_PRICE}
            yield from map(spelled, dict.fromkeys(texts_in(naming)))

    def plan(self, resource: Resource) -> Plan:
        """Return a plan of this resource alone, as far as it and its references show it."""
        if self._last is not None:
            last_known, usage, plan = self._last
            if usage is self.usage and last_known == resource:
                return plan
        observe, index = self._observer_of(resource)
        plan = _plan(resource, observe.groups_and_items(resource, index, self.usage))
        self._last = resource, self.usage, plan
        return plan

    @staticmethod
    def reservations(plan: Plan) -> tuple[str, ...]:
        """Return the reservations that machines name and that no known resource is."""
        named_reservations = (
            rung for group in plan.groups for rung in group.rungs if rung.capacity == "reserved"
        )
        return tuple(
            dict.fromkeys(rung.reservation for rung in named_reservations if rung.reservation)
        )

    def _observer_of(self, resource: Resource) -> tuple[Observe, Any]:
        (cloud,) = clouds_of_types((resource.type,), tuple(self._indexes))
        return provider_of(cloud).observe, self._index(cloud)

    def _index(self, cloud: str) -> Any:
        if cloud not in self._indexes:
            self._indexes[cloud] = provider_of(cloud).observe.Index(self._known.values())
        return self._indexes[cloud]


def _plan(resource: Resource, rows: Rows) -> Plan:
    secret_exposures = (*exposures(resource.name, (resource,), None), *rows.exposures)
    grants = (*rows.grants, *grants_outside_clouds((resource,)))
    return Plan(
        **dict[str, Any](rows.rows_by_field(), exposures=secret_exposures, grants=grants),
        name=resource.name,
        owner=None,
        caps=Caps(),
    )


def _machine_count(plan: Plan) -> int:
    """Return the maximum number of machines of all groups; 0 where that of one is unknown."""
    counts = [group.ceiling for group in plan.groups]
    return 0 if UNKNOWN in counts else sum(count for count in counts if isinstance(count, int))


def _amounts(plan: Plan, resource: Resource) -> Iterator[Amount]:
    """Yield the paid parts of a resource without names, so that a rename adds nothing.

    Of what can't be judged any input may be one that it is paid by.
    """
    for group in plan.groups:
        lifecycle, needs = group.lifecycle, group.needs
        rungs = [replace(rung, image=None, zones=(), placement_group=None) for rung in group.rungs]
        yield (rungs, group.machines, lifecycle.ends, needs.ends_after), group.ceiling
    for item in plan.items:
        yield (
            replace(item, name="", subject="", group=None, resource="", quantity=None),
            item.quantity,
        )
    for bucket in plan.buckets:
        yield (bucket.cloud, bucket.region), bucket.size_gb
    for row in plan.not_judged:
        inputs = {
            key: value
            for key, value in resource.inputs.items()
            if key not in _INPUTS_WITHOUT_PRICE
        }
        yield (row.type, row.reason, inputs), 1


def ends_unknown(plan: Plan) -> Plan:
    """Return the plan of one resource, with machines that end as its usage claims.

    What ends them refers to them, so an update makes it later: the whole sees whether it does.
    """
    groups = (
        replace(group, lifecycle=replace(group.lifecycle, ends=UNKNOWN))
        if group.lifecycle.ends is False and group.needs.ends_after is not None
        else group
        for group in plan.groups
    )
    return replace(plan, groups=tuple(groups))


def is_default(resource_type: str) -> bool:
    """Return whether a type sets an account default for resources that are created later."""
    (cloud,) = clouds_of_types((resource_type,))
    return resource_type in provider_of(cloud).observe.DEFAULTS


def depends_on_creation(resource_type: str) -> bool:
    """Return whether it matters for a type whether the update creates it or another one."""
    (cloud,) = clouds_of_types((resource_type,))
    observe = provider_of(cloud).observe
    return resource_type in observe.DATED_DEFAULTS or resource_type in observe.DEFAULTS


def is_judged(resource_type: str) -> bool:
    """Return whether the tables of its cloud have the type, in any version."""
    (cloud,) = clouds_of_types((resource_type,))
    return cloud_of(resource_type) == cloud and resource_type in provider_of(cloud).observe.TYPES

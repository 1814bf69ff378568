"""What the plans of App Service cost: their workers, by tier, size and operating system.

https://learn.microsoft.com/azure/app-service/overview-hosting-plans
"""

from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.observe.launch import locations
from gpuinfra.clouds.azure.observe.starts import undeclared_starts
from gpuinfra.clouds.azure.tables import PRICES
from gpuinfra.clouds.observing.rows import rows_without_machines, service_item
from gpuinfra.clouds.observing.values import at, flag, is_on, largest, text, whole_or
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown, Usage

_OTHER_HOSTS: Final = (
    *("hyperV", "isXenon"),
    *("hostingEnvironmentProfile", "kubeEnvironmentProfile", "extendedLocation"),
)
"""What makes a plan's workers other ones than those of the price table."""


def plan(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the hours of a plan's workers, at the most that it scales to by itself."""
    item = _item(resource)
    if item is None:
        kind = resource_types.canonical(resource.type)
        return rows_without_machines(resource, kind, is_known=False)
    workers = _workers(resource)
    quantity = UNKNOWN if isinstance(workers, Unknown) else Decimal(workers)
    region = locations.region_of(resource, index)
    row = service_item("azure", resource, "workers", item, "hour", quantity, region)
    return Rows(items=(row,))


def _item(resource: Resource) -> str | None:
    """Return the item that a plan's workers are paid by; None where no table has it."""
    size = text(at(resource.inputs.get("sku"), "name"))
    linux = is_on(resource.inputs.get("reserved"))
    has_other_host = any(
        flag(resource.inputs.get(key)) not in {None, False} for key in _OTHER_HOSTS
    )
    if not isinstance(size, str) or isinstance(linux, Unknown) or has_other_host:
        return None
    item = f"app-service-{'linux-' if linux else ''}{size.lower()}"
    return item if PRICES.rows_in_all_regions(item) else None


def _workers(resource: Resource) -> int | Unknown:
    """Return the most workers of a plan; UNKNOWN where zones decide it, which it does not say.

    https://learn.microsoft.com/azure/app-service/manage-automatic-scaling
    https://learn.microsoft.com/azure/reliability/reliability-app-service
    (2026-11-27, not re-read: unverified)
    """
    zonal = is_on(resource.inputs.get("zoneRedundant"))
    capacity = at(resource.inputs.get("sku"), "capacity")
    if capacity is None and zonal is not False:
        return UNKNOWN
    scales = is_on(resource.inputs.get("elasticScaleEnabled"))
    most = whole_or(resource.inputs.get("maximumElasticWorkerCount"), UNKNOWN)
    return largest((whole_or(capacity, 1), 0 if scales is False else most))


def app(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return no price for an app on a plan, unless its identity may start machines."""
    kind = resource_types.canonical(resource.type)
    is_harmless = not undeclared_starts.may_start(resource, index, unseen=False)
    inputs = {
        key: value
        for key, value in resource.inputs.items()
        if key != "identity" or not is_harmless
    }
    return rows_without_machines(replace(resource, inputs=inputs), kind, is_known=False)

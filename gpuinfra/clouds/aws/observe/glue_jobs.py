"""What a job of Glue costs: its data processing units, as if it ran all the time.

https://aws.amazon.com/glue/pricing/ (2026-11-27, not re-read: unverified)
"""

from decimal import Decimal
from typing import Final

from gpuinfra.clouds.aws.observe import locations
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.rows import service_item, unjudged_rows
from gpuinfra.clouds.observing.values import amount, at, text
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown, Usage

_ETL: Final = "glueetl"
_ONE: Final = Decimal(1)
_ITEMS: Final = {None: "glue-dpu", "STANDARD": "glue-dpu", "FLEX": "glue-flex-dpu"}
_WORKERS: Final = "it starts workers of Glue, of a type without a known price"


def job(resource: Resource, index: Index, _: Usage) -> Rows:
    """Return the units of a job, for as many runs as may go on at once."""
    kind, units = text(resource.inputs.get("executionClass")), _units(resource)
    item = None if isinstance(kind, Unknown) else _ITEMS.get(kind)
    if item is None or units is None:
        return unjudged_rows(resource, _WORKERS)
    runs = amount(at(resource.inputs.get("executionProperty"), "maxConcurrentRuns")) or _ONE
    quantity: Decimal | Unknown = UNKNOWN
    if isinstance(units, Decimal) and isinstance(runs, Decimal):
        quantity = units * runs
    region = locations.region_of(resource, index)
    return Rows(items=(service_item("aws", resource, "job", item, "hour", quantity, region),))


def _units(resource: Resource) -> Decimal | Unknown | None:
    """Return the units of one run; None for workers without a price."""
    inputs = resource.inputs
    command = text(at(inputs.get("command"), "name"))
    worker, capacity = text(inputs.get("workerType")), amount(inputs.get("maxCapacity"))
    if worker is None:
        usual = _units_by_name("command").get(_ETL if command is None else str(command))
        return usual if capacity is None else capacity
    each = _units_by_name("worker").get(worker) if isinstance(worker, str) else None
    count = amount(inputs.get("numberOfWorkers"))
    if each is None:
        return None
    return each * count if isinstance(count, Decimal) else UNKNOWN


def _units_by_name(of: str) -> dict[str, Decimal]:
    """Return the units by the type of a worker, or by the command of a job that states none."""
    rows = TABLES.rows("glue_units")
    return {row["name"]: Decimal(row["units"]) for row in rows if row["of"] == of}

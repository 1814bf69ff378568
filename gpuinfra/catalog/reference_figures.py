"""Figures that were found but are not prices, for example a guide's worked example."""

from decimal import Decimal
from typing import Any

from gpuinfra.catalog.tables import TABLES
from gpuinfra.records import record


@record
class ReferenceFigure:
    """A figure per hour that nothing is ever priced with; `why` says what keeps it apart."""

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
    """The figures of a machine type that are kept apart from its prices."""
    return tuple(
        ReferenceFigure(**dict[str, Any](row, per_hour=Decimal(row["per_hour"])))
        for row in TABLES.rows("apart")
        if (row["cloud"], row["item"]) == (cloud, item)
    )

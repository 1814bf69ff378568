"""Speech and image models, whose memory was measured, since no shape determines it."""

from decimal import Decimal
from functools import cache

from gpuinfra.catalog.tables import TABLES
from gpuinfra.records import record


@record
class Measurement:
    """The highest memory use that was measured on one GPU while it served a model.

    Attributes:
        parameters: of the model; for images those of its largest part, as it is published.
        precision: of the weights; empty where the source names none.
        batch: how many it served at once.
        gibibytes: GiB on the GPU.
        subject: the content of one request, for example `an image of 1024 × 1024`.
        source: where it is published, and when.
    """

    parameters: int
    precision: str
    batch: int
    gibibytes: Decimal
    subject: str
    source: str


@cache
def measured_models() -> dict[str, tuple[Measurement, ...]]:
    """Return the measurements of each model, the usual precision first."""
    measured: dict[str, tuple[Measurement, ...]] = {}
    for row in TABLES.rows("measured_models"):
        name = row["name"]
        measurement = Measurement(
            parameters=row["parameters"],
            precision=row["precision"] or "",
            batch=row["batch"],
            gibibytes=Decimal(row["gibibytes"]),
            subject=row["subject"],
            source=f"{row['source']}, {row['as_of']}",
        )
        measured[name] = (*measured.get(name, ()), measurement)
    return measured

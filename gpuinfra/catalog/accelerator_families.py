"""Families of accelerators: their library of collectives, and whether they are for inference."""

from functools import cache

from gpuinfra.catalog.gpus import gpu
from gpuinfra.catalog.tables import TABLES
from gpuinfra.model import Machine
from gpuinfra.records import record


@record
class AcceleratorFamily:
    """A family of accelerators that run the same programs.

    `collectives` is the library by which they exchange data, `transport` what that uses between
    machines, empty where it is their fabric; `for_inference`: they are sold for inference.
    """

    name: str
    collectives: str
    transport: str
    for_inference: bool
    source: str
    as_of: str


@cache
def accelerator_families() -> tuple[AcceleratorFamily, ...]:
    """Return every family of the table."""
    return tuple(
        AcceleratorFamily(
            name=row["name"],
            collectives=row["collectives"],
            transport=row["transport"] or "",
            for_inference=row["for_inference"],
            source=row["source"],
            as_of=row["as_of"],
        )
        for row in TABLES.rows("accelerators")
    )


def family_of(machine: Machine | None) -> AcceleratorFamily | None:
    """Return the family of a machine's accelerators; None where no table has it."""
    facts = None if machine is None else gpu(machine.gpu)
    name = "" if facts is None else facts.name
    families = (family for family in accelerator_families() if name.startswith(family.name))
    return max(families, key=lambda family: len(family.name), default=None)

"""Where sources contradict each other: what the shipped tables took, and by which rule."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from gpuinfra.catalog.tables import TABLES
from gpuinfra.records import record


@record
class SourcedValue:
    """What one source says; `value` None: that it has nothing."""

    value: str | None
    source: str
    as_of: str


@record
class Contradiction:
    """Sources that disagree on one field of a machine, a GPU or a price.

    `cloud` is empty for a GPU, whose key is then the subject. `field` is an attribute of the
    `Machine` or `Gpu`; where `region` is not None it is a price mode, and the subject a machine
    type or a service item. `taken` is what the shipped tables have; its value is None where no
    source was believed. `rule` is a key of `rules`.
    """

    cloud: str
    subject: str
    field: str
    region: str | None
    taken: SourcedValue
    rule: str
    others: tuple[SourcedValue, ...]
    notes: str

    @property
    def why(self) -> str:
        """The rule as a sentence."""
        return rules()[self.rule]


def rules() -> Mapping[str, str]:
    """The rules by which one of several values is taken, each a sentence, by their names."""
    by_name: dict[str, str] = TABLES.table("contradictions")["rules"]
    return by_name


@cache
def contradictions() -> tuple[Contradiction, ...]:
    """Every contradiction of the table, in the order of clouds and subjects."""
    sources = TABLES.table("contradictions")["sources"]
    return tuple(_contradiction(row, sources) for row in TABLES.rows("contradictions"))


def about(cloud: str, subject: str) -> tuple[Contradiction, ...]:
    """What is contradicted of a machine type or service item; of a GPU where cloud is empty."""
    return tuple(
        contradiction
        for contradiction in contradictions()
        if contradiction.cloud == cloud and contradiction.subject == subject
    )


def _contradiction(row: dict[str, Any], sources: list[list[str]]) -> Contradiction:
    return Contradiction(
        cloud=row["cloud"],
        subject=row["subject"],
        field=row["field"],
        region=row["region"],
        taken=SourcedValue(value=row["taken"], source=row["source"], as_of=row["as_of"]),
        rule=row["rule"],
        others=tuple(
            SourcedValue(value=value, source=sources[index][0], as_of=sources[index][1])
            for value, index in row["others"]
        ),
        notes=row["notes"],
    )

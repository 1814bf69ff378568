"""Contradictions between sources: the value that the tables took, and the rule for it."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from gpuinfra.catalog.tables import TABLES
from gpuinfra.records import record


@record
class SourcedValue:
    """The value of one source; a `value` of None means that the source has none."""

    value: str | None
    source: str
    as_of: str


@record
class Contradiction:
    """Sources that disagree on one field of a machine, a GPU or a price.

    `cloud` is empty for a GPU, whose key is then the subject. `field` is an attribute of the
    `Machine` or `Gpu`; where `region` is not None it is a price mode, and the subject a machine
    type or a service item. `shipped` is the value in the shipped tables; its value is None where
    no source was believed. `rule` is a key of `rules`.
    """

    cloud: str
    subject: str
    field: str
    region: str | None
    shipped: SourcedValue
    rule: str
    others: tuple[SourcedValue, ...]
    notes: str

    @property
    def sentence(self) -> str:
        """The rule as a sentence."""
        return rules()[self.rule]


def rules() -> Mapping[str, str]:
    """Return the rules for choosing between values, each as a sentence, by name."""
    by_name: dict[str, str] = TABLES.table("contradictions")["rules"]
    return by_name


@cache
def contradictions() -> tuple[Contradiction, ...]:
    """Return every contradiction of the table, in the order of clouds and subjects."""
    sources = TABLES.table("contradictions")["sources"]
    return tuple(_contradiction(row, sources) for row in TABLES.rows("contradictions"))


def contradictions_about(cloud: str, subject: str) -> tuple[Contradiction, ...]:
    """Return the contradictions on a machine type or service item, or on a GPU without a cloud."""
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
        shipped=SourcedValue(value=row["taken"], source=row["source"], as_of=row["as_of"]),
        rule=row["rule"],
        others=tuple(
            SourcedValue(value=value, source=sources[index][0], as_of=sources[index][1])
            for value, index in row["others"]
        ),
        notes=row["notes"],
    )

"""The catalog's verdict on a claim: right, partly right, wrong, or unknown."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Literal, Protocol

from gpuinfra.records import record

Outcome = Literal["right", "partly", "wrong", "unknown"]


@record
class ClaimVerdict:
    """The outcome, the facts in the catalog, and the source and date of the rows."""

    outcome: Outcome
    evidence: str
    source: str
    as_of: str


class SourcedRow(Protocol):
    """A row with a source and a date."""

    @property
    def source(self) -> str:
        """The source of the row."""
        ...

    @property
    def as_of(self) -> str:
        """The day, month, year or interval of the row."""
        ...


def verdict_from(outcome: Outcome, facts: str, rows: Iterable[SourcedRow]) -> ClaimVerdict:
    """Return a verdict from rows, with each source once, and the oldest and newest date."""
    sourced_rows = tuple(rows)
    dates = sorted({sourced.as_of for sourced in sourced_rows})
    return ClaimVerdict(
        outcome=outcome,
        evidence=facts,
        source="; ".join(dict.fromkeys(sourced.source for sourced in sourced_rows)),
        as_of=dates[0] if len(dates) == 1 else " … ".join((dates[0], dates[-1])) if dates else "",
    )


def unknown(reason: str) -> ClaimVerdict:
    """Return the verdict where the catalog has no matching row."""
    return ClaimVerdict(outcome="unknown", evidence=reason, source="", as_of="")


def share(agreeing: int, total: int) -> Outcome:
    """Return the outcome where `agreeing` of `total` rows agree with the claim."""
    return "right" if agreeing == total else "partly" if agreeing else "wrong"


def plain(number: Decimal) -> str:
    """Return a number without trailing zeros or an exponent."""
    text = f"{number:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
